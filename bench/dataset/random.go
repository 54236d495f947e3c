package dataset

import (
	"iter"
	"math"
	"math/rand/v2"
)

// random has prompts of random token ids, whose lengths are exact in any model.
func (o Options) random() *Set {
	s := &Set{Count: o.NumPrompts, Warmup: o.warmup}
	for in, out := range o.lengths() {
		s.Input, s.Output = s.Input+in, s.Output+out
	}
	s.Prompts = func(yield func(Prompt) bool) {
		tokens := o.rng(streamTokens)
		for in, out := range o.lengths() {
			if !yield(Prompt{IDs: o.randomIDs(tokens, in), Input: in, Output: out}) {
				return
			}
		}
	}
	return s
}

// lengths draws the lengths of each prompt and its answer.
func (o Options) lengths() iter.Seq2[int, int] {
	return func(yield func(in, out int) bool) {
		lengths := o.rng(streamLengths)
		for range o.NumPrompts {
			in := rangedLength(lengths, o.RandomInputLen, o.RandomRangeRatio)
			if !yield(in, rangedLength(lengths, o.RandomOutputLen, o.RandomRangeRatio)) {
				return
			}
		}
	}
}

// rangedLength is uniform over the whole numbers from max(1, ⌊full·ratio⌋) to full, as in
// sglang.bench_serving.
func rangedLength(rng *rand.Rand, full int, ratio float64) int {
	low := max(1, int(math.Floor(float64(full)*ratio)))
	return low + rng.IntN(full-low+1)
}

// warmup is as long as the first prompt.
func (o Options) warmup(n int) iter.Seq[Prompt] {
	return func(yield func(Prompt) bool) {
		tokens := o.rng(streamWarmup)
		in, out := o.GSPSystemPromptLen+o.GSPQuestionLen, o.GSPOutputLen
		if o.Name != SharedPrefix {
			for in, out = range o.lengths() {
				break
			}
		}
		for range n {
			if !yield(Prompt{IDs: o.randomIDs(tokens, in), Input: in, Output: min(out, 32)}) {
				return
			}
		}
	}
}

func (o Options) randomIDs(rng *rand.Rand, n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(rng.IntN(o.VocabSize))
	}
	return ids
}
