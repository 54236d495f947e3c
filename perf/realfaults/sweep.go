package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"servematrix/perf/program"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// sweep is one fault being played.
type sweep struct {
	engine   engine
	dir      string // working folder of the tool and all below it
	port     int
	tool     *exec.Cmd
	seen     *watched
	leader   int
	victim   proc
	stranger net.Listener
}

// outcome is what came of a fault.
type outcome struct {
	fault, class, message, stop string
	clean                       float64 // seconds from the fault until no process of the engine was left
	took                        float64 // seconds in all
	left, wrong                 []string
}

// play runs a sweep of one cell, does what the fault is at its stage, and looks.
func play(e engine, f fault) outcome {
	began := time.Now()
	dir, err := os.MkdirTemp("", "rf-") // short: sockets below it have names of at most 107 bytes
	program.Check(err)
	if !*keep {
		defer os.RemoveAll(dir)
	}
	if f.server != nil {
		e = f.server(e)
	}
	s := &sweep{engine: e, dir: dir, port: freePort()}
	tool := filepath.Join(dir, "servematrix")
	program.Check(copyFile(tool, *bin))
	temp := filepath.Join(dir, "t")
	program.Check(os.Mkdir(temp, 0o700))
	program.Check(os.WriteFile(filepath.Join(dir, "sweep.yaml"), s.text(f), 0o600))
	s.seen = watch(dir, tool)
	defer close(s.seen.stopped)
	if f.before != nil {
		program.Check(f.before(s))
	}
	s.tool = exec.Command(tool, "run", "sweep.yaml", "--out", "runs", "--progress", "plain")
	s.tool.Dir, s.tool.Env = dir, append(os.Environ(), "TMPDIR="+temp)
	var out bytes.Buffer
	s.tool.Stdout, s.tool.Stderr = io.Discard, &out
	program.Check(s.tool.Start())
	ended := make(chan struct{})
	go func() {
		_ = s.tool.Wait() // its state is read below
		close(ended)
	}()

	o := outcome{fault: f.name}
	struck := time.Now()
	if f.when != never {
		if err := s.reach(f.when, ended); err != nil {
			o.wrong = append(o.wrong, err.Error())
		} else {
			struck = time.Now()
			if err := f.strike(s); err != nil {
				o.wrong = append(o.wrong, err.Error())
			}
		}
	}
	select {
	case <-ended:
	case <-time.After(*limit):
		o.wrong = append(o.wrong, fmt.Sprintf("no end after %v: killed", *limit))
		program.Check(s.tool.Process.Kill())
		<-ended
	}
	exit := s.tool.ProcessState.ExitCode()
	for give := time.Now().Add(10 * time.Second); exit < 0 && s.seen.anyAlive() && time.Now().Before(give); {
		time.Sleep(50 * time.Millisecond) // it was killed: its guards clean up by themselves
	}
	if s.stranger != nil {
		program.Check(s.stranger.Close())
	}
	o.left = s.seen.left(temp, s.port)
	s.seen.Lock()
	o.clean = max(s.seen.last.Sub(struck).Seconds(), 0)
	s.seen.Unlock()
	s.read(&o)
	if exit == refused {
		o.class, o.message = "refused", out.String()
	}
	f.judge(&o, exit)
	o.took = time.Since(began).Seconds()
	if len(o.wrong) > 0 {
		fmt.Fprintf(os.Stderr, "-- %s %s\n%s\n", e.name, f.name, out.String())
	}
	if *keep {
		fmt.Fprintln(os.Stderr, "kept:", dir)
	}
	return o
}

// text is the sweep: a client that does nothing where the server has to be idle.
func (s *sweep) text(f fault) []byte {
	prompts := 4
	if f.when == busy {
		prompts = 400 // more than there is time for
	}
	client := fmt.Sprintf("servematrix bench --dataset-name random --base-url ${{ server.url }} --max-concurrency 4 --num-prompts %d %s", prompts, s.engine.load)
	if f.when == idle {
		client = "sleep 3600"
	}
	doc := map[string]any{
		"version": 1, "name": "realfaults",
		"server": map[string]any{"command": strings.ReplaceAll(s.engine.command(), "PORT", fmt.Sprint(s.port)), "port": s.port, "env": s.engine.env,
			"ready": map[string]any{"timeout": "8m"}},
		"client": map[string]any{"command": strings.Join(strings.Fields(client), " "), "silence": s.engine.silence, "timeout": "3m"},
		"run":    map[string]any{"retries": 0},
	}
	if s.engine.env == nil {
		delete(doc["server"].(map[string]any), "env")
	}
	data, err := yaml.Marshal(doc)
	program.Check(err)
	return data
}

