package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"servematrix/bench/tokenizer"
)

const tokenizers = "../tokenizer/testdata/"

func loaded(t *testing.T, name string) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.Open(tokenizers + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// A text of random tokens is exactly as long as was asked for, with what the server puts around it.
func TestRandomTextIsExact(t *testing.T) {
	for _, name := range []string{"bytes", "gpt2", "fallback", "metaspace"} {
		tok := loaded(t, name)
		for _, dataset := range []string{Random, SharedPrefix, Mooncake, BurstGPT} {
			o := file(t, dataset, map[string]string{Mooncake: mooncakeTrace, BurstGPT: burstGPTTrace}[dataset], func(o *Options) {
				o.Tokenizer = tokenizers + name + ".json"
				o.NumPrompts, o.RandomInputLen, o.GSPSystemPromptLen = 20, 100, 50
			})
			for _, p := range prompts(t, o) {
				if n := len(tok.Encode(p.Text)) + tok.Specials(); p.IDs != nil || n != p.Input {
					t.Fatalf("%s, %s: %d tokens, the prompt says %d", name, dataset, n, p.Input)
				}
			}
			o.TokenizePrompt = true
			for _, p := range prompts(t, o) {
				if p.Text != "" || len(p.IDs) != p.Input || int(slices.Max(p.IDs)) >= tok.Size() {
					t.Fatalf("%s, %s: %d ids for %d tokens", name, dataset, len(p.IDs), p.Input)
				}
			}
		}
	}
}

func TestTextSharesPrefixes(t *testing.T) {
	o := file(t, Mooncake, mooncakeTrace, func(o *Options) { o.Tokenizer = tokenizers + "bytes.json" })
	tok := loaded(t, "bytes")
	list := prompts(t, o)
	a, b := tok.Encode(list[0].Text), tok.Encode(list[1].Text)
	if !slices.Equal(a[:1024], b[:1024]) || slices.Equal(a[1024:1050], b[1024:1050]) {
		t.Error("the texts do not share what their hashes share")
	}
}

func TestConversationsAreCounted(t *testing.T) {
	tok := loaded(t, "fallback")
	with := func(change func(*Options)) Options {
		return file(t, ShareGPT, shareGPT, func(o *Options) {
			o.Tokenizer, o.DisableShuffle = tokenizers+"fallback.json", true
			if change != nil {
				change(o)
			}
		})
	}
	list := prompts(t, with(nil))
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	if p, want := list[0], len(tok.Encode("first question"))+1; p.Input != want || p.Output != 1+len(tok.Encode("one")) {
		t.Errorf("%d in, %d out, want %d, %d", p.Input, p.Output, want, 1+len(tok.Encode("one")))
	}
	both := list[0].Input + list[0].Output
	if short := prompts(t, with(func(o *Options) { o.ShareGPTContextLen = both })); len(short) != 1 || short[0].Text != "first question" {
		t.Errorf("--sharegpt-context-len %d leaves %+v", both, short)
	}
	turns := prompts(t, with(func(o *Options) { o.MultiTurn = true }))
	first, second := turns[0], turns[0].Next
	if want := first.Input + first.Output + len(tok.Encode("and then?")); second == nil || second.Input != want || second.Output != 1+len(tok.Encode("two more words")) {
		t.Errorf("%+v, want %d", second, want)
	}
	if cut := prompts(t, with(func(o *Options) { o.MultiTurn, o.ShareGPTContextLen = true, both }))[0]; cut.Next != nil {
		t.Error("a turn that does not fit is sent")
	}
	dropped, err := Open(file(t, ShareGPT, `[{"conversations": [{"value": "question"}, {"value": ""}]}, {"conversations": [{"value": "the question"}, {"value": "the answer"}]}]`, func(o *Options) { o.Tokenizer = tokenizers + "fallback.json" }))
	if err != nil || dropped.Count != 1 || len(dropped.Notes) != 1 && !strings.Contains(dropped.Notes[0], "1 conversations were passed over") {
		t.Errorf("%+v, %v", dropped, err)
	}
}

func TestWhereATokenizerIsFound(t *testing.T) {
	text, err := os.ReadFile(tokenizers + "bytes.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("HF_HUB_CACHE", dir)
	for path, content := range map[string]string{
		"model/tokenizer.json":                              string(text),
		"models--org--name/refs/main":                       "abc\n",
		"models--org--name/snapshots/abc/tokenizer.json":    string(text),
		"models--org--untaken/snapshots/abc/tokenizer.json": string(text),
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Join(dir, "model"), filepath.Join(dir, "model", "tokenizer.json"), "org/name"} {
		if list := prompts(t, options(t, func(o *Options) { o.Tokenizer, o.NumPrompts, o.RandomInputLen = name, 2, 5 })); list[0].Text == "" {
			t.Errorf("%s: no text", name)
		}
		if list := prompts(t, file(t, ShareGPT, shareGPT, func(o *Options) { o.Model = name })); list[0].Output == 0 {
			t.Errorf("the tokenizer of --model %s is not asked", name)
		}
	}
	if _, err := Open(options(t, func(o *Options) { o.Tokenizer = "org/untaken" })); err == nil || !strings.Contains(err.Error(), "--tokenizer org/untaken: is no tokenizer.json, no folder with one") {
		t.Errorf("%v", err)
	}
	if set, err := Open(options(t, func(o *Options) { o.Tokenizer, o.Model = "org/name", "org/name" })); err != nil || set.Tokenizer != "org/name" || len(set.Notes) != 0 {
		t.Errorf("the model's own tokenizer: %+v, %v", set, err)
	}
	own := func(o *Options) { o.Tokenizer, o.Model = "org/untaken", "org/untaken" }
	if set, err := Open(options(t, own)); err != nil || set.Tokenizer != "" || len(set.Notes) != 1 || !strings.HasPrefix(set.Notes[0], "--tokenizer org/untaken is no more than the model's name, and ") {
		t.Errorf("the model's name alone: %+v, %v", set, err)
	}
	if _, err := Open(file(t, ShareGPT, shareGPT, own)); err == nil || !strings.Contains(err.Error(), "--tokenizer org/untaken: is no") {
		t.Errorf("the model's name where answers must be counted: %v", err)
	}
	if _, err := Open(options(t, func(o *Options) { o.Tokenizer = "options.go" })); err == nil || !strings.Contains(err.Error(), "--tokenizer: options.go: is no tokenizer.json") {
		t.Errorf("%v", err)
	}
	if _, err := Open(file(t, ShareGPT, shareGPT, func(o *Options) { o.Model, o.ShareGPTContextLen = "org/untaken", 9 })); err == nil || !strings.Contains(err.Error(), "give --tokenizer") {
		t.Errorf("%v", err)
	}
}
