package dataset

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// row is one request of a trace.
type row struct {
	line          int
	at            time.Duration // in the trace's own time
	input, output int
	blocks        []uint64 // of blockTokens each, equal ones hold equal tokens; nil: all tokens are its own
}

// errEnough ends a walk through rows.
var errEnough = errors.New("enough rows")

// trace replays the rows of a file, which is read twice, line by line: once to know that all of it
// makes sense, and again as the prompts are sent.
func (m *maker) trace(rows func(o Options, r io.Reader, yield func(row) error) error) (*Set, error) {
	path := m.DatasetPath
	walk := func(yield func(n int, r row, at time.Duration) error) error {
		file, err := open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		n, began, last := 0, time.Duration(0), time.Duration(0)
		err = rows(m.Options, file, func(r row) error {
			switch {
			case n == m.NumPrompts:
				return errEnough
			case n == 0:
				began = r.at
			case r.at < last:
				return atLine{r.line, fmt.Errorf("its timestamp, %v, lies before that of the row before, %v: sort the file by time", r.at, last)}
			}
			last = r.at
			n++
			return yield(n-1, r, time.Duration(float64(r.at-began)*m.SlowdownFactor))
		})
		if err != nil && !errors.Is(err, errEnough) {
			return inFile(path, err)
		}
		return nil
	}
	s := &Set{Timed: m.UseTraceTimestamps}
	var first Prompt
	err := walk(func(n int, r row, at time.Duration) error {
		p := m.unmade(r)
		if n == 0 {
			first = p
		}
		s.Count, s.Input, s.Output = s.Count+1, s.Input+p.Input, s.Output+p.Output
		return nil
	})
	if err != nil {
		return nil, err
	}
	if s.Count == 0 {
		return nil, fmt.Errorf("%s: no row to send", path)
	}
	s.Prompts = func(yield func(Prompt) bool) {
		s.err = walk(func(n int, r row, at time.Duration) error {
			p := m.replay(n, r)
			p.At = at
			if !yield(p) {
				return errEnough
			}
			return nil
		})
	}
	s.Warmup = m.warmup(first)
	m.short(s, s.Count)
	return s, nil
}

// unmade is the prompt of a row as it is known before it is made, which is when it is sent.
func (m *maker) unmade(r row) Prompt {
	return Prompt{IDs: []int32{}, Input: m.own(r.input) + m.around(), Output: r.output}
}

// blockTokens is how many tokens a Mooncake trace's hash stands for.
const blockTokens = 512

// replay makes the prompt of row n: equal blocks have equal tokens in all prompts, so that a
// prefix cache finds what it found when the trace was taken.
func (m *maker) replay(n int, r row) Prompt {
	length := m.own(r.input)
	ids := make([]int32, 0, length)
	for _, block := range r.blocks {
		ids = m.draw(ids, m.rng(streamBlock, block), min(blockTokens, length-len(ids)))
	}
	ids = m.draw(ids, m.rng(streamTokens, uint64(n)), length-len(ids))
	return m.prompt(ids, r.output)
}

// short notes that the file holds less than was asked for.
func (m *maker) short(s *Set, holds int) {
	if m.askedFor > holds {
		s.Notes = append(s.Notes, fmt.Sprintf("%s holds %d prompts to send, not the %d that --num-prompts asks for", m.DatasetPath, holds, m.askedFor))
	}
}
