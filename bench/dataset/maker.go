package dataset

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"

	"servematrix/bench/tokenizer"
)

// maker makes prompts as options ask for them.
type maker struct {
	Options
	tokenizer *tokenizer.Tokenizer // nil: tokens are ids, and texts are counted by the server
	words     []int32              // the tokenizer's tokens that random prompts are made of
}

func newMaker(o Options) (*maker, error) {
	m := &maker{Options: o}
	path, err := o.tokenizerFile("", os.Getenv)
	if err != nil || path == "" {
		return m, err
	}
	if m.tokenizer, err = tokenizer.Open(path); err != nil {
		return nil, fmt.Errorf("--tokenizer: %w", err)
	}
	m.words = m.tokenizer.Words()
	if len(m.words) == 0 {
		return nil, fmt.Errorf("--tokenizer %s: none of its tokens is a word", path)
	}
	ids := m.draw(nil, m.rng(streamWarmup), 1000)
	if n := len(m.tokenizer.Encode(m.tokenizer.Decode(ids))); n != len(ids) {
		return nil, fmt.Errorf("--tokenizer %s: a text of %d random words is %d tokens", path, len(ids), n)
	}
	return m, nil
}

// tokenizerFile finds the file of the tokenizer that options name, or of the model's where tokens
// must be counted. "" is none. A --tokenizer that is not here is an error, but not where it only
// repeats --model, as pasted lines do, and nothing need be counted. It is looked for as a process in
// the folder dir does whose environment getenv knows.
func (o Options) tokenizerFile(dir string, getenv func(string) string) (string, error) {
	if path, ok := tokenizerOf(o.Tokenizer, dir, getenv); ok {
		return path, nil
	}
	if o.Tokenizer != "" && (o.Tokenizer != o.Model || o.counts()) {
		return "", fmt.Errorf("--tokenizer %s: is no tokenizer.json, no folder with one, and no model in Hugging Face's cache on this machine", o.Tokenizer)
	}
	if !o.counts() {
		return "", nil
	}
	path, _ := tokenizerOf(o.Model, dir, getenv)
	return path, nil
}

// tokenizerOf finds a tokenizer by a name: a tokenizer.json, a folder that holds one, or a model in
// Hugging Face's cache.
func tokenizerOf(name, dir string, getenv func(string) string) (path string, ok bool) {
	if name == "" {
		return "", false
	}
	local := name
	if !filepath.IsAbs(name) {
		local = filepath.Join(dir, name)
	}
	if info, err := os.Stat(local); err == nil && !info.IsDir() {
		return local, true
	}
	if path := filepath.Join(local, "tokenizer.json"); exists(path) {
		return path, true
	}
	return hub(getenv, "models", name, "tokenizer.json")
}

// CheckTokenizer tells whether the tokenizer that options name is there, for a process in the folder
// dir whose environment getenv knows.
func (o Options) CheckTokenizer(dir string, getenv func(string) string) error {
	_, err := o.tokenizerFile(dir, getenv)
	return err
}

// counts says that tokens of texts must be counted before they are sent.
func (o Options) counts() bool {
	return (o.Name == ShareGPT || o.Name == Custom) && (o.ShareGPTOutputLen == 0 || o.mustCount() != "")
}

// draw appends n random tokens to ids.
func (m *maker) draw(ids []int32, rng *rand.Rand, n int) []int32 {
	for range n {
		if m.words != nil {
			ids = append(ids, m.words[rng.IntN(len(m.words))])
		} else {
			ids = append(ids, int32(rng.IntN(m.VocabSize)))
		}
	}
	return ids
}

// prompt is a request of tokens, as text where there is a tokenizer.
func (m *maker) prompt(ids []int32, output int) Prompt {
	if !m.text() {
		return Prompt{IDs: ids, Input: len(ids), Output: output}
	}
	return Prompt{Text: m.tokenizer.Decode(ids), Input: len(ids) + m.around(), Output: output}
}

func (m *maker) text() bool { return m.tokenizer != nil && !m.TokenizePrompt }

// around is how many tokens the server puts around a text by itself.
func (m *maker) around() int {
	if m.tokenizer == nil || m.TokenizePrompt {
		return 0
	}
	return m.tokenizer.Specials()
}

// own is how many tokens to draw for a prompt of n tokens.
func (m *maker) own(n int) int { return max(1, n-m.around()) }

// say is what a user says in a conversation: tokens as text.
func (m *maker) say(ids []int32) []Message {
	if m.tokenizer != nil {
		return []Message{{"user", m.tokenizer.Decode(ids)}}
	}
	return []Message{{"user", Words(ids)}}
}

// count is how many tokens a text is; 0 where nobody can tell.
func (m *maker) count(text string) int {
	if m.tokenizer == nil {
		return 0
	}
	return len(m.tokenizer.Encode(text))
}

// warmup gives the Warmup of a set of which first is one: prompts of random tokens, as long as
// first.
func (m *maker) warmup(first Prompt) func(n int) iter.Seq[Prompt] {
	length := m.own(first.Input)
	if first.Input == 0 { // text, of which nobody has counted the tokens: some four bytes each
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
				if first.IDs == nil && p.IDs != nil { // as text too
					p = Prompt{Text: Words(ids), Input: first.Input, Output: output}
				}
				if !yield(p) {
					return
				}
			}
		}
	}
}
