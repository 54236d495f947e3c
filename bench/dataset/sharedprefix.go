package dataset

import "fmt"

// sharedPrefix has groups × prompts-per-group conversations, each of its group's system prompt and
// questions of its own, in random order. Each is made from its number alone.
func (m *maker) sharedPrefix() *Set {
	order := m.order(m.GSPNumGroups * m.GSPPromptsPerGroup)[:m.NumPrompts]
	s := &Set{}
	s.Prompts = func(yield func(Prompt) bool) {
		for _, n := range order {
			if !yield(m.sharing(int(n))) {
				return
			}
		}
	}
	for _, n := range order {
		in := 0
		shape := m.shape(int(n))
		in += m.around() + shape.system
		for i, question := range shape.questions {
			if i > 0 {
				in += shape.output // the answer before
			}
			in += question
			s.Count, s.Input, s.Output = s.Count+1, s.Input+in, s.Output+shape.output
		}
	}
	s.Warmup = m.warmup(s.first())
	if m.askedFor > 0 && m.askedFor != m.NumPrompts {
		s.Notes = append(s.Notes, fmt.Sprintf("--num-prompts %d is not read: %s sends all that --gsp-num-groups and --gsp-prompts-per-group make, %d", m.askedFor, m.Name, m.NumPrompts))
	}
	return s
}

// order is the numbers below n, shuffled unless options keep them.
func (o Options) order(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	if !o.GSPOrdered {
		o.rng(streamOrder).Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return order
}

// shape is the lengths of one conversation in tokens.
type shape struct {
	system    int
	questions []int // one each turn
	output    int
}

// shape draws the lengths of conversation n.
func (m *maker) shape(n int) shape {
	own := m.rng(streamLengths, uint64(n))
	s := shape{
		system: rangedLength(m.rng(streamSystem, m.group(n), 0), m.GSPSystemPromptLen, m.GSPRangeRatio),
		output: rangedLength(own, m.GSPOutputLen, m.GSPRangeRatio),
	}
	for range m.GSPNumTurns {
		s.questions = append(s.questions, rangedLength(own, m.GSPQuestionLen, m.GSPRangeRatio))
	}
	return s
}

func (o Options) group(n int) uint64 { return uint64(n / o.GSPPromptsPerGroup) }

// sharing makes conversation n.
func (m *maker) sharing(n int) Prompt {
	shape := m.shape(n)
	ids := make([]int32, 0, shape.system+shape.questions[0])
	ids = m.draw(ids, m.rng(streamSystem, m.group(n), 1), shape.system)
	own := m.rng(streamTokens, uint64(n))
	ids = m.draw(ids, own, shape.questions[0])
	first := m.prompt(ids, shape.output)
	if m.GSPNumTurns > 1 {
		first.IDs, first.Text, first.Messages = nil, "", m.say(ids)
	}
	last := &first
	for _, question := range shape.questions[1:] {
		next := &Prompt{
			Messages: m.say(m.draw(nil, own, question)), Input: last.Input + last.Output + question, Output: shape.output,
		}
		last.Next, last = next, next
	}
	return first
}
