package process

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

// Identity names one process for as long as the machine is up. A bare pid is
// reused; pid and start time together are not.
type Identity struct {
	// PID is the process id.
	PID int `json:"pid"`
	// StartTicks is the start time in clock ticks since boot: field 22 of
	// /proc/PID/stat, see proc_pid_stat(5).
	StartTicks uint64 `json:"start"`
	// BootID is the space in which PID and StartTicks mean anything: the
	// kernel's boot id and the pid namespace. A run folder that is resumed in
	// another container of the same host must not find its pids there.
	BootID string `json:"boot"`
}

// bootID is read once: it cannot change while this process lives.
var bootID = sync.OnceValue(func() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		id = []byte("unknown")
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		space = "pid:[unknown]"
	}
	return strings.TrimSpace(string(id)) + "/" + space
})

// Identify reads the identity that pid has now. The error wraps
// os.ErrNotExist when there is no such process.
func Identify(pid int) (Identity, error) {
	p, err := readProc(pid)
	if err != nil {
		return Identity{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	return p.identity(), nil
}

// Alive says whether this very process still runs. A zombie does not: it holds
// a pid and nothing else.
func (id Identity) Alive() bool {
	p, err := readProc(id.PID)
	return err == nil && p.alive() && p.identity() == id
}

// Describe says which living process has this pid now; its Marker is the run
// marker in its environment, "" when that cannot be read. The error wraps
// os.ErrNotExist when there is none, or when it is a zombie.
func Describe(pid int) (Survivor, error) {
	p, err := readProc(pid)
	if err == nil && !p.alive() {
		err = os.ErrNotExist
	}
	if err != nil {
		return Survivor{}, fmt.Errorf("describe process %d: %w", pid, err)
	}
	s := p.survivor()
	s.Marker, _ = runMarker(p)
	return s, nil
}

// Survivor is a process that still lives where it should not, as a person or a
// log wants to see it.
type Survivor struct {
	Identity
	// Comm is the kernel's short name, at most 15 bytes.
	Comm string `json:"comm"`
	// Cmdline is the command line with spaces between its words; a process may
	// have overwritten it.
	Cmdline string `json:"cmdline,omitempty"`
	// Marker is the run marker that FindLeftovers or Describe read; "" elsewhere.
	Marker string `json:"marker,omitempty"`
}

// String is "pid 123 (VLLM::Worker)" or, where it is known, the command line.
func (s Survivor) String() string {
	what := s.Cmdline
	if what == "" {
		what = s.Comm
	}
	return fmt.Sprintf("pid %d (%s)", s.PID, what)
}

// Whose is String with the run, where the marker tells it.
func (s Survivor) Whose() string {
	if s.Marker == "" {
		return s.String()
	}
	return s.String() + " of " + s.Marker
}

// cmdlineMax bounds what is kept of a command line: it is there to be
// recognised, and a survivor list travels through a pipe.
const cmdlineMax = 256

func cmdline(pid int) string { return cmdlineIn("/proc/" + itoa(pid)) }

func cmdlineIn(folder string) string {
	raw, err := os.ReadFile(folder + "/cmdline")
	if err != nil {
		return ""
	}
	raw = bytes.TrimRight(raw, "\x00 ")
	if len(raw) > cmdlineMax {
		raw = append(raw[:cmdlineMax:cmdlineMax], "…"...)
	}
	raw = bytes.ReplaceAll(raw, []byte{0}, []byte{' '})
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	return string(raw)
}
