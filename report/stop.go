package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"servematrix/journal"
	"servematrix/jsonwalk"
)

// step is a process.Step as launch.ended holds it.
type step struct {
	Since     time.Duration `json:"since_ns"`
	Action    string        `json:"action"`
	Signal    string        `json:"signal"`
	Detail    string        `json:"detail"`
	Alive     int           `json:"alive"`
	Survivors []struct {
		Comm string `json:"comm"`
	} `json:"survivors"`
}

// stop is the data of launch.ended with its steps.
type stop struct {
	journal.Gone
	Steps steps `json:"steps"`
}

type steps []step

// Walk implements jsonwalk.Walker. The times of day are of no interest here, survivors are rare.
func (all *steps) Walk(c *jsonwalk.Cursor) {
	c.Array(func() {
		var s step
		c.Object(func(key []byte) {
			switch string(key) {
			case "since_ns":
				s.Since = time.Duration(c.Int())
			case "action":
				s.Action = c.Text()
			case "signal":
				s.Signal = c.Text()
			case "detail":
				s.Detail = c.Text()
			case "alive":
				s.Alive = c.Int()
			case "at":
				c.Pass()
			default:
				c.Fail()
			}
		})
		*all = append(*all, s)
	})
}

// Walk implements jsonwalk.Walker.
func (v *stop) Walk(c *jsonwalk.Cursor) {
	c.Object(func(key []byte) {
		if string(key) == "steps" {
			v.Steps.Walk(c)
		} else {
			v.Take(c, key)
		}
	})
}

// stopLine says in one line what was done to end a server, when, whom it needed
// force for, and what was left besides processes.
func (w words) stopLine(v stop) string {
	var parts []string
	for _, s := range v.Steps {
		parts = append(parts, w.step(s))
	}
	if len(v.Steps) == 0 {
		parts = append(parts, fmt.Sprintf(w.goneAfter, v.Seconds))
	}
	port := w.portFree
	if !v.PortFree {
		port = w.portHeld
	}
	if v.Gate >= gateTold {
		port = fmt.Sprintf(w.gateAfter, port, v.Gate)
	}
	parts = append(parts, port)
	segments := 0
	for _, path := range v.Removed {
		if strings.HasPrefix(path, "/dev/shm/") || strings.HasPrefix(path, "shmid ") {
			segments++
		}
	}
	if segments > 0 {
		parts = append(parts, w.segments.of(segments))
	}
	if n := len(v.Removed) - segments; n > 0 {
		parts = append(parts, w.sockets.of(n))
	}
	return fmt.Sprintf(w.stopped, strings.Join(parts, w.comma))
}

// gateTold is how many seconds the host may take to be as before without a word about it.
const gateTold = 0.1

func (w words) step(s step) string {
	after := s.Since.Seconds()
	switch s.Action {
	case "signal":
		if s.Detail != "" {
			return visible(s.Signal + " (" + clip(s.Detail, lineMost) + ")")
		}
		return visible(s.Signal)
	case "leader-exit":
		return fmt.Sprintf(w.leaderExit, visible(s.Detail), after)
	case "group":
		return fmt.Sprintf(w.groupAsked, visible(s.Signal), w.processes.of(s.Alive), after)
	case "kill":
		return fmt.Sprintf(w.killedAfter, w.processes.of(s.Alive), after, s.names())
	case "survivors":
		return fmt.Sprintf(w.survivedAfter, w.processes.of(s.Alive), after, s.names())
	case "gone":
		return fmt.Sprintf(w.goneAfter, after)
	}
	what := s.Action
	if s.Detail != "" {
		what += " (" + clip(s.Detail, lineMost) + ")"
	}
	return fmt.Sprintf(w.stepAfter, visible(what), after)
}

// namesMost bounds the names of processes in a line: a tree has few kinds of them.
const namesMost = 6

// names are those of the step's processes, each once.
func (s step) names() string {
	var names []string
	for _, p := range s.Survivors {
		if name := visible(p.Comm); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > namesMost {
		names = append(names[:namesMost], "…")
	}
	return strings.Join(names, ", ")
}

// quantity is a count with its noun, for one and for many.
type quantity struct{ one, many string }

func (n quantity) of(count int) string {
	if count == 1 {
		return n.one
	}
	return fmt.Sprintf(n.many, count)
}
