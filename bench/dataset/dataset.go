// Package dataset makes the prompts of a load: which, how long, how long an answer each asks for,
// and, of a trace, when each is due. It sends nothing. A Set makes its prompts one after another
// as they are asked for, so that a million of them need no more memory than one; of a file it
// keeps at most where each prompt stands and how long it is.
//
// Whatever is wrong with a file is an error of Open, before anything is sent.
package dataset

import (
	"fmt"
	"iter"
)

// Set is the load of one benchmark.
type Set struct {
	// Count is how many prompts there are, those that follow another one's answer included.
	Count int
	// Input and Output are the tokens of all prompts and answers together, as far as they are known
	// beforehand: 0 where only the server can count them. Of a conversation they count what was said
	// before in each turn, as the server does.
	Input, Output int
	// Timed says that the prompts have points in time at which they are due: Prompt.At.
	Timed bool
	// Notes tell people what they might not expect of the set, a sentence each.
	Notes []string
	// Tokenizer is Options.Tokenizer; "" where prompts are made without it.
	Tokenizer string
	// Prompts gives them, the same in each walk. Those that follow another one's answer hang on it
	// and come no second time.
	Prompts iter.Seq[Prompt]
	// Warmup gives n prompts that are not among those measured, so that they put nothing of them
	// into the server's prefix cache; answers are short, as in sglang.bench_serving.
	Warmup func(n int) iter.Seq[Prompt]

	err   error
	close func() error
}

// Err tells why a walk through Prompts ended early: a file that was whole when it was opened could
// not be read again.
func (s *Set) Err() error { return s.err }

// Close gives the set's files up.
func (s *Set) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// Open makes the set that resolved options ask for. It reads what it needs to know of files, and
// its errors name the file and the line.
func Open(o Options) (*Set, error) {
	m, err := newMaker(o)
	if err != nil {
		return nil, err
	}
	set, err := m.set()
	if err != nil {
		return nil, err
	}
	switch {
	case m.tokenizer != nil:
		set.Tokenizer = o.Tokenizer
	case o.Tokenizer != "":
		set.Notes = append(set.Notes, fmt.Sprintf("--tokenizer %s is no more than the model's name, and that model's is not on this machine: random prompts are token ids, and the tokens of texts are the server's to count; for text name a tokenizer.json, or a folder with one", o.Tokenizer))
	}
	return set, nil
}

// set makes the set of the dataset that was asked for.
func (m *maker) set() (*Set, error) {
	switch m.Name {
	case SharedPrefix:
		return m.sharedPrefix(), nil
	case ShareGPT, Custom, OpenAI:
		return m.conversations()
	case Mooncake:
		return m.trace(mooncakeRows)
	case BurstGPT:
		if m.Rules == RulesVLLM {
			return m.sampledTrace()
		}
		return m.trace(burstGPTRows)
	}
	return m.random()
}
