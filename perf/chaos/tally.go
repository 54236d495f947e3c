package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// tally adds up what was tried and survived.
type tally struct {
	mu        sync.Mutex
	scenarios int
	sessions  int
	samples   int
	unknown   int // segments that no journal knew of
	faults    map[string]*line
	kinds     map[string]*line
	states    map[string]*line
}

type line struct {
	tried int
	clean []time.Duration
}

func (t *tally) add(s *scenario) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.faults == nil {
		t.faults, t.kinds, t.states = map[string]*line{}, map[string]*line{}, map[string]*line{}
	}
	t.scenarios++
	t.sessions += s.sessions
	t.samples += len(s.ok)
	t.unknown += s.unknown
	count := func(rows map[string]*line, name string, clean ...time.Duration) {
		if rows[name] == nil {
			rows[name] = &line{}
		}
		rows[name].tried++
		rows[name].clean = append(rows[name].clean, clean...)
	}
	for who, variants := range map[string][]variant{"server": s.servers, "client": s.clients} {
		for _, v := range variants {
			for _, f := range v.faults {
				name, _, _ := strings.Cut(f, "=")
				if who == "client" {
					count(t.faults, "client "+name)
				} else {
					count(t.faults, name, s.stops...)
				}
			}
		}
	}
	for _, k := range s.strikes {
		if !k.fired {
			continue
		}
		count(t.states, k.hit)
		if k.clean > 0 {
			count(t.kinds, k.kind, k.clean)
		} else {
			count(t.kinds, k.kind)
		}
	}
	if *verbose {
		fmt.Printf("%d ok, %d sessions: %v\n", s.seed, s.sessions, s)
	}
}

// print writes the tables in Markdown: every scenario that was added survived.
func (t *tally) print(w io.Writer, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(w, "%d scenarios, %d sessions, %d valid samples in %v\n\n", t.scenarios, t.sessions, t.samples, took.Round(time.Second))
	order := func(name string) int {
		return slices.IndexFunc(strikeKinds, func(k strikeKind) bool { return k.name == name })
	}
	if t.unknown > 0 {
		fmt.Fprintf(w, "%d segments in /dev/shm were left that a server had made just before it was struck: a warning named them, or nobody had seen them in its tree yet\n\n", t.unknown)
	}
	table(w, "what was done to a session", "time to clean", t.kinds, func(a, b string) int { return cmp.Compare(order(a), order(b)) })
	table(w, "in which state", "", t.states, func(a, b string) int { return cmp.Compare(slices.Index(states, a), slices.Index(states, b)) })
	names := faultNames()
	table(w, "fault of server or client", "stop to gone", t.faults, func(a, b string) int {
		return cmp.Or(cmp.Compare(slices.Index(names, a), slices.Index(names, b)), cmp.Compare(a, b))
	})
}

func table(w io.Writer, what, times string, rows map[string]*line, order func(a, b string) int) {
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintf(tw, "| %s\t| tried\t| survived\t", what)
	if times != "" {
		fmt.Fprintf(tw, "| %s, median\t| worst\t|\n|---\t|---\t|---\t|---\t|---\t|\n", times)
	} else {
		fmt.Fprintf(tw, "|\n|---\t|---\t|---\t|\n")
	}
	for _, name := range slices.SortedFunc(maps.Keys(rows), order) {
		r := rows[name]
		fmt.Fprintf(tw, "| %s\t| %d\t| %d\t", name, r.tried, r.tried)
		switch {
		case times == "":
			fmt.Fprint(tw, "|\n")
		case len(r.clean) == 0:
			fmt.Fprint(tw, "|\t|\t|\n")
		default:
			slices.Sort(r.clean)
			fmt.Fprintf(tw, "| %s\t| %s\t|\n", show(r.clean[len(r.clean)/2]), show(r.clean[len(r.clean)-1]))
		}
	}
	_ = tw.Flush()
	fmt.Fprintln(w)
}

func show(d time.Duration) string {
	return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
}
