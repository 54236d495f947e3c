package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Used is what a client's process took, with its children that it waited for.
type Used struct {
	// Started is CLOCK_MONOTONIC just before the process was started, in nanoseconds.
	Started int64
	Wall    time.Duration
	// CPU is user and system time, as wait4(2) tells it.
	CPU time.Duration
	// Peak is the most resident memory of the process itself, in bytes (VmHWM, looked at
	// while it ran).
	Peak int64
}

// Run runs a client on a workload at url and gives what it says and what it took. The client, and
// whatever it started, is gone when Run returns.
func (c Client) Run(ctx context.Context, url string, w Workload) (Said, Used, error) {
	dir, err := os.MkdirTemp("", "client-")
	if err != nil {
		return Said{}, Used{}, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "result.json")
	args, env := c.command(url, w, out)
	used, output, err := Exec(ctx, dir, args, env, nil)
	if err != nil {
		return Said{}, used, fmt.Errorf("%s: %w: …%s", c.Name, err, tail(output))
	}
	said, err := c.read(out, w)
	if err != nil {
		return said, used, fmt.Errorf("%s: %w: …%s", c.Name, err, tail(output))
	}
	return said, used, nil
}

// Exec runs a command in dir and gives what it took and what it wrote. watch, if given, is called
// with each look at its resident memory.
func Exec(ctx context.Context, dir string, args, env []string, watch func(at time.Duration, resident int64)) (Used, []byte, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	// A group of its own, so that all of it can be ended; and it ends with this program.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return Used{}, nil, err
	}
	used := Used{Started: now.Nano()}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return used, nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }() // what it may have left in its group
	looks := time.NewTicker(10 * time.Millisecond)
	defer looks.Stop()
	for {
		select {
		case err := <-ended:
			used.Wall = time.Since(began)
			used.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			return used, output.Bytes(), err
		case <-ctx.Done():
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
			return used, output.Bytes(), errors.Join(ctx.Err(), errors.New("it was ended"))
		case <-looks.C:
			resident, peak := memory(cmd.Process.Pid)
			used.Peak = max(used.Peak, peak)
			if watch != nil && resident > 0 {
				watch(time.Since(began), resident)
			}
		}
	}
}

// memory reads VmRSS and VmHWM of a process, in bytes; 0 where it has ended. ru_maxrss will not do:
// it counts what the parent had when it forked.
func memory(pid int) (resident, peak int64) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		kB, _ := strconv.ParseInt(fields[0], 10, 64)
		switch name {
		case "VmRSS":
			resident = kB << 10
		case "VmHWM":
			peak = kB << 10
		}
	}
	return resident, peak
}

// Command is the command line with which the client is run.
func (c Client) Command(url string, w Workload, out string) (args, env []string) {
	return c.command(url, w, out)
}

func tail(output []byte) string {
	text := strings.TrimSpace(string(output))
	return text[max(0, len(text)-1000):]
}
