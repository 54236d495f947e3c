package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// session is one life of an orchestrator: run or resume.
type session struct {
	*scenario
	cmd    *exec.Cmd
	id     identity
	began  time.Time
	exited chan struct{}
	code   int // of its exit; -1 when a signal ended it
	ended  time.Time
	out    string
	seen   tail
	state  string
	counts map[string]int // how often each state began in this session
	hooks  int            // hooks in the ledger when it began
}

// start begins a session without waiting for it.
func (s *scenario) start(args ...string) (*session, error) {
	r := &session{scenario: s, exited: make(chan struct{}), state: "boot", counts: map[string]int{"boot": 1}, hooks: len(s.ledger("hook"))}
	r.seen.skip(s.journal())
	f, err := os.CreateTemp(s.dir, "session-*.out")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r.out = f.Name()
	r.cmd, err = s.command(f, args...)
	if err != nil {
		return nil, err
	}
	r.began = time.Now()
	p, ok := readStat(r.cmd.Process.Pid)
	if !ok {
		p.pid = r.cmd.Process.Pid
	}
	r.id = p.identity
	go func() {
		r.code, r.ended = wait(r.cmd), time.Now()
		close(r.exited)
	}()
	return r, nil
}

// command starts the scenario's servematrix in its folder, away from our terminal.
func (s *scenario) command(out *os.File, args ...string) (*exec.Cmd, error) {
	cmd := exec.Command(filepath.Join(s.dir, programName), args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "CHAOS="+s.dir, "TMPDIR="+s.tmp())
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	children.Lock()
	defer children.Unlock()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	children.own[cmd.Process.Pid] = true
	return cmd, nil
}

// wait waits for a command and gives its exit code.
func wait(cmd *exec.Cmd) int {
	_ = cmd.Wait() // the state says how it ended
	children.Lock()
	delete(children.own, cmd.Process.Pid)
	children.Unlock()
	return cmd.ProcessState.ExitCode()
}

// tool runs another command of servematrix to its end.
func (s *scenario) tool(args ...string) (code int, out string, err error) {
	f, err := os.CreateTemp(s.dir, "tool-*.out")
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	cmd, err := s.command(f, args...)
	if err != nil {
		return 0, "", err
	}
	killer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer killer.Stop()
	code = wait(cmd)
	text, err := os.ReadFile(f.Name())
	return code, string(text), err
}

// sessionLimit is longer than any scenario's session can take, also on a machine
// that is busy with other work.
const sessionLimit = 3 * time.Minute

// follow lives through the session: it looks at the journal as it grows and
// strikes when the moment has come. k is nil for a session that is let be.
func (r *session) follow(ctx context.Context, k *strike) error {
	var due time.Time // of the strike
	var strikeErr error
	for last := false; ; {
		for _, e := range r.seen.read(r.journal()) {
			r.event(e)
		}
		if k != nil && k.state == "hook" {
			r.counts["hook"] = len(r.ledger("hook")) - r.hooks
		}
		switch {
		case last:
			return strikeErr
		case k == nil || k.fired:
		case due.IsZero():
			if r.counts[k.state] >= k.nth {
				due = time.Now().Add(k.delay)
			}
		case !time.Now().Before(due):
			k.fired = true
			strikeErr = r.strike(ctx, k)
			due = time.Now().Add(10 * time.Millisecond) // if there was nobody to strike yet
		}
		pause := time.Millisecond
		if k == nil || k.fired {
			pause = 20 * time.Millisecond
		} else if !due.IsZero() {
			pause = min(pause, max(time.Until(due), 0))
		}
		select {
		case <-r.exited:
			last = true // read the journal to its end
		case <-ctx.Done():
			r.id.signal(syscall.SIGKILL)
			return ctx.Err()
		case <-time.After(pause):
		}
		if time.Since(r.began) > sessionLimit {
			return fmt.Errorf("the session did not end within %v (it hangs in state %q)", sessionLimit, r.state)
		}
	}
}

// event takes an event of the session in.
func (r *session) event(e event) {
	if state, ok := beginsState[e.Type]; ok {
		r.state = state
		r.counts[state]++
	}
	switch e.Type {
	case "launch.ready", "launch.holds":
		r.noteSegments(r.living())
	case "launch.started":
		if e.Data.Port > 0 {
			r.ports[e.Data.Port] = true
		}
	case "launch.ended":
		if e.Data.Seconds > 0 {
			r.stops = append(r.stops, time.Duration(e.Data.Seconds*float64(time.Second)))
		}
	}
}

