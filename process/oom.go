package process

import (
	"bytes"
	"os"
	"strconv"
)

// oomMargin is how much higher the oom_score_adj of a tree is than its guard's,
// in thousandths of the host's memory. When memory runs out the kernel then takes
// a server, whose failure is a row of the report, and not who looks after it.
const oomMargin = 500

const (
	oomFile = "/proc/self/oom_score_adj" // proc_pid_oom_score_adj(5)
	oomMost = 1000
)

// raiseOOM makes this process a better victim and gives what undoes it. What is
// forked in between inherits the higher value: there is no moment at which a
// child of the tree has the lower one. Going back needs no privilege: raising
// without one leaves the least value that a process may give itself alone. What
// the kernel refuses changes nothing that is measured, and is passed over.
func raiseOOM() (restore func()) {
	raw, err := os.ReadFile(oomFile)
	before, aerr := strconv.Atoi(string(bytes.TrimSpace(raw)))
	if err != nil || aerr != nil || os.WriteFile(oomFile, []byte(itoa(min(before+oomMargin, oomMost))), 0) != nil {
		return func() {}
	}
	return func() { _ = os.WriteFile(oomFile, raw, 0) }
}
