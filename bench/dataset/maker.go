package dataset

import (
	"iter"
	"math/rand/v2"
)

// maker makes prompts as options ask for them.
type maker struct {
	Options
	tokenizer *struct{}
}

func newMaker(o Options) (*maker, error) { return &maker{Options: o}, nil }

// count is how many tokens a text is.
func (m *maker) count(text string) int { return 0 }

// draw appends n random tokens to ids.
func (m *maker) draw(ids []int32, rng *rand.Rand, n int) []int32 {
	for range n {
		ids = append(ids, int32(rng.IntN(m.VocabSize)))
	}
	return ids
}

// prompt is a request of tokens.
func (m *maker) prompt(ids []int32, output int) Prompt {
	return Prompt{IDs: ids, Input: len(ids), Output: output}
}

// say is what a user says in a conversation: tokens as text.
func (m *maker) say(ids []int32) []Message {
	return []Message{{"user", Words(ids)}}
}

// warmup gives the Warmup of a set of which first is one: prompts of random tokens, as long as
// first.
func (m *maker) warmup(first Prompt) func(n int) iter.Seq[Prompt] {
	length := first.Input
	if length == 0 { // text, of which nobody has counted the tokens: some four bytes each
		length = len(first.Text) / 4
		for _, message := range first.Messages {
			length += len(message.Content) / 4
		}
		length = max(length, 1)
	}
	output := min(first.Output, 32)
	return func(n int) iter.Seq[Prompt] {
		return func(yield func(Prompt) bool) {
			rng := m.rng(streamWarmup)
			for range n {
				ids := m.draw(nil, rng, length)
				p := m.prompt(ids, output)
				if first.IDs == nil && p.IDs != nil {
					p = Prompt{Text: Words(ids), Input: first.Input, Output: output}
				}
				if !yield(p) {
					return
				}
			}
		}
	}
}