// journal is the path of the run's journal, "" as long as there is no run folder.
func (s *scenario) journal() string {
	if s.folder == "" {
		runs, _ := filepath.Glob(filepath.Join(s.dir, "runs", "chaos-*"))
		if len(runs) == 0 {
			return ""
		}
		s.folder = runs[len(runs)-1]
	}
	return filepath.Join(s.folder, "events.jsonl")
}

// ledger gives the lines of one kind, without that word.
func (s *scenario) ledger(kind string) (lines [][]string) {
	raw, _ := os.ReadFile(filepath.Join(s.dir, ledgerName)) // not there before the first client
	for line := range strings.Lines(string(raw)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == kind {
			lines = append(lines, words[1:])
		}
	}
	return lines
}

// basePort lies outside the range from which ports are chosen for others. Two of
// this program side by side are unlikely to meet.
func basePort() int { return 20000 + os.Getpid()%500*20 }

// maxSessions is when a scenario is said not to come to its end.
const maxSessions = 14

// play lives the scenario through and checks what is promised.
func (s *scenario) play(ctx context.Context) error {
	if err := s.write(filepath.Dir(s.dir)); err != nil {
		return err
	}
	strikes := s.strikes
	var pending []proc // whom the last session's end left for the next one to end
	done, waiting := make(chan struct{}, len(s.strikes)), 0
	for n := 1; ; n++ {
		s.sessions = n
		if n > maxSessions {
			return fmt.Errorf("after %d sessions the run is not final", maxSessions)
		}
		var k *strike
		if len(strikes) > 0 {
			k, strikes = strikes[0], strikes[1:]
		}
		fresh := s.journal() == "" || empty(s.journal())
		args := []string{"resume", s.folder, "--progress", "none"}
		if fresh { // killed before its first event: nothing is known of it
			args = []string{"run", "sweep.yaml", "--out", "runs", "--progress", "none"}
			s.abandon()
		}
		r, err := s.start(args...)
		if err != nil {
			return err
		}
		for _, k := range s.strikes {
			if k.owed { // it is this session that must end them, or wait until they are
				k.owed = false
				go func() { k.clean, _ = awaitGone(pending, sessionLimit); done <- struct{}{} }()
				waiting++
			}
		}
		if err := r.follow(ctx, k); err != nil {
			return fmt.Errorf("session %d (%s): %w", n, args[0], err)
		}
		if k != nil && !k.fired {
			k = nil
		}
		if err := s.after(r, k); err != nil {
			return fmt.Errorf("session %d (%s), exit code %d, struck by %v: %w", n, args[0], r.code, k, err)
		}
		pending = s.living()
		if r.code == 0 || r.code == 3 {
			for range waiting { // for times, all of them are gone
				<-done
			}
			return s.final(r.code)
		}
	}
}

// after checks what must hold when a session is over, however it ended.
func (s *scenario) after(r *session, k *strike) error {
	if err := s.remember(); err != nil {
		return err
	}
	interrupted, second := k != nil && interrupts[k.kind], k != nil && k.kind == "second orchestrator"
	switch {
	case r.code == -1 && k != nil && (kills[k.kind] || interrupted && (k.hit == "boot" || k.hit == "begun")):
		return nil // strike has looked at what is left, or the next session does
	case r.code == 0, r.code == 3, interrupted && (r.code == 130 || r.code == 143), interrupted && r.code == -1 && s.lastWord(r):
		if interrupted {
			k.clean = r.ended.Sub(k.at)
		}
	case r.code == 6 && second && k.hit == "boot":
		return nil // the second one was faster
	default:
		out, _ := os.ReadFile(r.out)
		return fmt.Errorf("unexpected end; it said:\n%s", out)
	}
	// It ended by itself: at that very moment nothing is left.
	if left := s.living(); len(left) > 0 {
		if _, left = awaitGone(left, 0); len(left) > 0 {
			return fmt.Errorf("left behind: %v", left)
		}
	}
	return s.sessionSegments()
}

// lastWord tells whether a session has printed its folder, behind which it only exits: an interrupt that
// comes then is the system's to handle, as in any program.
func (s *scenario) lastWord(r *session) bool {
	out, err := os.ReadFile(r.out)
	return err == nil && strings.HasSuffix(string(out), filepath.Base(s.folder)+"\n")
}

// kills are the strikes that a session does not survive.
var kills = map[string]bool{"orchestrator SIGKILL": true, "orchestrator SIGKILL, resumed at once": true, "orchestrator and leader SIGKILL": true,
	"orchestrator and guards SIGKILL": true, "orchestrator and guards SIGKILL, doctor --clean": true, "power cut": true}

var interrupts = map[string]bool{"SIGINT": true, "SIGINT twice": true, "SIGINT three times": true, "SIGTERM": true, "SIGTERM twice": true, "stop": true, "stop --after-cell": true}
