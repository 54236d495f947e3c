package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// event is what this program reads of a line of events.jsonl.
type event struct {
	Seq     int64  `json:"seq"`
	Session int    `json:"session"`
	Type    string `json:"type"`
	Launch  string `json:"launch"`
	Cell    string `json:"cell"`
	Block   int    `json:"block"`
	Attempt int    `json:"attempt"`
	Data    struct {
		Port    int     `json:"port"`
		Status  any     `json:"status"` // a word, or a number of HTTP
		Seconds float64 `json:"seconds"`
		Message string  `json:"message"`
		Objects []struct {
			Path string `json:"path"`
		} `json:"objects"`
	} `json:"data"`
}

// unit is one cell in one block.
type unit struct {
	cell  string
	block int
}

// durable are the events that are synced before anything follows them: a power
// cut does not take them back.
var durable = map[string]bool{
	"run.started": true, "run.resumed": true, "launch.running": true, "sample.ended": true, "cell.skipped": true, "run.ended": true,
}

// tail reads the whole lines that a growing journal has got.
type tail struct{ offset int64 }

// skip passes over what is there.
func (t *tail) skip(path string) {
	if info, err := os.Stat(path); err == nil {
		t.offset = info.Size()
	}
}

func (t *tail) read(path string) (events []event) {
	f, err := os.Open(path)
	if err != nil {
		return nil // not there yet
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() < t.offset {
		t.offset = 0 // resume has cut a torn line off
	}
	if _, err := f.Seek(t.offset, io.SeekStart); err != nil {
		return nil
	}
	raw, err := io.ReadAll(f)
	if err != nil {
		return nil
	}
	for {
		line, rest, whole := bytes.Cut(raw, []byte{'\n'})
		if !whole {
			return events
		}
		var e event
		if json.Unmarshal(line, &e) == nil {
			events = append(events, e)
		}
		t.offset += int64(len(line)) + 1
		raw = rest
	}
}

// events reads a journal, less what a crash tore at its end.
func events(path string) (found []event, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(raw), "\n")
	for i, line := range lines {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil || !strings.HasSuffix(line, "\n") {
			if i < len(lines)-2 {
				return nil, fmt.Errorf("%s:%d: not an event: %q", path, i+1, line)
			}
			break
		}
		found = append(found, e)
	}
	return found, nil
}

func empty(journal string) bool {
	found, err := events(journal)
	return err == nil && len(found) == 0
}

// abandon puts a run folder without an event out of the way: run makes a new one.
func (s *scenario) abandon() {
	if s.folder != "" {
		_ = os.RemoveAll(s.folder)
		s.folder = ""
	}
}

// remember keeps the valid samples that the journal holds now: none of them may
// be lost, and none measured again.
func (s *scenario) remember() error {
	if s.journal() == "" {
		return nil
	}
	found, err := events(s.journal())
	if err != nil {
		return err
	}
	for i, e := range found {
		if e.Seq != int64(i)+1 {
			return fmt.Errorf("event %d of the journal has the number %d", i+1, e.Seq)
		}
		if e.Type != "sample.ended" || e.Data.Status != "ok" {
			continue
		}
		var sample row
		raw, err := os.ReadFile(filepath.Join(s.folder, "cells", e.Cell, fmt.Sprintf("b%d-a%d", e.Block, e.Attempt), "sample.json"))
		if err == nil {
			err = json.Unmarshal(raw, &sample)
		}
		if err != nil {
			return fmt.Errorf("a valid sample cannot be read: %w", err)
		}
		s.ok[unit{e.Cell, e.Block}] = sample.Extra.ID
	}
	return nil
}
