package dataset

// sharedPrefix has groups × prompts-per-group prompts, each its group's system prompt and a
// question of its own, in random order; --num-prompts takes the first of them.
func (o Options) sharedPrefix() *Set {
	tokens := o.rng(streamTokens)
	list := make([]Prompt, 0, o.GSPNumGroups*o.GSPPromptsPerGroup)
	for range o.GSPNumGroups {
		system := o.randomIDs(tokens, o.GSPSystemPromptLen)
		for range o.GSPPromptsPerGroup {
			ids := append(system[:len(system):len(system)], o.randomIDs(tokens, o.GSPQuestionLen)...)
			list = append(list, Prompt{IDs: ids, Input: len(ids), Output: o.GSPOutputLen})
		}
	}
	o.rng(streamOrder).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:o.NumPrompts]
	s := ofList(list)
	s.Warmup = o.warmup
	return s
}

// ofList is a set whose prompts are all there.
func ofList(list []Prompt) *Set {
	s := &Set{Count: len(list)}
	for _, p := range list {
		s.Input, s.Output = s.Input+p.Input, s.Output+p.Output
	}
	s.Prompts = func(yield func(Prompt) bool) {
		for _, p := range list {
			if !yield(p) {
				return
			}
		}
	}
	return s
}
