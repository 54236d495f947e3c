package sim

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// proc is a server in a process of its own.
type proc struct {
	t    *testing.T
	cmd  *exec.Cmd
	log  string // file with both streams
	port int
	url  string
	exit chan struct{} // closed when the leader has ended
}

// mark is in the environment of all processes that a test starts; those with a clean
// environment are found as our children, since the test process is a subreaper.
const mark = "SIM_TEST_MARK"

// spawn starts the test binary as a server with its log in a file.
func spawn(t *testing.T, env []string, args ...string) *proc {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	ln.Close()
	p := &proc{t: t, port: port, url: fmt.Sprintf("http://127.0.0.1:%d", port), exit: make(chan struct{}), log: filepath.Join(t.TempDir(), "log")}
	file, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p.cmd = exec.Command(os.Args[0], append([]string{"--port", strconv.Itoa(port), "--startup", "20ms", "--stop-poll", "10ms", "--fault-ttl", "60s"}, args...)...)
	p.cmd.Env = append(append(os.Environ(), serveEnv+"=1"), env...)
	p.cmd.Stdout, p.cmd.Stderr = file, file
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // judged by ProcessState
		close(p.exit)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it has ended in most tests
		<-p.exit
		sweep(t)
	})
	return p
}

// sweep kills and reaps all that a test left behind.
func sweep(t *testing.T) {
	t.Helper()
	eventually(t, "no child is left", func() bool {
		left := children(os.Getpid())
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended just now
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
		return len(left) == 0
	})
}

// stat gives fields of /proc/PID/stat: name, state, and from the parent's pid on.
func stat(pid int) (comm, state string, rest []string) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", "", nil
	}
	open, shut := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
	fields := strings.Fields(string(text[shut+1:]))
	return string(text[open+1 : shut]), fields[0], fields[1:]
}

func session(pid int) string { _, _, rest := stat(pid); return rest[2] }

// children gives the processes whose parent is pid.
func children(pid int) []int {
	entries, _ := os.ReadDir("/proc")
	var list []int
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if _, _, rest := stat(child); rest != nil && rest[0] == strconv.Itoa(pid) {
			list = append(list, child)
		}
	}
	return list
}

// named gives those of pids that live and have the name.
func named(pids []int, comm string) []int {
	return slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		name, state, _ := stat(pid)
		return name != comm || state == "Z"
	})
}

func (p *proc) ready() *proc {
	p.t.Helper()
	eventually(p.t, "health", func() bool { return p.health() == 200 })
	return p
}

// health gives the status of /health, 0 where nobody answers.
func (p *proc) health() int {
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(p.url + "/health")
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

func (p *proc) text() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// ends waits for the leader and checks how it ended: by a signal, or with a code.
func (p *proc) ends(code int, signal syscall.Signal) {
	p.t.Helper()
	select {
	case <-p.exit:
	case <-time.After(20 * time.Second):
		p.t.Fatalf("the leader does not end; log\n%s", p.text())
	}
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() != (signal != 0) || status.Signaled() && status.Signal() != signal || status.Exited() && status.ExitStatus() != code {
		p.t.Errorf("the leader ended with %v, want code %d or signal %v; log\n%s", p.cmd.ProcessState, code, signal, p.text())
	}
}

func (p *proc) signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}

// alone waits until nothing of the tree is left but what has to be reaped by us.
func alone(t *testing.T) {
	t.Helper()
	eventually(t, "the tree is gone", func() bool {
		for _, pid := range children(os.Getpid()) {
			if _, state, _ := stat(pid); state != "Z" {
				return false
			}
		}
		return true
	})
}

func TestSGLangTree(t *testing.T) {
	p := spawn(t, nil, "--workers", "2").ready()
	eventually(t, "four processes below the leader", func() bool {
		below := children(p.cmd.Process.Pid)
		return len(below) == 4 && len(named(below, "sglang::schedul")) == 2 && len(named(below, "sglang::detoken")) == 1 && len(named(below, "python3")) == 1
	})
	for _, pid := range children(p.cmd.Process.Pid) {
		if session(pid) != session(p.cmd.Process.Pid) {
			t.Error("a child has left the session")
		}
	}
	p.signal(syscall.SIGTERM)
	p.ends(0, syscall.SIGKILL)
	alone(t)
	inOrder(t, p.text(), "SIGTERM received. signum=None", "Gracefully exiting... Remaining number of requests 0")
}

