package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// scenario is one sweep, its faults, and what happens to those who run it. All
// of it follows from the seed.
type scenario struct {
	seed    uint64
	dir     string
	port    int // 0: servematrix chooses
	rng     *rand.Rand
	style   string
	workers int

	servers   []variant
	clients   []variant
	blocks    int
	retries   int
	isolation string
	order     string
	hooks     bool
	grace     time.Duration
	strikes   []*strike // one a session, in this order

	sessions int
	folder   string            // of the run, once it is there
	stops    []time.Duration   // of the servers, as the journal has them
	ok       map[unit]int64    // valid samples that the journal held after a session, by measurement id
	procs    map[identity]proc // every process that was seen while the run went on
	ports    map[int]bool      // every port that a server was given
	segments map[string]int    // paths in shared memory that servers had open, and the session
	unknown  int               // segments that no journal knew of
}

// variant is a server or a client with its faults.
type variant struct {
	id     string
	faults []string // NAME or NAME=ARG
	expect expectation
}

func (v variant) String() string { return v.id + "[" + strings.Join(v.faults, " ") + "]" }

func (s *scenario) String() string {
	return fmt.Sprintf("%s, workers %d, servers %v, clients %v, blocks %d, retries %d, isolation %s, hooks %v, grace %v, strikes %v",
		s.style, s.workers, s.servers, s.clients, s.blocks, s.retries, s.isolation, s.hooks, s.grace, s.strikes)
}

// shapes are servers × clients × blocks of quick sweeps.
var shapes = [][3]int{{1, 1, 1}, {1, 2, 1}, {2, 1, 1}, {1, 1, 2}, {2, 2, 1}, {1, 2, 2}}

// draw makes the scenario of a seed. Successive seeds go round all faults and
// all strikes, so that no long run leaves one out.
func draw(seed uint64, root string, worker int) *scenario {
	rng := rand.New(rand.NewPCG(seed, 0xc4a05))
	s := &scenario{
		seed: seed, rng: rng, dir: filepath.Join(root, fmt.Sprintf("s%d.d", seed)) /* no name begins another */, style: pick(rng, "sglang", "vllm"), workers: 1 + rng.IntN(4),
		isolation: pick(rng, "cell", "cell", "launch"), order: pick(rng, "grouped", "blocked"), hooks: rng.IntN(4) == 0,
		grace: pick(rng, 0, 200*time.Millisecond, 600*time.Millisecond), retries: 1 + rng.IntN(3),
		ok: map[unit]int64{}, procs: map[identity]proc{}, ports: map[int]bool{}, segments: map[string]int{},
	}
	if rng.IntN(3) > 0 {
		s.port = basePort() + worker
	}
	shape := shapes[rng.IntN(len(shapes))]
	s.blocks = shape[2]
	names := faultNames()
	first := s.server("s1", names[seed%uint64(len(names))])
	s.servers = []variant{first}
	s.clients = []variant{s.client("c1")}
	if slow := first.expect == failsSlow || s.clients[0].expect == failsSlow; slow {
		s.blocks, s.retries = 1, 0 // every try costs a timeout
	} else {
		if shape[0] == 2 {
			s.servers = append(s.servers, s.server("s2", ""))
		}
		if shape[1] == 2 {
			s.clients = append(s.clients, variant{id: "c2", faults: []string{"slow"}, expect: measures})
		}
	}
	s.drawStrikes()
	return s
}

// server draws a variant; the first fault is given, harmless ones join it.
func (s *scenario) server(id, fault string) variant {
	v := variant{id: id, expect: measures}
	add := func(name string) {
		switch arg := quicker[name]; {
		case name == "fail-once":
			name += "=" + filepath.Join(s.dir, id+".failed-once")
		case arg != "":
			name += "=" + arg
		}
		v.faults = append(v.faults, name)
	}
	if fault != "" {
		v.expect = engineFaults[fault]
		add(fault)
	}
	for _, name := range faultNames() {
		if stray := strings.HasPrefix(name, "child") || strings.HasPrefix(name, "hold-") || name == "fork-on-stop" || name == "ignore-term"; stray && name != fault && s.rng.IntN(8) == 0 {
			add(name)
		}
	}
	return v
}

