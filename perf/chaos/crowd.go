package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// crowd are innocent processes that look like what is ended: they bear the names
// of engines' processes, or the marker of a run that lives.
type crowd struct {
	lock *os.File
	who  []proc
	cmds []*exec.Cmd
}

func newCrowd(root string) (*crowd, error) {
	live := filepath.Join(root, "live-run")
	if err := os.MkdirAll(live, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.Create(filepath.Join(live, "run.lock"))
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return nil, err
	}
	c := &crowd{lock: lock}
	for _, look := range []struct{ title, env string }{
		{"sglang::scheduler_TP0", ""},
		{"VLLM::EngineCore", ""},
		{"servematrix", ""},
		{"VLLM::Worker", "SERVEMATRIX_RUN=" + live},
	} {
		path, err := exec.LookPath("sleep")
		if err != nil {
			return nil, err
		}
		cmd := &exec.Cmd{Path: path, Args: []string{look.title, "86400"}, Dir: "/", Env: []string{"PATH=/bin", look.env}, SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
		children.Lock()
		err = cmd.Start()
		if err == nil {
			children.own[cmd.Process.Pid] = true
		}
		children.Unlock()
		if err != nil {
			c.end()
			return nil, err
		}
		p, _ := readStat(cmd.Process.Pid)
		p.args = look.title
		c.who, c.cmds = append(c.who, p), append(c.cmds, cmd)
	}
	return c, nil
}

// intact fails when one of them was ended.
func (c *crowd) intact() error {
	for _, p := range c.who {
		if !p.identity.alive() {
			return fmt.Errorf("an innocent process was ended: %s", p.args)
		}
	}
	return nil
}

func (c *crowd) end() {
	for _, cmd := range c.cmds {
		_ = cmd.Process.Kill()
		wait(cmd)
	}
	_ = c.lock.Close()
}
