package cli

import (
	"fmt"

	"servematrix/matrix"
	"servematrix/orchestrator"
)

// mostBlocks is how many blocks plan spells out; --all lifts it.
const mostBlocks = 8

// order says in which order a plan with more than one block, or a blocked one, is run. seed is
// that of the run that it goes on in, 0 for none.
func (t planText) order(seed int) {
	p := t.plan
	switch {
	case p.Run.Order != "blocked" && p.Run.Blocks > 1:
		t.printf("order grouped: all %d blocks of one server, then those of the next\n", p.Run.Blocks)
		return
	case p.Run.Order != "blocked":
		return
	}
	if p.Run.Seed > 0 {
		seed = p.Run.Seed
	}
	if seed == 0 {
		fmt.Fprintln(t, "order blocked: one block after the other, each in a random order of its own; its seed is drawn when it is run (run: {seed: N} fixes it)")
		return
	}
	t.printf("order blocked: one block after the other, each in a random order of its own (seed %d)\n", seed)
	n := min(p.Run.Blocks, t.limit(mostBlocks))
	for b := 1; b <= n; b++ {
		servers, clients := orchestrator.BlockOrder(p, seed, b)
		t.printf("  block %d   servers %s   clients %s\n", b, namesOf(servers, func(s *matrix.Server) string { return s.Name }),
			namesOf(clients, func(c *matrix.Client) string { return c.Name }))
	}
	t.more(p.Run.Blocks, n)
}

func namesOf[T any](list []T, name func(T) string) string {
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = name(x)
	}
	return listOf(names)
}

// tellGrouped warns of blocks in grouped order that the sweep itself does not ask for: --blocks does.
func tellGrouped(env Env, p *matrix.Plan, added int) {
	if added > 1 && p.Run.Order == "grouped" && len(p.Servers) > 1 {
		fmt.Fprintln(env.Stderr, "servematrix: in grouped order all blocks of one server come before those of the next, so what drifts meanwhile looks like a difference between them; run: {order: blocked} takes them in turns")
	}
}
