package process

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// scriptTree records what the ladder does and when.
type scriptTree struct {
	began   time.Time
	did     []string
	group   bool // somebody is in the leader's group
	stubbor int  // kill rounds that find something alive
	blind   int  // first kill rounds that cannot look
}

func (s *scriptTree) did_(what string) {
	s.did = append(s.did, fmt.Sprintf("%v %s", time.Since(s.began), what))
}

func (s *scriptTree) signalLeader(sig syscall.Signal) error {
	s.did_("leader " + SignalName(sig))
	return nil
}

func (s *scriptTree) signalGroup(sig syscall.Signal) ([]proc, bool) {
	if s.group {
		s.did_("group " + SignalName(sig))
	}
	return nil, s.group
}

func (s *scriptTree) groupAlive() bool { return s.group }

func (s *scriptTree) kill(named func([]proc)) ([]proc, error) {
	if s.blind > 0 {
		s.blind--
		return nil, syscall.ENFILE
	}
	var alive []proc
	if s.stubbor > 0 {
		s.stubbor--
		alive = []proc{{pid: -1, comm: "stuck"}}
	}
	if named != nil {
		s.did_("kill")
		named(alive)
	}
	return alive, nil
}

// TestLadderTimes plays whole endings on a fake clock.
func TestLadderTimes(t *testing.T) {
	type event struct {
		at time.Duration
		do func(*ladder)
	}
	stop := func(p StopPolicy) func(*ladder) { return func(l *ladder) { l.stop(p) } }
	exit := func(l *ladder) { l.leaderExited(Exit{Code: 1}) }
	dies := func(sig syscall.Signal) func(*ladder) {
		return func(l *ladder) { l.leaderExited(Exit{Code: -1, Signal: sig}) }
	}
	lifeline := func(p StopPolicy) func(*ladder) {
		return func(l *ladder) { l.forced(ActionLifeline, p.alone()) }
	}
	empty := func(l *ladder) { l.empty() }
	const s = time.Second
	tests := []struct {
		name   string
		own    StopPolicy
		lonely bool // nobody in the leader's group
		stuck  int
		events []event
		want   string
	}{
		{name: "orderly", events: []event{{0, stop(StopPolicy{Grace: 60 * s})}, {4 * s, exit}, {4 * s, empty}},
			want: "0s leader SIGTERM"},
		{name: "grace runs out", events: []event{{0, stop(StopPolicy{Grace: 60 * s})}},
			want: "0s leader SIGTERM, 1m0s group SIGTERM, 1m0.5s kill"},
		{name: "another signal", events: []event{{0, stop(StopPolicy{Signal: syscall.SIGINT, Grace: s})}},
			want: "0s leader SIGINT, 1s group SIGTERM, 1.5s kill"},
		{name: "children linger", events: []event{{0, stop(StopPolicy{Grace: 60 * s})}, {2 * s, exit}},
			want: "0s leader SIGTERM, 7s group SIGTERM, 7.5s kill"},
		{name: "the profile's linger", events: []event{{0, stop(StopPolicy{Grace: 60 * s, Linger: 2 * s})}, {2 * s, exit}},
			want: "0s leader SIGTERM, 4s group SIGTERM, 4.5s kill"},
		{name: "linger is at most 5 s within a stop", events: []event{{0, stop(StopPolicy{Grace: 60 * s, Linger: 30 * s})}, {2 * s, exit}},
			want: "0s leader SIGTERM, 7s group SIGTERM, 7.5s kill"},
		{name: "linger never lengthens the grace", events: []event{{0, stop(StopPolicy{Grace: 3 * s})}, {2 * s, exit}},
			want: "0s leader SIGTERM, 3s group SIGTERM, 3.5s kill"},
		{name: "children follow", events: []event{{0, stop(StopPolicy{Grace: 60 * s})}, {2 * s, exit}, {5 * s, empty}},
			want: "0s leader SIGTERM"},
		{name: "ends by itself", own: StopPolicy{Linger: s}, events: []event{{0, exit}},
			want: "1s group SIGTERM, 1.5s kill"},
		{name: "crash", own: StopPolicy{Linger: s}, events: []event{{2 * s, dies(syscall.SIGSEGV)}},
			want: "2s kill"},
		{name: "killed by somebody", events: []event{{0, dies(syscall.SIGKILL)}},
			want: "0s kill"},
		{name: "asked to end by somebody", own: StopPolicy{Linger: s}, events: []event{{0, dies(syscall.SIGTERM)}},
			want: "1s group SIGTERM, 1.5s kill"},
		{name: "an orderly end by SIGKILL, as SGLang's", events: []event{{0, stop(StopPolicy{Grace: 60 * s})}, {s, dies(syscall.SIGKILL)}},
			want: "0s leader SIGTERM, 6s group SIGTERM, 6.5s kill"},
		{name: "ends by itself, all outside the group", lonely: true, events: []event{{0, exit}},
			want: "5s kill"},
		{name: "stop after a crash", events: []event{{0, exit}, {s, stop(StopPolicy{Grace: 60 * s})}},
			want: "5s group SIGTERM, 5.5s kill"},
		{name: "hasty stop after a crash", events: []event{{0, exit}, {s, stop(StopPolicy{})}},
			want: "1s group SIGTERM, 1.5s kill"},
		{name: "second stop skips the grace", events: []event{{0, stop(StopPolicy{Grace: 60 * s})}, {s, stop(StopPolicy{})}},
			want: "0s leader SIGTERM, 1s group SIGTERM, 1.5s kill"},
		{name: "second stop never lengthens", events: []event{{0, stop(StopPolicy{Grace: 3 * s})}, {s, stop(StopPolicy{Grace: 60 * s})}},
			want: "0s leader SIGTERM, 3s group SIGTERM, 3.5s kill"},
		{name: "no grace", events: []event{{0, stop(StopPolicy{})}},
			want: "0s leader SIGTERM, 0s group SIGTERM, 500ms kill"},
		{name: "kill at once", events: []event{{0, stop(StopPolicy{Grace: -1})}},
			want: "0s kill"},
		{name: "kill in the midst", events: []event{{0, stop(StopPolicy{Grace: 60 * s})}, {s, stop(StopPolicy{Grace: -1})}},
			want: "0s leader SIGTERM, 1s kill"},
		{name: "kill after the group's SIGTERM", events: []event{{0, stop(StopPolicy{})}, {s / 10, stop(StopPolicy{Grace: -1})}},
			want: "0s leader SIGTERM, 0s group SIGTERM, 100ms kill"},
		{name: "lifeline", events: []event{{0, lifeline(StopPolicy{Grace: 60 * s})}},
			want: "0s leader SIGTERM, 2s group SIGTERM, 2.5s kill"},
		{name: "lifeline without a grace", events: []event{{0, lifeline(StopPolicy{})}},
			want: "0s kill"},
		{name: "lifeline during a stop", events: []event{{0, stop(StopPolicy{Grace: 60 * s})}, {s, lifeline(StopPolicy{Grace: 60 * s})}},
			want: "0s leader SIGTERM, 3s group SIGTERM, 3.5s kill"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tree := &scriptTree{began: time.Now(), group: !tt.lonely}
				var noted []string
				l := &ladder{tree: tree, own: tt.own, bound: s, note: func(s Step) { noted = append(noted, s.Action) }}
				for {
					next, due := l.next()
					switch {
					case len(tt.events) > 0 && (!due || !next.Before(tree.began.Add(tt.events[0].at))):
						time.Sleep(time.Until(tree.began.Add(tt.events[0].at)))
						tt.events[0].do(l)
						tt.events = tt.events[1:]
						continue
					case due:
						time.Sleep(time.Until(next))
						l.tick()
						continue
					}
					break
				}
				if got := strings.Join(tree.did, ", "); got != tt.want {
					t.Errorf("did  %s\nwant %s", got, tt.want)
				}
				if !l.ended() || !slices.Equal(noted, actions(l.result)) || noted[len(noted)-1] != ActionGone {
					t.Errorf("ended %v, noted %v, result %+v", l.ended(), noted, l.result)
				}
			})
		})
	}
}