// client draws a workload.
func (s *scenario) client(id string) variant {
	v := variant{id: id, expect: measures, faults: []string{"plain"}}
	switch n := s.rng.IntN(12); {
	case n < 3:
		v.faults = []string{"slow"}
	case n < 5:
		v.faults = []string{"leaves-child", "slow"}
	case n == 5:
		v.faults = []string{"floods"}
	case n == 6:
		name := pick(s.rng, "hangs", "no-result", "crashes", "half")
		v = variant{id: id, expect: clientFaults[name], faults: []string{name}}
	}
	return v
}

// expected is what a cell of the two comes to: measures, fails or anything.
func expected(server, client variant) expectation {
	switch both := []expectation{server.expect, client.expect}; {
	case slices.Contains(both, fails), slices.Contains(both, failsSlow):
		return fails
	case slices.Contains(both, anything):
		return anything
	}
	return measures
}

// write lays the scenario's folder out.
func (s *scenario) write(root string) error {
	if err := os.MkdirAll(s.tmp(), 0o700); err != nil {
		return err
	}
	for _, name := range []string{clientName, programName} {
		if err := os.Link(filepath.Join(root, name), filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(s.dir, "sweep.yaml"), []byte(s.sweep()), 0o600)
}

// sweep is the scenario's sweep file.
func (s *scenario) sweep() string {
	var b strings.Builder
	port, ready, timeout := "${{ late.port }}", "30s", "30s"
	if s.port > 0 {
		port = fmt.Sprint(s.port)
	}
	if slices.ContainsFunc(s.servers, func(v variant) bool { return v.expect == failsSlow }) {
		ready, timeout = "1s", "1s"
	}
	if slices.ContainsFunc(s.clients, func(v variant) bool { return v.expect == failsSlow }) {
		timeout = "1s"
	}
	fmt.Fprintf(&b, "version: 1\nname: chaos\nserver:\n  axes:\n    v:\n")
	for _, v := range s.servers {
		flags := []string{"--seed", v.id[1:]} // no two variants have the same command
		for _, f := range v.faults {
			flags = append(flags, "--fault", f)
		}
		fmt.Fprintf(&b, "      - {id: %s, flags: [%s]}\n", v.id, quoted(flags))
	}
	fmt.Fprintf(&b, "  command: servematrix sim serve --style %s --port %s --startup 20ms --stop-poll 10ms --fault-ttl 2m --workers %d ${{ v.flags }}\n", s.style, port, s.workers)
	fmt.Fprintf(&b, "  env: {GOTRACEBACK: crash}\n") // so that a signal ends the server by a signal, as it ends a real one
	fmt.Fprintf(&b, "  ready: {timeout: %s}\n  stop: {grace: %s}\n  isolation: %s\n", ready, s.grace, s.isolation)
	fmt.Fprintf(&b, "client:\n  axes:\n    load:\n")
	for _, v := range s.clients {
		fmt.Fprintf(&b, "      - {id: %s, does: %s+%s}\n", v.id, v.id, strings.Join(v.faults, "+"))
	}
	fmt.Fprintf(&b, "  command: %s as-client %s ${{ late.dir }} ${{ server.url }} ${{ load.does }} --num-prompts 2\n", filepath.Join(s.dir, clientName), filepath.Join(s.dir, ledgerName))
	fmt.Fprintf(&b, "  timeout: %s\nrun: {blocks: %d, retries: %d, order: %s}\n", timeout, s.blocks, s.retries, s.order)
	if s.hooks {
		fmt.Fprintf(&b, "hooks:\n")
		for _, moment := range []string{"before_run", "before_launch", "after_cell", "after_run"} {
			fmt.Fprintf(&b, "  %s: {command: %s as-hook %s}\n", moment, filepath.Join(s.dir, clientName), filepath.Join(s.dir, ledgerName))
		}
	}
	return b.String()
}

func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(out, ", ")
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }
