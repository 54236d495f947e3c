package cli

import (
	"errors"
	"runtime"
	"slices"

	"github.com/spf13/cobra"
)

// needLinux lists the commands that start servers or end processes.
var needLinux = []string{"run", "resume", "stop", "doctor", "sim"}

// refuseWithoutLinux lets these commands say, in a build that only reads, what
// they need instead of doing half of it.
func refuseWithoutLinux(commands []*cobra.Command) {
	for _, cmd := range commands {
		if !slices.Contains(needLinux, cmd.Name()) {
			continue
		}
		cmd.Short += " (needs Linux)"
		cmd.Long = "It needs Linux: this build only reads what was run there.\n\n" + cmd.Long
		cmd.RemoveCommand(cmd.Commands()...)
		cmd.Args = cobra.ArbitraryArgs
		cmd.FParseErrWhitelist.UnknownFlags = true
		cmd.RunE = func(*cobra.Command, []string) error {
			return &exitError{code: exitUsage, err: errors.New(cmd.Name() + " needs Linux, and this is servematrix for reading on " + runtime.GOOS),
				hint: "run it on the Linux host, and copy the run folder here: status, logs, report, compare and import read it"}
		}
	}
}