// TestLadderGivesUp: what outlives SIGKILL is named, after the bound.
func TestLadderGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := &scriptTree{began: time.Now(), group: true, stubbor: 1 << 30}
		l := &ladder{tree: tree, bound: 30 * time.Second, note: func(Step) {}}
		l.stop(StopPolicy{Grace: -1})
		for !l.ended() {
			next, _ := l.next()
			time.Sleep(time.Until(next))
			l.tick()
		}
		if took := time.Since(tree.began); took < 30*time.Second || took > 31*time.Second {
			t.Errorf("gave up after %v", took)
		}
		last := l.result.Steps[len(l.result.Steps)-1]
		if last.Action != ActionSurvivors || len(l.result.Survivors) != 1 || l.result.Survivors[0].Comm != "stuck" || !l.result.Killed {
			t.Errorf("%+v", l.result)
		}
	})
}

// TestLadderThatCannotLook: a tree is gone, or has survivors, only if somebody saw so.
func TestLadderThatCannotLook(t *testing.T) {
	const always = 1 << 30
	for _, tt := range []struct {
		name           string
		blind, stubbor int
		want           []string
	}{
		{"never", always, 0, []string{ActionUnknown}},
		{"at first, then something lives", 3, always, []string{ActionKill, ActionSurvivors}},
		{"at first, then nothing is left", 3, 0, []string{ActionGone}},
		{"at first, then something ends", 3, 2, []string{ActionKill, ActionGone}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tree := &scriptTree{began: time.Now(), blind: tt.blind, stubbor: tt.stubbor}
				l := &ladder{tree: tree, bound: 30 * time.Second, note: func(Step) {}}
				l.stop(StopPolicy{Grace: -1})
				for !l.ended() {
					next, _ := l.next()
					time.Sleep(time.Until(next))
					l.tick()
				}
				if got := actions(l.result); !slices.Equal(got, tt.want) {
					t.Errorf("steps %v, want %v", got, tt.want)
				}
				never, why := tt.blind == always, l.result.Unknown
				if never != (why != "") || never && !strings.Contains(why, syscall.ENFILE.Error()) {
					t.Errorf("unknown: %q", why)
				}
				if !l.result.Killed {
					t.Error("SIGKILL was sent and is not told of")
				}
			})
		})
	}
}