// below waits for the one child of the leader that has this name.
func (p *proc) below(comm string) (pids []int) {
	p.t.Helper()
	eventually(p.t, comm, func() bool {
		pids = named(children(p.cmd.Process.Pid), comm)
		return len(pids) == 1
	})
	return pids
}

func (p *proc) core() []int { return p.below("VLLM::EngineCor") }

func TestVLLMTree(t *testing.T) {
	p := spawn(t, nil, "--style", "vllm", "--workers", "2").ready()
	core := p.core()
	eventually(t, "two workers below EngineCore", func() bool { return len(named(children(core[0]), "VLLM::Worker_TP")) == 2 })
	if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", core[0])); err != nil || len(env) != 0 {
		t.Errorf("the environment of EngineCore shows: %d bytes, %v", len(env), err)
	}
	p.signal(syscall.SIGTERM)
	p.ends(0, 0)
	alone(t)

	p = spawn(t, []string{"SPT_NOENV=1", mark + "=here"}, "--style", "vllm").ready()
	core = p.core()
	if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", core[0])); err != nil || !strings.Contains(string(env), mark+"=here") {
		t.Errorf("with SPT_NOENV the environment of EngineCore does not show: %v", err)
	}
	p.signal(syscall.SIGINT)
	p.ends(0, 0)
	alone(t)
}

func TestSIGINTIsOrderlyForSGLang(t *testing.T) {
	p := spawn(t, nil).ready()
	p.signal(syscall.SIGINT)
	p.ends(0, 0)
	alone(t)
}

func TestSIGTERMDrainsForSGLang(t *testing.T) {
	p := spawn(t, nil).ready()
	answer := make(chan string, 1)
	go func() {
		s := &instance{t: t, url: p.url}
		events := s.events("/v1/completions", `{"prompt":"x","max_tokens":100,"ignore_eos":true,"stream":true}`)
		answer <- events[len(events)-1]
	}()
	eventually(t, "the request", func() bool { return strings.Contains(p.text(), "POST /v1/completions") })
	p.signal(syscall.SIGTERM)
	if last := <-answer; last != "[DONE]" {
		t.Errorf("the answer ended with %s", last)
	}
	p.ends(0, syscall.SIGKILL)
}

func TestSignalsWhileLoading(t *testing.T) {
	for _, style := range []string{SGLang, VLLM} {
		p := spawn(t, nil, "--style", style, "--startup", "1h")
		eventually(t, "the first lines", func() bool { return strings.Contains(p.text(), "args") })
		p.signal(syscall.SIGTERM)
		p.ends(0, syscall.SIGTERM)
		alone(t)
	}
	p := spawn(t, nil, "--startup", "1s", "--fault", "lost-term")
	eventually(t, "the first lines", func() bool { return strings.Contains(p.text(), "server_args") })
	p.signal(syscall.SIGTERM)
	p.ready()
}

func TestWorkersEndWithTheirLeader(t *testing.T) {
	for _, style := range []string{SGLang, VLLM} {
		p := spawn(t, nil, "--style", style, "--workers", "2").ready()
		p.signal(syscall.SIGKILL)
		p.ends(0, syscall.SIGKILL)
		alone(t)
	}
}

func TestDeathOfAWorker(t *testing.T) {
	p := spawn(t, nil).ready()
	kill(t, p.below("sglang::schedul"))
	p.ends(0, syscall.SIGKILL)
	inOrder(t, p.text(), "Received sigquit from a child process")

	p = spawn(t, nil, "--style", "vllm").ready()
	kill(t, p.core())
	p.ends(0, 0)
	inOrder(t, p.text(), "EngineDeadError")

	p = spawn(t, nil, "--fault", "worker-dies").ready()
	go func() { // gets no answer
		client := http.Client{Timeout: time.Second}
		if response, err := client.Post(p.url+"/v1/completions", "application/json", strings.NewReader(`{"prompt":"x"}`)); err == nil {
			response.Body.Close()
		}
	}()
	eventually(t, "a worker is gone and the leader unhealthy", func() bool {
		return len(named(children(p.cmd.Process.Pid), "sglang::schedul")) == 0 && p.health() == 503
	})
}

func kill(t *testing.T, pids []int) {
	t.Helper()
	if len(pids) != 1 {
		t.Fatalf("processes to kill: %v", pids)
	}
	if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
