package bench

import (
	"math"
	"math/rand/v2"
)

// prompt is one request to send.
type prompt struct {
	ids    []int32
	output int // tokens asked for
}

// Each use of randomness has a stream of its own, so that one option does not change what
// another one draws.
const (
	streamLengths = iota + 1
	streamTokens
	streamOrder
	streamArrivals
	streamWarmup
)

func (o Options) random(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(o.Seed, stream)) }

// prompts builds the load.
func (o Options) prompts() []prompt {
	if o.DatasetName == sharedPrefix {
		return o.sharedPrefixPrompts()
	}
	lengths, tokens := o.random(streamLengths), o.random(streamTokens)
	list := make([]prompt, o.NumPrompts)
	for i := range list {
		in := rangedLength(lengths, o.RandomInputLen, o.RandomRangeRatio)
		out := rangedLength(lengths, o.RandomOutputLen, o.RandomRangeRatio)
		list[i] = prompt{ids: o.randomIDs(tokens, in), output: out}
	}
	return list
}

// sharedPrefixPrompts are groups × prompts-per-group prompts, each its group's system prompt and
// a question of its own, in random order; --num-prompts takes the first of them.
func (o Options) sharedPrefixPrompts() []prompt {
	tokens := o.random(streamTokens)
	list := make([]prompt, 0, o.GSPNumGroups*o.GSPPromptsPerGroup)
	for range o.GSPNumGroups {
		system := o.randomIDs(tokens, o.GSPSystemPromptLen)
		for range o.GSPPromptsPerGroup {
			ids := append(system[:len(system):len(system)], o.randomIDs(tokens, o.GSPQuestionLen)...)
			list = append(list, prompt{ids: ids, output: o.GSPOutputLen})
		}
	}
	o.random(streamOrder).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:o.NumPrompts]
}

// warmups are prompts that are not among those measured, so that they put nothing of them into
// the server's prefix cache; answers are short, as in sglang.bench_serving.
func (o Options) warmups(like prompt) []prompt {
	tokens := o.random(streamWarmup)
	list := make([]prompt, o.WarmupRequests)
	for i := range list {
		list[i] = prompt{ids: o.randomIDs(tokens, len(like.ids)), output: min(like.output, 32)}
	}
	return list
}

// rangedLength is uniform over the whole numbers from max(1, ⌊full·ratio⌋) to full, as in
// sglang.bench_serving.
func rangedLength(rng *rand.Rand, full int, ratio float64) int {
	low := max(1, int(math.Floor(float64(full)*ratio)))
	return low + rng.IntN(full-low+1)
}

func (o Options) randomIDs(rng *rand.Rand, n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(rng.IntN(o.VocabSize))
	}
	return ids
}
