package sim

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// survivors waits until the leader's children have become ours, and gives the live ones.
func survivors(t *testing.T, comm string, want int) []int {
	t.Helper()
	var left []int
	eventually(t, fmt.Sprintf("%d orphans named %s", want, comm), func() bool {
		left = named(children(os.Getpid()), comm)
		return len(left) == want
	})
	return left
}

func TestStrayChildren(t *testing.T) {
	for _, c := range []struct {
		faults string // comma-separated
		check  func(t *testing.T, p *proc, pid int)
	}{
		{"children-orphan", func(t *testing.T, p *proc, pid int) {
			if session(pid) != session(os.Getpid()) {
				t.Error("it has left the session")
			}
		}},
		{"children-setsid", func(t *testing.T, p *proc, pid int) {
			if session(pid) != strconv.Itoa(pid) {
				t.Errorf("its session is %s", session(pid))
			}
		}},
		{"children-double-fork", func(t *testing.T, p *proc, pid int) {}},
		{"children-ignore-term", func(t *testing.T, p *proc, pid int) {
			if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			if err != nil {
				t.Fatal(err)
			}
			_, after, _ := strings.Cut(string(status), "SigIgn:\t")
			ignored, err := strconv.ParseUint(after[:16], 16, 64)
			for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
				if err != nil || ignored&(1<<(sig-1)) == 0 {
					t.Errorf("%v is not ignored: %x, %v", sig, ignored, err)
				}
			}
		}},
		{"children-clean-env", func(t *testing.T, p *proc, pid int) {
			if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err != nil || len(env) != 0 {
				t.Errorf("its environment: %q, %v", env, err)
			}
		}},
		{"children-devnull,children-double-fork,children-setsid,children-clean-env", func(t *testing.T, p *proc, pid int) {
			for fd := range 3 {
				if target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd)); err != nil || strings.Contains(target, p.log) {
					t.Errorf("descriptor %d is %s, %v", fd, target, err)
				}
			}
			if session(pid) != strconv.Itoa(pid) {
				t.Errorf("its session is %s", session(pid))
			}
		}},
	} {
		t.Run(c.faults, func(t *testing.T) {
			var args []string
			for f := range strings.SplitSeq(c.faults, ",") {
				args = append(args, "--fault", f)
			}
			p := spawn(t, nil, args...).ready()
			if strings.Contains(c.faults, "double-fork") {
				survivors(t, "sglang::schedul", 1) // reparented while the leader lives
			}
			p.signal(syscall.SIGTERM)
			p.ends(0, syscall.SIGKILL)
			for _, comm := range []string{"sglang::schedul", "sglang::detoken"} {
				for _, pid := range survivors(t, comm, 1) {
					c.check(t, p, pid)
				}
			}
		})
	}
}

func TestVLLMStrays(t *testing.T) {
	p := spawn(t, nil, "--style", "vllm", "--fault", "children-orphan").ready()
	p.signal(syscall.SIGKILL) // as measured: the engine outlives the API server
	p.ends(0, syscall.SIGKILL)
	core := survivors(t, "VLLM::EngineCor", 1)
	eventually(t, "its worker lives, too", func() bool { return len(named(children(core[0]), "VLLM::Worker")) == 1 })
}

func TestChildrenLinger(t *testing.T) {
	p := spawn(t, nil, "--fault", "children-linger=300ms").ready()
	p.signal(syscall.SIGTERM)
	p.ends(0, syscall.SIGKILL)
	survivors(t, "sglang::schedul", 1)
	alone(t)
}

func TestStoppedChild(t *testing.T) {
	p := spawn(t, nil, "--fault", "child-stopped").ready()
	stopped := func(parent int) bool {
		for _, pid := range children(parent) {
			if _, state, _ := stat(pid); state == "T" {
				return true
			}
		}
		return false
	}
	eventually(t, "a stopped child", func() bool { return stopped(p.cmd.Process.Pid) })
	p.signal(syscall.SIGTERM)
	p.ends(0, syscall.SIGKILL)
	eventually(t, "it outlives the leader", func() bool { return stopped(os.Getpid()) })
}

func TestChildHoldsPort(t *testing.T) {
	p := spawn(t, nil, "--fault", "child-holds-port").ready()
	p.signal(syscall.SIGTERM)
	p.ends(0, syscall.SIGKILL)
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.port))
	if err != nil {
		t.Fatalf("the port is free: %v", err)
	}
	conn.Close()
}

func TestForkOnStop(t *testing.T) {
	p := spawn(t, nil, "--fault", "fork-on-stop=5").ready()
	p.signal(syscall.SIGTERM)
	p.ends(0, syscall.SIGKILL)
	eventually(t, "five processes started during the stop", func() bool {
		n := 0
		for _, pid := range children(os.Getpid()) {
			n += len(children(pid))
		}
		return n == 5
	})
	for _, pid := range children(os.Getpid()) { // the forker goes, and its children become ours
		for _, child := range children(pid) {
			_ = syscall.Kill(child, syscall.SIGKILL)
		}
	}
}

