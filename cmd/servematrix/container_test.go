//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

const hanging = `version: 1
name: boxed
server: {command: "servematrix sim serve --port ${{ late.port }} --startup 50ms --workers 1 --stop-poll 10ms"}
client: {command: "sleep 600"}
`

// As the first process of a container it reaps what others leave there and ends
// nothing of it, not even when a guard is killed; SIGTERM ends the run in order.
func TestFirstProcessOfAContainer(t *testing.T) {
	dir, program := t.TempDir(), named(t)
	if err := os.WriteFile(filepath.Join(dir, "sweep.yaml"), []byte(hanging), 0o600); err != nil {
		t.Fatal(err)
	}
	box := exec.Command("sh", "-c", `mount --make-rprivate / && mount -t proc proc /proc && exec "$0" run sweep.yaml --progress plain`, program)
	box.Dir = dir
	var said bytes.Buffer
	box.Stderr = &said
	box.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS}
	if err := box.Start(); err != nil {
		t.Skipf("no container can be made here: %v", err)
	}
	defer box.Process.Kill()
	journal := filepath.Join(dir, "runs/*/events.jsonl")
	if !eventually(func() bool { return holds(journal, "client.started") }) {
		if strings.Contains(said.String(), "mount: ") {
			t.Skipf("no container can be made here: %s", said.String())
		}
		t.Fatalf("the run does not begin; it said:\n%s", said.String())
	}

	first := box.Process.Pid
	enter := exec.Command("nsenter", "-t", strconv.Itoa(first), "-p", "-m", "sh", "-c", "setsid sleep 599 >/dev/null 2>&1 & setsid true & exit 0")
	if out, err := enter.CombinedOutput(); err != nil {
		t.Skipf("nsenter: %v: %s", err, out)
	}
	var stranger int
	await := func(what string, done func() bool) {
		t.Helper()
		if !eventually(done) {
			t.Fatalf("waited in vain for %s; it said:\n%s\nchildren of the first process: %v", what, said.String(), children(first))
		}
	}
	await("the stranger alone beside the orchestrator", func() bool {
		all := children(first)
		for _, p := range all {
			if p.comm == "sleep" {
				stranger = p.pid
			}
		}
		return stranger != 0 && len(all) == 2
	})
	var orchestrator int
	for _, p := range children(first) {
		if p.pid != stranger {
			orchestrator = p.pid
		}
	}
	for _, p := range children(orchestrator) {
		if p.comm == "servematrix-gua" {
			// The end of one guard may bring that of another before its turn.
			if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Fatal(err)
			}
		}
	}
	await("the end of the guards' trees", func() bool { return holds(journal, "guard-lost") })
	if err := syscall.Kill(stranger, 0); err != nil {
		t.Errorf("a process of somebody else was ended: %v", err)
	}

	if err := box.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err := box.Wait()
	if code := box.ProcessState.ExitCode(); code != 143 || !holds(journal, `"exit_code":143`) {
		t.Errorf("it ended with %v (exit code %d), want 143, in order; it said:\n%s", err, code, said.String())
	}
}

// named is this test binary under the program's name, by which it knows what to be.
func named(t *testing.T) string {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "servematrix")
	if err := os.WriteFile(path, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

type child struct {
	pid  int
	comm string
}

// children are those of a process, zombies included.
func children(pid int) (all []child) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		text := string(raw)
		comm := text[strings.IndexByte(text, '(')+1 : strings.LastIndexByte(text, ')')]
		var state string
		var parent int
		fmt.Sscan(text[strings.LastIndexByte(text, ')')+1:], &state, &parent)
		if parent == pid {
			n, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			all = append(all, child{n, comm})
		}
	}
	return all
}
