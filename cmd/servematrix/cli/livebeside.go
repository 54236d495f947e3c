package cli

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"servematrix/journal"
	"servematrix/live"
)

// livePort is the value of --live: off, any free port, or a port.
type livePort struct {
	on   bool
	port int
}

// anyPort is what --live without a value stands for.
const anyPort = "any"

func (p *livePort) Type() string { return "port" }

func (p *livePort) String() string {
	switch {
	case !p.on:
		return ""
	case p.port == 0:
		return anyPort
	}
	return strconv.Itoa(p.port)
}

func (p *livePort) Set(text string) error {
	port := 0
	if text != anyPort {
		var err error
		if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return fmt.Errorf("%q is no port", text)
		}
	}
	p.on, p.port = true, port
	return nil
}

func addLiveFlag(f *pflag.FlagSet, p *livePort) {
	f.Var(p, "live", "serve the report as a page that grows, on 127.0.0.1 while the run goes on (as servematrix live); --live=8080 chooses the port")
	f.Lookup("live").NoOptDefVal = anyPort
}

// livePage is the page of a run: a process of its own, so that it costs the run nothing. The zero
// of *livePage is none.
type livePage struct {
	listener net.Listener
	cmd      *exec.Cmd
	stdin    io.Closer
	gone     chan struct{}
}

// open takes the port, before anything of the run begins.
func (p livePort) open() (*livePage, error) {
	if !p.on {
		return nil, nil
	}
	l, err := listenLive(p.port)
	if err != nil {
		return nil, err
	}
	return &livePage{listener: l}, nil
}

// begin starts the process. A run does not end because its page cannot be served.
func (p *livePage) begin(env Env, folder journal.Folder, stderr io.Writer) {
	if p == nil {
		return
	}
	token := live.NewToken()
	if err := p.start(env, folder, token); err != nil {
		fmt.Fprintf(stderr, "servematrix: there is no live page: %v\n", err)
		return
	}
	tellLink(env, stderr, live.Link(p.listener.Addr(), token), p.listener.Addr())
}

func (p *livePage) start(env Env, folder journal.Folder, token string) error {
	tcp, ok := p.listener.(*net.TCPListener)
	if !ok {
		return fmt.Errorf("a %T cannot be handed on", p.listener)
	}
	file, err := tcp.File()
	if err != nil {
		return err
	}
	defer file.Close()
	cmd := exec.Command(env.Exe, "live", string(folder), "--attached")
	cmd.Dir, cmd.Env, cmd.ExtraFiles = env.Dir, env.Env, []*os.File{file}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the run, which ends it
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	_ = p.listener.Close() // it is the other's now
	p.cmd, p.stdin, p.gone = cmd, stdin, make(chan struct{})
	go func() {
		defer close(p.gone)
		_ = cmd.Wait() // nothing depends on how it ended
	}()
	_, err = io.WriteString(stdin, token+"\n")
	return err
}

// liveEnd is how long the page has to give its last state to who looks, also where the run was
// interrupted, and liveEndMost where it was not: the last drawing of a large run takes its time.
const (
	liveEnd     = 6 * time.Second
	liveEndMost = live.FinishMost + liveEnd
)

// end lets the page tell that the run is over, and waits until its process is gone; who interrupts
// has waited enough.
func (p *livePage) end(interrupted <-chan struct{}) {
	if p == nil {
		return
	}
	_ = p.listener.Close()
	if p.cmd == nil {
		return
	}
	_ = p.stdin.Close()
	if !p.goneIn(liveEnd, nil) && !p.goneIn(liveEndMost-liveEnd, interrupted) {
		_ = p.cmd.Process.Kill() // our child, not waited for yet: the pid is its own
		<-p.gone
	}
	p.cmd = nil
}

// goneIn waits for the process to be gone.
func (p *livePage) goneIn(most time.Duration, interrupted <-chan struct{}) bool {
	select {
	case <-p.gone:
		return true
	case <-interrupted:
		return false
	case <-time.After(most):
		return false
	}
}
