package load

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"servematrix/bench/dataset"
)

// made is a set of n prompts of some ids each, numbered by Input, that counts those which were made.
func made(n, ids int, count *atomic.Int64) *dataset.Set {
	return &dataset.Set{Count: n, Prompts: func(yield func(dataset.Prompt) bool) {
		for i := range n {
			if count.Add(1); !yield(dataset.Prompt{Input: i, IDs: make([]int32, ids)}) {
				return
			}
		}
	}}
}

// Prompts are made before the first is asked for, as many as are kept, and come in their order.
func TestPromptsAreMadeAhead(t *testing.T) {
	for name, c := range map[string]struct{ n, ids, ahead int }{
		"few":  {10, 1, 10},
		"many": {3 * aheadPrompts, 1, aheadPrompts + 1}, // and one that waits for room
		"long": {20, 4 << 20, aheadBytes/(16<<20) + 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			var count atomic.Int64
			set, stop := Prepare(t.Context(), made(c.n, c.ids, &count))
			synctest.Wait()
			if got := count.Load(); got != int64(c.ahead) {
				t.Errorf("%s: %d made ahead, want %d", name, got, c.ahead)
			}
			var got []int
			for p := range set.Prompts {
				got = append(got, p.Input)
			}
			stop()
			if len(got) != c.n || !slices.IsSorted(got) || got[c.n-1] != c.n-1 {
				t.Errorf("%s: %v", name, got)
			}
		})
	}
}

// Neither a walk that is left nor an interrupt leaves a goroutine: the bubble would not end.
func TestPreparingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var count atomic.Int64
		set, stop := Prepare(t.Context(), made(3*aheadPrompts, 1, &count))
		for range set.Prompts {
			break
		}
		stop()
		ctx, cancel := context.WithCancel(t.Context())
		set, stop = Prepare(ctx, made(3*aheadPrompts, 1, &count))
		cancel()
		synctest.Wait()
		for range set.Prompts {
			t.Error("a prompt after the interrupt")
			break
		}
		stop()
	})
}
