package process

import (
	"context"
	"slices"
	"time"
)

// looksMost bounds how often EndFound looks.
const looksMost = 20

// EndFound ends what is found, as EndLeftovers does, and looks until nothing is found any more: a
// process can be made by one that is just being ended. It gives those that are gone, each once,
// and those that cannot be ended. What could not be looked at is an error once the rest is ended.
func EndFound(ctx context.Context, find func() ([]Survivor, error), grace time.Duration) (ended, still []Survivor, err error) {
	seen := map[Identity]bool{}
	for range looksMost {
		found, unseen := find()
		still = EndLeftovers(ctx, found, grace)
		for _, s := range found {
			left := slices.ContainsFunc(still, func(l Survivor) bool { return l.Identity == s.Identity })
			if !left && !seen[s.Identity] {
				seen[s.Identity] = true
				ended = append(ended, s)
			}
		}
		if unseen != nil || len(found) == 0 || len(still) > 0 {
			return ended, still, unseen
		}
	}
	return ended, ended[len(ended)-1:], nil
}