// served is a progress line of the client after the first answers.
var served = regexp.MustCompile(`\| [1-9]\d*/\d+ \[`)

// reach waits for the stage.
func (s *sweep) reach(when stage, ended <-chan struct{}) error {
	deadline := time.After(*limit)
	wait := func(what string, until func() bool) error {
		for !until() {
			select {
			case <-ended:
				return fmt.Errorf("the run ended before %s", what)
			case <-deadline:
				return fmt.Errorf("no %s in time", what)
			case <-time.After(50 * time.Millisecond):
			}
		}
		return nil
	}
	err := wait("the server's start", func() bool {
		var running struct{ PID int }
		return s.event("launch.running", &running) && func() bool { s.leader = running.PID; return true }()
	})
	switch {
	case err != nil:
		return err
	case when == starting && s.engine.core != "":
		err = wait("its core", func() bool {
			return s.seen.find(func(p proc) bool { return strings.HasPrefix(p.name(), s.engine.core) }).pid != 0
		})
		time.Sleep(s.engine.settle)
	case when == starting:
		time.Sleep(s.engine.settle)
	case when == idle:
		err = wait("the client's start", func() bool { return s.event("client.started", nil) })
		time.Sleep(time.Second)
	case when == busy:
		err = wait("the first answers", func() bool {
			files, _ := filepath.Glob(filepath.Join(s.dir, "runs/*/cells/*/*/client.err"))
			if len(files) == 0 {
				return false
			}
			data, _ := os.ReadFile(files[0])
			return served.Match(data)
		})
	}
	return err
}

// event looks whether the journal has an event of this type, and reads its data.
func (s *sweep) event(kind string, into any) (found bool) {
	files, _ := filepath.Glob(filepath.Join(s.dir, "runs/*/events.jsonl"))
	if len(files) == 0 {
		return false
	}
	data, err := os.ReadFile(files[0])
	program.Check(err)
	for line := range bytes.Lines(data) {
		var e struct {
			Type string
			Data json.RawMessage
		}
		if json.Unmarshal(line, &e) != nil || e.Type != kind {
			continue // the last line can be torn
		}
		found = true
		if into != nil {
			program.Check(json.Unmarshal(e.Data, into))
		}
	}
	return found
}

// read takes the failure from the results, and how the server ended from the journal.
func (s *sweep) read(o *outcome) {
	o.class = "none"
	files, _ := filepath.Glob(filepath.Join(s.dir, "runs/*/results.jsonl"))
	if len(files) > 0 {
		data, err := os.ReadFile(files[0])
		program.Check(err)
		var sample struct {
			Status   string
			Failure  *struct{ Class, Message string }
			Validity *struct {
				Reasons []struct{ Reason, Detail string }
			}
		}
		switch err := json.NewDecoder(bytes.NewReader(data)).Decode(&sample); {
		case errors.Is(err, io.EOF):
		case err != nil:
			program.Check(err)
		case sample.Failure != nil:
			o.class, o.message = sample.Failure.Class, sample.Failure.Message
		case sample.Status == "invalid":
			o.class = "invalid"
			for _, r := range sample.Validity.Reasons {
				o.message += r.Reason + ": " + r.Detail + " "
			}
		default:
			o.class = ""
		}
	}
	var gone struct {
		Code            int
		Signal          string
		Orderly, Killed bool
		Seconds         float64
	}
	if s.event("launch.ended", &gone) {
		how := fmt.Sprintf("exit %d", gone.Code)
		if gone.Signal != "" {
			how = gone.Signal
		}
		o.stop = fmt.Sprintf("%s, %.1f s", how, gone.Seconds)
		if gone.Orderly {
			o.stop += ", in order"
		}
		if gone.Killed {
			o.stop += ", killed"
		}
	}
}

func freePort() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	program.Check(err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o700)
}
