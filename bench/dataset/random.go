package dataset

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
)

// random has prompts of random tokens, whose lengths are exact in any model.
func (m *maker) random() (*Set, error) {
	s := &Set{Count: m.NumPrompts}
	for in, out := range m.lengths() {
		s.Input, s.Output = s.Input+m.own(in)+m.around(), s.Output+out
	}
	s.Prompts = func(yield func(Prompt) bool) {
		tokens := m.rng(streamTokens)
		for in, out := range m.lengths() {
			if !yield(m.prompt(m.draw(make([]int32, 0, in), tokens, m.own(in)), out)) {
				return
			}
		}
	}
	s.Warmup = m.warmup(s.first())
	if m.DatasetPath != "" {
		s.Notes = append(s.Notes, fmt.Sprintf("the tokens of --dataset-name %s are random; %s is not read", m.Name, m.DatasetPath))
	}
	return s, nil
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

// first is the set's first prompt.
func (s *Set) first() (first Prompt) {
	for first = range s.Prompts {
		break
	}
	return first
}
