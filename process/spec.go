package process

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

// RunMarkerEnv is the environment variable by which FindLeftovers recognises
// what a run started. The caller puts it into Spec.Env.
const RunMarkerEnv = "SERVEMATRIX_RUN"

// Spec says what to start and how the guard looks after it.
type Spec struct {
	// Argv is the command. Argv[0] is looked up like a shell does: with a
	// slash relative to Dir, else along the PATH of Env.
	Argv []string
	// Env is the whole environment, "NAME=value" each; nil is that of this
	// process.
	Env []string
	// Dir is the working folder; "" is that of this process.
	Dir string
	// Stdout and Stderr are files to create (O_EXCL, O_APPEND, 0600); the same
	// path twice is one file, "" is /dev/null.
	Stdout, Stderr string
	// Status is the file that holds a Status as JSON, replaced atomically when
	// the leader started, when it exited and when the tree has ended; "" none.
	Status string
	// Lock is a file on which the guard holds an exclusive flock(2) for as long
	// as it lives; "" none.
	Lock string
	// Stop is what the guard does by itself when the lifeline breaks, the
	// deadline passes or it is told to end by SIGTERM. With a broken lifeline
	// the grace is at most 2 s, and none is SIGKILL at once. Its Linger also
	// holds when the leader exits; after one that crashed all is killed at once.
	Stop StopPolicy
	// Deadline ends the tree so long after its start, whatever the caller
	// does; 0 is none.
	Deadline time.Duration
	// Session gives the leader a session of its own (for servers and clients
	// always); false gives it only a process group.
	Session bool
}

// StopPolicy says how a tree is asked to end before it is made to.
type StopPolicy struct {
	// Signal goes to the leader alone, first; 0 is SIGTERM.
	Signal syscall.Signal `json:"signal"`
	// Grace is how long the leader may take. 0 goes straight on to the group,
	// less than 0 straight to SIGKILL.
	Grace time.Duration `json:"grace"`
	// Linger is how long children may outlive the leader; 0 is 5 s, less than
	// 0 is not at all. It never lengthens a grace.
	Linger time.Duration `json:"linger"`
}

const (
	defaultLinger = 5 * time.Second
	// lifelineGrace bounds the grace when nobody is left who could wait.
	lifelineGrace = 2 * time.Second
	// groupWait lies between SIGTERM to the group and SIGKILL.
	groupWait = 500 * time.Millisecond
)

func (s StopPolicy) signal() syscall.Signal {
	if s.Signal == 0 {
		return syscall.SIGTERM
	}
	return s.Signal
}

func (s StopPolicy) linger() time.Duration {
	switch {
	case s.Linger == 0:
		return defaultLinger
	case s.Linger < 0:
		return 0
	}
	return s.Linger
}

// alone is the policy when nobody is left who could wait: whoever grants no
// grace gets no half second for the group either.
func (s StopPolicy) alone() StopPolicy {
	s.Grace = min(s.Grace, lifelineGrace)
	if s.Grace == 0 {
		s.Grace = -1
	}
	return s
}

// Exit is how a process ended.
type Exit struct {
	// Code is the exit code, -1 when a signal ended it or nobody can know.
	Code int `json:"code"`
	// Signal is the signal that ended it, 0 when it exited by itself.
	Signal syscall.Signal `json:"signal,omitempty"`
}

// String is "exit 1", "signal 9 (SIGKILL)" or "exit unknown".
func (e Exit) String() string {
	switch {
	case e.Signal != 0:
		return fmt.Sprintf("signal %d (%s)", int(e.Signal), SignalName(e.Signal))
	case e.Code < 0:
		return "exit unknown"
	}
	return "exit " + itoa(e.Code)
}

// crashed says that the process did not end by its own will: it was killed, or
// did what the kernel ends a process for. Who asks to end sends another signal.
func (e Exit) crashed() bool {
	switch e.Signal {
	case syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGILL, syscall.SIGFPE, syscall.SIGTRAP, syscall.SIGSYS:
		return true
	}
	return false
}

