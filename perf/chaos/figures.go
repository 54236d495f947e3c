package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// treeSize is how many processes the measured servers have.
const treeSize = 64

// measure tells how fast a tree of 64 processes ends, of which all but the leader
// ignore SIGTERM and would outlive it: by the clock of one who only looks at /proc.
func measure(ctx context.Context, root string) int {
	if err := becomeSubreaper(); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		return 2
	}
	for _, m := range []struct {
		what   string
		victim func(*session, cast) []proc
	}{
		{"leader SIGKILLed → all 64 processes gone", func(_ *session, c cast) []proc { return c.leaders }},
		{"orchestrator SIGKILLed, grace 0 → all 64 processes gone", func(r *session, _ cast) []proc { return []proc{{identity: r.id}} }},
		{"for comparison: all 64 SIGKILLed by this program → gone", func(_ *session, c cast) []proc { return append(c.leaders, c.workers...) }},
	} {
		var took []time.Duration
		for i := range *figures {
			d, err := timeOf(ctx, root, i, m.victim)
			if err != nil {
				fmt.Fprintf(os.Stderr, "chaos: %s: %v\n", m.what, err)
				return 1
			}
			took = append(took, d)
		}
		slices.Sort(took)
		fmt.Printf("| %s | n %d | p50 %s | worst %s |\n", m.what, len(took), show(took[len(took)/2]), show(took[len(took)-1]))
	}
	return 0
}

// timeOf starts one such server, kills the victim while a client runs, and gives
// the time until no process of the server's tree lives.
func timeOf(ctx context.Context, root string, i int, victim func(*session, cast) []proc) (time.Duration, error) {
	s := &scenario{
		dir: filepath.Join(root, fmt.Sprintf("f%d-%d.d", i, time.Now().UnixNano())), rng: rand.New(rand.NewPCG(1, uint64(i))), style: "sglang", workers: treeSize - 3,
		servers: []variant{{id: "s1", faults: []string{"children-ignore-term"}}}, clients: []variant{{id: "c1", faults: []string{"hangs"}}},
		blocks: 1, isolation: "cell", order: "grouped", procs: map[identity]proc{}, ports: map[int]bool{}, segments: map[string]int{},
	}
	if err := s.write(root); err != nil {
		return 0, err
	}
	defer os.RemoveAll(s.dir)
	defer s.clear()
	r, err := s.start("run", "sweep.yaml", "--out", "runs", "--progress", "none")
	if err != nil {
		return 0, err
	}
	for r.counts["client"] == 0 {
		for _, e := range r.seen.read(r.journal()) {
			r.event(e)
		}
		select {
		case <-r.exited:
			return 0, fmt.Errorf("the run ended with %d before its client began", r.code)
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
	c := r.cast()
	tree := append(c.leaders, c.workers...)
	if len(tree) != treeSize {
		return 0, fmt.Errorf("the tree has %d processes: %v", len(tree), tree)
	}
	began := time.Now()
	signalAll(victim(r, c), syscall.SIGKILL)
	_, left := awaitGone(tree, cleanLimit)
	took := time.Since(began)
	if len(left) > 0 {
		return 0, fmt.Errorf("left after %v: %v", cleanLimit, left)
	}
	r.id.signal(syscall.SIGINT)
	<-r.exited
	return took, nil
}
