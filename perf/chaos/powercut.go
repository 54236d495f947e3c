package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// powerCut ends everything at once without any clean-up, and does to the run
// folder what a disk that was cut off may: what was not synced is gone, torn or
// full of zeros.
func (r *session) powerCut(k *strike) error {
	r.id.signal(syscall.SIGSTOP)
	for limit := time.Now().Add(cleanLimit); ; {
		c := r.cast()
		signalAll(c.guards, syscall.SIGSTOP) // a guard writes down how its tree ended
		rest := 0
		for _, p := range c.all {
			if p.identity != r.id {
				p.signal(syscall.SIGKILL)
				rest++
			}
		}
		if rest == 0 {
			break
		}
		if time.Now().After(limit) {
			return fmt.Errorf("%v outlive SIGKILL", c.all)
		}
	}
	r.id.signal(syscall.SIGKILL)
	<-r.exited
	r.loseSegments()
	if r.code >= 0 || r.journal() == "" { // it had come to its end, and that is synced
		return nil
	}
	if err := r.loseJournal(); err != nil {
		return err
	}
	return filepath.WalkDir(r.folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || r.rng.IntN(2) == 0 {
			return err
		}
		switch name := entry.Name(); {
		case name == "guard.json", strings.HasPrefix(name, "results."), strings.HasPrefix(name, "report."), strings.HasSuffix(name, ".out"), strings.HasSuffix(name, ".err"):
			return r.lose(path, 0)
		}
		return nil
	})
}

// loseJournal takes back lines that were not synced, and perhaps tears one.
func (r *session) loseJournal() error {
	raw, err := os.ReadFile(r.journal())
	if err != nil {
		return err
	}
	safe, offset := 0, 0
	for line := range strings.Lines(string(raw)) {
		offset += len(line)
		for name := range durable {
			if strings.HasSuffix(line, "\n") && strings.Contains(line, `"type":"`+name+`"`) {
				safe = offset
			}
		}
	}
	return r.lose(r.journal(), safe)
}

// lose cuts a file at a random byte behind what is safe; half of the time zeros
// stand where the rest was, as after a crash in which only the length was written.
func (r *session) lose(path string, safe int) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	cut := int64(safe)
	if n := info.Size() - int64(safe); n > 0 {
		cut += r.rng.Int64N(n + 1)
	}
	if err := os.Truncate(path, cut); err != nil {
		return err
	}
	if r.rng.IntN(2) == 0 {
		return nil
	}
	return os.Truncate(path, info.Size())
}
