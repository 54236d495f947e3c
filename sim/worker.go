package sim

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// workerArg is the hidden first argument that makes this binary a process of a simulated tree.
const workerArg = "__sim-worker"

// workerSpec says what a process of the tree is and does. It travels as one line of JSON over
// the process's standard input, which afterwards is its lifeline: it ends with its parent.
type workerSpec struct {
	Title    string       // argv[0] and, shortened, the name in /proc/PID/comm
	Children []workerSpec // started by this process
	Serve    *Options     // be the server itself, instead of a mere worker
	Exit     bool         // end at once

	IgnoreParent bool          // go on when the parent has gone
	IgnoreTerm   bool          // ignore SIGTERM, SIGINT and SIGHUP
	Stopped      bool          // stop itself by SIGSTOP
	Linger       time.Duration // how long to go on after the parent
	ForkOnStop   int           // processes to start when told to stop
	TTL          time.Duration // the end in any case; 0: none

	Setsid, CleanEnv, Devnull bool // how the parent starts it

	Placed int // the descriptor that it closes when it is what it is to be, its children too
}

// placed tells the parent so.
func (spec workerSpec) placed() { _ = syscall.Close(spec.Placed) }

// isWorker reports whether this process was started as a part of a simulated server's tree.
func isWorker() bool { return len(os.Args) > 1 && os.Args[1] == workerArg }

// WorkerMain turns this process into a part of a simulated server's process tree when it was
// started as one, and then never returns. Every program that calls Serve calls it before
// anything else in main; a test binary does so in TestMain.
func WorkerMain() {
	if !isWorker() {
		return
	}
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		os.Exit(1) // the parent has gone before it could say anything
	}
	var spec workerSpec
	if err := json.Unmarshal(line, &spec); err != nil {
		fmt.Fprintf(os.Stderr, "servematrix sim: worker: %v\n", err)
		os.Exit(1)
	}
	syscall.CloseOnExec(spec.Placed)
	if spec.Exit {
		os.Exit(0)
	}
	if spec.Serve != nil {
		spec.serve()
	}
	os.Exit(spec.work(in))
}

// work is the life of a worker process.
func (spec workerSpec) work(lifeline *bufio.Reader) int {
	setComm(spec.Title)
	stop := make(chan os.Signal, 1)
	switch {
	case spec.IgnoreTerm:
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	case spec.ForkOnStop > 0:
		signal.Notify(stop, syscall.SIGTERM)
	}
	var children []*child
	for _, c := range spec.Children {
		started, err := c.start(os.Stdout, os.Stderr, nil)
		if err != nil {
			fmt.Fprintf(os.Stderr, "servematrix sim: %s: %v\n", spec.Title, err)
			return 1
		}
		children = append(children, started)
	}
	for _, c := range children {
		c.await()
	}
	spec.placed()
	if spec.Title == "" && len(spec.Children) > 0 {
		return 0 // the middle process of a double fork
	}
	if spec.Stopped {
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) // cannot fail: it is our own process
	}
	var orphaned chan struct{} // nil, never ready, for a process that does not mind
	if !spec.IgnoreParent || spec.ForkOnStop > 0 {
		orphaned = make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, lifeline) // an error is the end of the parent, too
			close(orphaned)
		}()
	}
	var ttl <-chan time.Time
	if spec.TTL > 0 {
		ttl = time.After(spec.TTL)
	}
	select {
	case <-ttl:
		return 0
	case <-stop:
	case <-orphaned:
	}
	if spec.ForkOnStop > 0 {
		spec.forkOnStop()
		<-ttl
		return 0
	}
	time.Sleep(spec.Linger)
	runtime.KeepAlive(children) // their lifelines end here
	return 0
}

// forkOnStop starts processes one after another while the supervisor kills: each of them only
// waits. The number is bounded, and so is their time.
func (spec workerSpec) forkOnStop() {
	for range spec.ForkOnStop {
		one := workerSpec{Title: spec.Title, IgnoreParent: true, TTL: spec.TTL}
		if _, err := one.start(os.Stdout, os.Stderr, nil); err != nil {
			return // no more processes to be had, which is an end as well
		}
	}
}

// child is a started process of the tree.
type child struct {
	cmd      *exec.Cmd
	lifeline io.WriteCloser
	title    string
	there    *os.File // ends when it is what it is to be
}

// await waits until the process is what it is to be, or has ended.
func (c *child) await() {
	_, _ = io.Copy(io.Discard, c.there) // an error is an end, too
	_ = c.there.Close()
}

// start starts the process that spec describes. Files of extra are inherited from descriptor 3.
func (spec workerSpec) start(stdout, stderr io.Writer, extra []*os.File) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find the own binary: %w", err)
	}
	there, placed, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer placed.Close()
	spec.Placed = 3 + len(extra)
	line, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	title := cmp.Or(spec.Title, "python3")
	cmd := &exec.Cmd{Path: self, Args: []string{title, workerArg}, ExtraFiles: append(slices.Clip(extra), placed)}
	if spec.CleanEnv {
		cmd.Env = []string{}
	}
	if spec.Setsid {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	if !spec.Devnull {
		cmd.Stdout, cmd.Stderr = asFile(stdout), asFile(stderr)
	}
	lifeline, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start a worker process: %w", err)
	}
	if _, err := lifeline.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("cannot tell a worker process what to do: %w", err)
	}
	return &child{cmd: cmd, lifeline: lifeline, title: title, there: there}, nil
}

// asFile passes real files on to a child and nothing else: a pipe copied by a goroutine would
// make the parent wait for the child.
func asFile(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok {
		return f
	}
	return nil
}
