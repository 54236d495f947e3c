package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// role is the variable of the environment that makes a program this server.
const role = "SERVEMATRIX_PACE"

// config is what a child is told in that variable.
type config struct {
	Options
	Fault string
	Every int
}

// Child is a server in a process of its own.
type Child struct {
	URL   string
	PID   int
	cmd   *exec.Cmd
	stdin io.Closer
}

// Main makes this process the server if Start began it, and does not return then. A program that
// calls Start calls it first.
func Main() {
	text := os.Getenv(role)
	if text == "" {
		return
	}
	var c config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		fail(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err)
	}
	fmt.Println("http://" + l.Addr().String())
	stop := make(chan struct{})
	go func() { // who started it has ended, or wants it ended
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(stop)
		l.Close()
	}()
	if c.Fault != "" {
		err = ServeFaults(l, c.Options, c.Fault, c.Every)
	} else {
		err = Serve(l.(*net.TCPListener), c.Options, stop)
	}
	if err != nil {
		fail(err)
	}
	os.Exit(0)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "pace:", err)
	os.Exit(1)
}

// Start starts a server at a free port of loopback.
func Start(opt Options) (*Child, error) { return spawn(config{Options: opt}) }

// StartFault starts one that answers each every-th request for text with a fault.
func StartFault(opt Options, fault string, every int) (*Child, error) {
	return spawn(config{Options: opt, Fault: fault, Every: every})
}

func spawn(c config) (*Child, error) {
	me, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(me)
	cmd.Env = append(os.Environ(), role+"="+string(text), "GOGC=400")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the program, which ends it
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	child := &Child{PID: cmd.Process.Pid, cmd: cmd, stdin: stdin}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		child.Close()
		return nil, fmt.Errorf("the server did not start: %w", err)
	}
	child.URL = strings.TrimSpace(line)
	return child, nil
}

// Truth asks what the server did since it started or since Clear.
func (c *Child) Truth() (Truth, error) {
	var t Truth
	return t, c.ask("/truth", &t)
}

// Clear makes it forget what it did.
func (c *Child) Clear() error { return c.ask("/truth/clear", &struct{}{}) }

func (c *Child) ask(path string, into any) error {
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(c.URL + path)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return json.NewDecoder(response.Body).Decode(into)
}

// Close ends the server.
func (c *Child) Close() {
	_ = c.stdin.Close()
	_ = c.cmd.Wait() // how it ended does not matter: a fault may have ended it before
}
