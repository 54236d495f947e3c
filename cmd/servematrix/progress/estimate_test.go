package progress

import (
	"iter"
	"testing"
	"time"

	"servematrix/journal"
	"servematrix/matrix"
)

// former tells a run that started each server of starts as often as it has times there.
func former(t *testing.T, starts map[string][]float64) (*matrix.Plan, iter.Seq2[journal.Event, error]) {
	s := &story{t: t, began: time.Now()}
	plan := &matrix.Plan{}
	events := []journal.Event{s.event(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 1})}
	for id, times := range starts {
		plan.Servers = append(plan.Servers, &matrix.Server{Variant: matrix.Variant{ID: id}})
		for _, ready := range times {
			events = append(events,
				s.event(journal.Event{Type: journal.LaunchStarted, Launch: id}, journal.Launch{Server: id}),
				s.event(journal.Event{Type: journal.LaunchReady, Launch: id}, journal.Ready{Seconds: ready}),
				s.event(journal.Event{Type: journal.LaunchEnded, Launch: id}, journal.Gone{PortFree: true, Seconds: 10}))
		}
	}
	return plan, told(events)
}

func TestHistoryTellsWhatLaunchesTake(t *testing.T) {
	plan := &matrix.Plan{
		Servers: []*matrix.Server{{Variant: matrix.Variant{ID: "a"}}, {Variant: matrix.Variant{ID: "b"}}},
		Run:     matrix.Run{Cooldown: matrix.Duration(5 * time.Second)},
	}
	h := NewHistory(plan)
	h.Learn(former(t, map[string][]float64{"other": {1000}}))
	if got, ok := h.Launches(map[string]int{"a": 1}); ok || h.Runs != 0 {
		t.Errorf("%v from %d runs, but no run had a server of the plan", got, h.Runs)
	}
	h.Learn(former(t, map[string][]float64{"a": {100, 120, 400}}))
	for _, c := range []struct {
		n    map[string]int
		want time.Duration
	}{
		{map[string]int{"a": 2}, 2 * 135 * time.Second},         // the median, the stop's 10 s and the cooldown
		{map[string]int{"a": 1, "b": 3}, 4 * 135 * time.Second}, // b was never seen: as long as the others
	} {
		if got, ok := h.Launches(c.n); !ok || got != c.want || h.Runs != 1 {
			t.Errorf("launches %v take %v, %v, going by %d runs; want %v", c.n, got, ok, h.Runs, c.want)
		}
	}
	h.Learn(former(t, map[string][]float64{"b": {35}}))
	if got, ok := h.Launches(map[string]int{"a": 1, "b": 3}); !ok || got != (135+3*50)*time.Second {
		t.Errorf("with b's own time: %v, %v", got, ok)
	}
}
