package orchestrator

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"

	"servematrix/matrix"
)

// BlockOrder gives the order in which a blocked run takes the server variants and
// the workloads of a block: at random, and balanced over each four blocks. The
// first two of these have a random order each, the other two are their reverses,
// so every variant goes before every other one in exactly half of them.
//
// The order depends on seed, block and the identities alone: not on how many
// blocks there are, and what else is in the plan moves no two of them against
// each other. docs/adr/0011 says why it is this one.
func BlockOrder(p *matrix.Plan, seed, block int) ([]*matrix.Server, []*matrix.Client) {
	return shuffled(p.Servers, seed, block, "server", func(s *matrix.Server) string { return s.ID }),
		shuffled(p.Clients, seed, block, "client", func(c *matrix.Client) string { return c.ID })
}

// mirror is how many blocks lie between an order and its reverse. With the reverse
// in the very next block, noise that lasts for some starts makes false positives.
const mirror = 2

func shuffled[T any](list []T, seed, block int, kind string, id func(T) string) []T {
	round := (block - 1) / (2 * mirror)
	place := (block - 1) % (2 * mirror)
	type drawn struct {
		lot  [sha256.Size]byte
		item T
	}
	lots := make([]drawn, len(list))
	for i, item := range list {
		lots[i] = drawn{sha256.Sum256(fmt.Appendf(nil, "%d %d %d %s %s", seed, round, place%mirror, kind, matrix.Hex(id(item)))), item}
	}
	slices.SortStableFunc(lots, func(a, b drawn) int { return bytes.Compare(a.lot[:], b.lot[:]) })
	if place >= mirror {
		slices.Reverse(lots)
	}
	out := make([]T, len(lots))
	for i := range lots {
		out[i] = lots[i].item
	}
	return out
}
