package dataset

import (
	"encoding/json"
	"fmt"
	"os"
)

// The rules by which vllm bench serve 0.32 chooses from a file. Source:
// vllm/benchmarks/datasets/datasets.py in github.com/vllm-project/vllm.

// unfitForVLLM says that a conversation of sharegpt is passed over; lengths are with the tokens
// that a tokenizer puts around a text.
func (m *maker) unfitForVLLM(input, output int) bool {
	const least, mostInput, most = 4, 1024, 2048
	return input < least || m.ShareGPTOutputLen == 0 && output < least || input > mostInput || input+output > most
}

// inVLLMsOrder shuffles what is left of a file without conversations of less than two messages.
func (m *maker) inVLLMsOrder(all []place, f *os.File) ([]place, error) {
	if m.Name == ShareGPT {
		left := all[:0]
		for _, p := range all {
			raw, err := p.read(f)
			if err != nil {
				return nil, atLine{int(p.line), err}
			}
			var e struct{ Conversations []json.RawMessage }
			if err := decode(raw, &e); err != nil {
				return nil, atLine{int(p.line), err}
			}
			if len(e.Conversations) >= 2 {
				left = append(left, p)
			}
		}
		all = left
	}
	t := pythonSeeded(m.Seed)
	shuffle(all, func(most int) int { return t.below(most + 1) })
	return all, nil
}

// oversample draws conversations to send once more until there are as many as are asked for.
func (m *maker) oversample(s *Set, chosen []choice) []choice {
	t := pythonSeeded(m.Seed)
	own := len(chosen)
	for len(chosen) < m.NumPrompts {
		chosen = append(chosen, chosen[t.below(own)])
	}
	m.tellAgain(s, own)
	return chosen
}

// tellAgain notes how many prompts are sent more than once.
func (m *maker) tellAgain(s *Set, holds int) {
	if again := m.NumPrompts - holds; again > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s holds %d prompts to send: %d of the %d requests send one of them again, as in vllm bench serve", m.DatasetPath, holds, again, m.NumPrompts))
	}
}

// sampledTrace draws rows of a trace, some of them again where there are less than are asked for.
// Their times count for nothing.
func (m *maker) sampledTrace() (*Set, error) {
	rows, err := m.rowLengths()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no row to send", m.DatasetPath)
	}
	drawn := m.drawRows(rows)
	s := &Set{Count: len(drawn)}
	for _, r := range drawn {
		p := m.unmade(r.row())
		s.Input, s.Output = s.Input+p.Input, s.Output+p.Output
	}
	s.Prompts = func(yield func(Prompt) bool) {
		for n, r := range drawn {
			if !yield(m.replay(n, r.row())) {
				return
			}
		}
	}
	s.Warmup = m.warmup(m.unmade(drawn[0].row()))
	m.tellAgain(s, len(rows))
	return s, nil
}

// rowLength is what is kept of a row, of which a trace has millions.
type rowLength struct{ input, output int32 }

func (l rowLength) row() row { return row{input: int(l.input), output: int(l.output)} }

func (m *maker) rowLengths() (all []rowLength, err error) {
	file, err := open(m.DatasetPath)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	err = burstGPTRows(m.Options, file, func(r row) error {
		all = append(all, rowLength{int32(r.input), int32(r.output)})
		return nil
	})
	if err != nil {
		return nil, inFile(m.DatasetPath, err)
	}
	return all, nil
}

// drawRows draws as DataFrame.sample does: from a shuffled list, or each row anew where there are
// too few of them.
func (m *maker) drawRows(all []rowLength) []rowLength {
	t := seeded(uint32(m.Seed))
	if m.NumPrompts <= len(all) {
		shuffle(all, t.upTo)
		return all[:m.NumPrompts:m.NumPrompts]
	}
	drawn := make([]rowLength, m.NumPrompts)
	for i := range drawn {
		drawn[i] = all[t.upTo(len(all)-1)]
	}
	return drawn
}
