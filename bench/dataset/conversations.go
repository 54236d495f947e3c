package dataset

import (
	"errors"
	"fmt"
	"os"
)

// conversations has what people said: a file of which is kept where each conversation that was
// chosen stands and how long it is. It is read again as the prompts are sent.
func (m *maker) conversations() (*Set, error) {
	if flag := m.mustCount(); flag != "" && m.tokenizer == nil {
		return nil, fmt.Errorf("%s: --model %s has no tokenizer on this machine: give --tokenizer, to count tokens", flag, m.Model)
	}
	f, err := spool(m.DatasetPath)
	if err != nil {
		return nil, err
	}
	s := &Set{close: f.Close}
	chosen, err := m.choose(s, f)
	if err != nil {
		f.Close()
		return nil, inFile(m.DatasetPath, err)
	}
	s.Prompts = func(yield func(Prompt) bool) {
		for _, c := range chosen {
			p, err := c.prompt(m, f)
			if err != nil {
				s.err = inFile(m.DatasetPath, err)
				return
			}
			if !yield(p) {
				return
			}
		}
	}
	s.Warmup = m.warmup(s.first())
	return s, nil
}

// choice is a conversation that is to be sent.
type choice struct {
	place
	lengths lengths
}

// choose takes as many conversations as are asked for, in random order unless options keep theirs,
// and passes over those that are too short or too long.
func (m *maker) choose(s *Set, f *os.File) (chosen []choice, err error) {
	all, err := places(f)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New("is empty")
	}
	if all, err = m.inOrder(all, f); err != nil {
		return nil, err
	}
	passed := 0
	for _, p := range all {
		if len(chosen) == m.NumPrompts {
			break
		}
		c := choice{place: p}
		t, err := m.talkAt(p, f)
		if err == nil {
			c.lengths, err = m.measure(t)
		}
		switch {
		case errors.Is(err, errPassedOver):
			passed++
			continue
		case err != nil:
			return nil, atLine{int(p.line), err}
		}
		chosen = append(chosen, c)
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("none of its %d conversations can be sent: they are too short or too long", len(all))
	}
	if passed > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: %d conversations were passed over as too short or too long", m.DatasetPath, passed))
	}
	if m.Rules == RulesVLLM && !m.NoOversample {
		chosen = m.oversample(s, chosen)
	} else {
		m.short(s, len(chosen))
	}
	for _, c := range chosen {
		for _, turn := range c.lengths {
			s.Count, s.Input, s.Output = s.Count+1, s.Input+turn[0], s.Output+turn[1]
		}
	}
	return chosen, nil
}

// inOrder puts the places of a file in the order in which they are asked for.
func (m *maker) inOrder(all []place, f *os.File) ([]place, error) {
	switch {
	case m.Name == OpenAI || m.DisableShuffle:
		return all, nil
	case m.Rules == RulesVLLM:
		return m.inVLLMsOrder(all, f)
	}
	m.rng(streamOrder).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all, nil
}

func (m *maker) talkAt(p place, f *os.File) (talk, error) {
	raw, err := p.read(f)
	if err != nil {
		return talk{}, err
	}
	return m.talk(raw)
}

// prompt reads a chosen conversation again.
func (c choice) prompt(m *maker, f *os.File) (Prompt, error) {
	t, err := m.talkAt(c.place, f)
	if err == nil && len(t.turns) < len(c.lengths) {
		err = errors.New("has changed since it was opened")
	}
	if err != nil {
		return Prompt{}, atLine{int(c.place.line), err}
	}
	return m.request(t, c.lengths), nil
}
