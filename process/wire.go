package process

import (
	"encoding/json"
	"syscall"
	"time"
)

// Parent and guard talk in JSON lines over two pipes: orders go down, reports
// come up. The end of the orders (EOF) is the lifeline's break; the end of the
// reports without "gone" is the guard's death.

// order is one line from the parent.
type order struct {
	Start *startOrder `json:"start,omitempty"`
	Stop  *StopPolicy `json:"stop,omitempty"`
}

// startOrder is a resolved Spec. Paths, arguments and environment are bytes
// (base64 in JSON): they need not be valid UTF-8, and a JSON string must.
type startOrder struct {
	Path                         []byte
	Argv, Env                    [][]byte
	Dir                          []byte
	Stdout, Stderr, Status, Lock []byte
	Stop                         StopPolicy
	Deadline                     time.Duration
	Session                      bool
	KillBound                    time.Duration
}

func newStartOrder(r resolved) *startOrder {
	return &startOrder{
		Path: []byte(r.path), Argv: toBytes(r.Argv), Env: toBytes(r.Env), Dir: []byte(r.Dir),
		Stdout: []byte(r.Stdout), Stderr: []byte(r.Stderr), Status: []byte(r.Status), Lock: []byte(r.Lock),
		Stop: r.Stop, Deadline: r.Deadline, Session: r.Session, KillBound: killBound,
	}
}

func (o *startOrder) resolved() resolved {
	return resolved{
		path: string(o.Path),
		Spec: Spec{
			Argv: toStrings(o.Argv), Env: toStrings(o.Env), Dir: string(o.Dir),
			Stdout: string(o.Stdout), Stderr: string(o.Stderr), Status: string(o.Status), Lock: string(o.Lock),
			Stop: o.Stop, Deadline: o.Deadline, Session: o.Session,
		},
	}
}

func toBytes(words []string) [][]byte {
	out := make([][]byte, len(words))
	for i, w := range words {
		out[i] = []byte(w)
	}
	return out
}

func toStrings(words [][]byte) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}

// report is one line from the guard; exactly one field is set.
type report struct {
	Ready   *readyNote   `json:"ready,omitempty"`
	Started *startedNote `json:"started,omitempty"`
	Failed  *failedNote  `json:"failed,omitempty"`
	Exit    *Exit        `json:"exit,omitempty"`
	Step    *Step        `json:"step,omitempty"`
	Gone    *Result      `json:"gone,omitempty"`
}

type readyNote struct {
	Cgroup cgroup
}

type startedNote struct {
	Leader Identity
	SID    int
	Inside bool // the cgroup
}

// failedNote carries a StartError; the number is kept so that errors.Is works
// on the parent's side too.
type failedNote struct {
	Class, Op, Path, Text string
	Errno                 syscall.Errno
}

func (f *failedNote) err() *StartError {
	return &StartError{Class: f.Class, Op: f.Op, Path: f.Path, Err: &remoteError{text: f.Text, errno: f.Errno}}
}

// remoteError is an error that happened in the guard.
type remoteError struct {
	text  string
	errno syscall.Errno
}

func (e *remoteError) Error() string { return e.text }

func (e *remoteError) Unwrap() error {
	if e.errno == 0 {
		return nil
	}
	return e.errno
}

// line renders a message; the types above cannot fail to marshal.
func line(message any) []byte {
	b, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	return append(b, '\n')
}