// exitUnknown is what remains to say when a guard was killed and its leader
// was reaped by somebody else.
var exitUnknown = Exit{Code: -1}

func exitOf(ws syscall.WaitStatus) Exit {
	if ws.Signaled() {
		return Exit{Code: -1, Signal: ws.Signal()}
	}
	return Exit{Code: ws.ExitStatus()}
}

// Actions of a Step, in about the order in which they come.
const (
	ActionLifeline   = "lifeline"    // the parent is gone: the guard stops the tree by itself
	ActionDeadline   = "deadline"    // Spec.Deadline has passed
	ActionGuardTerm  = "guard-term"  // the guard itself was sent SIGTERM
	ActionSignal     = "signal"      // the stop signal went to the leader
	ActionLeaderExit = "leader-exit" // the leader has exited
	ActionGroup      = "group"       // SIGTERM went to the leader's process group
	ActionKill       = "kill"        // SIGKILL to what was left (first round only)
	ActionGone       = "gone"        // nothing is left
	ActionSurvivors  = "survivors"   // given up: these outlived SIGKILL
	ActionUnknown    = "unknown"     // given up: nobody could look whether something is left
	ActionGuardHung  = "guard-hung"  // the guard did not answer in time and was killed
	ActionGuardLost  = "guard-lost"  // the guard died before its tree: the parent cleans up
)

// Step is one thing that happened while a tree ended.
type Step struct {
	// At is the wall clock time.
	At time.Time `json:"at"`
	// Since is the monotonic time since the end began: since the stop was
	// ordered or the leader exited, whichever came first.
	Since time.Duration `json:"since_ns"`
	// Action is what was done or seen: see the table of actions.
	Action string `json:"action"`
	// Signal is the signal's name where one was sent.
	Signal string `json:"signal,omitempty"`
	// Detail is for people: the exit, the error, what the guard said last.
	Detail string `json:"detail,omitempty"`
	// Alive counts the processes of the tree that lived at this moment, for
	// the steps that look: group, kill, survivors.
	Alive int `json:"alive,omitempty"`
	// Survivors are these, at most 32.
	Survivors []Survivor `json:"survivors,omitempty"`
}

// survivorsMax bounds a step's list: with more, the count says enough.
const survivorsMax = 32

// Result is how a tree ended.
type Result struct {
	// Exit is the leader's.
	Exit Exit `json:"exit"`
	// Steps are in order of time.
	Steps []Step `json:"steps"`
	// Survivors outlived SIGKILL; not empty is the failure class stop_dirty.
	Survivors []Survivor `json:"survivors,omitempty"`
	// Unknown says why nobody can tell whether something is left: the process
	// table could not be read for as long as SIGKILL was tried. "" otherwise.
	Unknown string `json:"unknown,omitempty"`
	// Killed says that something had to be sent SIGKILL.
	Killed bool `json:"killed"`
}

// Status is what a guard writes to Spec.Status, so that the end of a tree is
// known even when nobody was left to be told.
type Status struct {
	Leader Identity `json:"leader"`
	SID    int      `json:"sid"`
	// Guard ends the tree on SIGTERM. Should it hang without its parent,
	// EndLeftovers with this identity ends it and all that is below.
	Guard Identity `json:"guard"`
	// Cgroup is what Process.Cgroup gives.
	Cgroup  string    `json:"cgroup,omitempty"`
	Started time.Time `json:"started"`
	// Exited is set once the leader has exited; Result.Exit is valid then.
	Exited *time.Time `json:"exited,omitempty"`
	// Ended is set once the tree is empty or given up.
	Ended *time.Time `json:"ended,omitempty"`
	Result
}

// ReadStatus reads a guard's status file. One that does not exist gives an
// error that wraps os.ErrNotExist: the leader never ran.
func ReadStatus(path string) (Status, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Status{}, fmt.Errorf("read guard's status: %w", err)
	}
	var s Status
	if err := json.Unmarshal(raw, &s); err != nil {
		return Status{}, fmt.Errorf("read guard's status %s: %w", path, err)
	}
	return s, nil
}

func itoa(n int) string { return strconv.Itoa(n) }