func TestZombies(t *testing.T) {
	p := spawn(t, nil, "--fault", "zombie-child").ready()
	eventually(t, "a zombie", func() bool {
		for _, pid := range children(p.cmd.Process.Pid) {
			if _, state, _ := stat(pid); state == "Z" {
				return true
			}
		}
		return false
	})
	p.signal(syscall.SIGTERM)
	p.ends(0, syscall.SIGKILL)
	alone(t)

	p = spawn(t, nil, "--fault", "zombie-main=500ms").ready()
	if _, state, _ := stat(p.cmd.Process.Pid); state == "Z" {
		t.Error("it looks like a zombie before the stop")
	}
	began := time.Now()
	p.signal(syscall.SIGTERM)
	eventually(t, "the main thread is a zombie", func() bool { _, state, _ := stat(p.cmd.Process.Pid); return state == "Z" })
	select {
	case <-p.exit:
		t.Errorf("it could be reaped after %v", time.Since(began))
	default:
	}
	p.ends(0, syscall.SIGKILL)
}

func TestForkAndExit(t *testing.T) {
	p := spawn(t, nil, "--fault", "fork-and-exit")
	p.ends(0, 0)
	p.ready()
	eventually(t, "the server is our child", func() bool { return len(children(os.Getpid())) == 1 })
	server := children(os.Getpid())[0]
	if err := syscall.Kill(server, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(server, &status, 0, nil); err != nil || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		t.Errorf("the server behind ended with %v, %v", status, err)
	}
}

func TestStopFaults(t *testing.T) {
	p := spawn(t, nil, "--fault", "ignore-term").ready()
	p.signal(syscall.SIGTERM)
	p.signal(syscall.SIGINT)
	if status := p.health(); status != 200 {
		t.Errorf("/health says %d", status)
	}
	p.signal(syscall.SIGKILL)
	p.ends(0, syscall.SIGKILL)

	p = spawn(t, nil, "--style", "vllm", "--fault", "exit-late=400ms", "--fault", "exit-code=5").ready()
	began := time.Now()
	p.signal(syscall.SIGTERM)
	p.ends(5, 0)
	if took := time.Since(began); took < 400*time.Millisecond {
		t.Errorf("it took only %v", took)
	}

	p = spawn(t, nil, "--fault", "exit-code=ABRT").ready()
	p.signal(syscall.SIGTERM)
	p.ends(0, syscall.SIGABRT)
}

func TestHangOnStreams(t *testing.T) {
	p := spawn(t, nil, "--style", "vllm", "--fault", "hang-on-streams").ready()
	end := (&instance{t: t, url: p.url}).busy()
	p.signal(syscall.SIGTERM)
	eventually(t, "it waits", func() bool {
		return strings.Contains(p.text(), "Waiting for connections to close. (CTRL+C to force quit)")
	})
	if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.port)); err == nil {
		conn.Close()
		t.Error("the port still listens")
	}
	p.signal(syscall.SIGINT)
	p.ends(0, 0)
	end()
}

func TestDeathByRequest(t *testing.T) {
	p := spawn(t, nil, "--fault", "die-after=1").ready()
	end := make(chan struct{})
	go func() {
		defer close(end)
		if response, err := http.Post(p.url+"/v1/completions", "application/json", strings.NewReader(`{"prompt":"x"}`)); err == nil {
			response.Body.Close()
		}
	}()
	p.ends(0, syscall.SIGKILL)
	<-end
	alone(t)
}

// What a server holds besides processes goes with an orderly end, and stays after SIGKILL.
func TestHoldings(t *testing.T) {
	for _, tt := range []struct {
		signal syscall.Signal
		left   int
	}{{syscall.SIGINT, 0}, {syscall.SIGKILL, 3}} {
		tmp := t.TempDir()
		p := spawn(t, []string{"TMPDIR=" + tmp}, "--fault", "hold-shm=2", "--fault", "hold-socket", "--fault", "hold-port")
		p.ready()
		held := slices.Concat(openFiles(t, p.cmd.Process.Pid, "/dev/shm/"), inFolder(t, tmp))
		if len(held) != 3 {
			t.Errorf("held: %q, want two segments and a socket", held)
		}
		t.Cleanup(func() {
			for _, path := range held {
				os.Remove(path)
			}
		})
		p.signal(tt.signal)
		<-p.exit
		left := slices.DeleteFunc(slices.Clone(held), func(path string) bool { _, err := os.Lstat(path); return err != nil })
		if len(left) != tt.left {
			t.Errorf("after %s: %q are left, want %d", tt.signal, left, tt.left)
		}
	}
}

// openFiles are the files below a folder that a process has open.
func openFiles(t *testing.T, pid int, folder string) (paths []string) {
	t.Helper()
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if path, err := os.Readlink(fd); err == nil && strings.HasPrefix(path, folder) {
			paths = append(paths, path)
		}
	}
	return paths
}

func inFolder(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
