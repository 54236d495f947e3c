package bench

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"servematrix/bench/dataset"
	"servematrix/sim"
)

// What a result says of the tokenizer is what prompts were made with.
func TestATokenizerThatIsNotHereIsNotClaimed(t *testing.T) {
	url := simulated(t, sim.Options{})
	for tokenizer, want := range map[string]string{"org/nobody-has": "", "tokenizer/testdata/bytes.json": "tokenizer/testdata/bytes.json"} {
		s, err := Measure(t.Context(), options(func(o *Options) {
			o.Wire.BaseURL, o.Wire.Model, o.Dataset.Tokenizer = url, tokenizer, tokenizer
			o.Dataset.NumPrompts, o.Dataset.RandomInputLen, o.Dataset.RandomOutputLen = 1, 5, 3
		}))
		if err != nil || s.config().Tokenizer != want {
			t.Errorf("%s: %v, %+v", tokenizer, err, s)
		}
	}
}

// Every dataset can be sent to every kind of endpoint, with a tokenizer and without.
func TestDatasets(t *testing.T) {
	url := simulated(t, sim.Options{})
	dir := t.TempDir()
	for name, content := range map[string]string{
		dataset.Mooncake: `{"timestamp": 0, "input_length": 600, "output_length": 3, "hash_ids": [1, 2]}` + "\n" + `{"timestamp": 10, "input_length": 20, "output_length": 4, "hash_ids": [3]}`,
		dataset.BurstGPT: "Timestamp,Model,Request tokens,Response tokens\n1,GPT-4,30,4\n1.01,GPT-4,20,3\n",
		dataset.ShareGPT: `[{"conversations": [{"from": "human", "value": "the question"}, {"from": "gpt", "value": "the answer"}, {"from": "human", "value": "and then"}, {"from": "gpt", "value": "no more of it"}]}]`,
		dataset.Custom:   `{"prompt": "the question", "output_tokens": 4}`,
		dataset.OpenAI:   `{"messages": [{"role": "user", "content": "the question"}], "max_tokens": 3, "top_p": 1}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name     string
		requests int
		change   func(*dataset.Options)
	}{
		{dataset.Random, 3, func(o *dataset.Options) { o.NumPrompts, o.RandomInputLen, o.RandomOutputLen = 3, 20, 4 }},
		{dataset.SharedPrefix, 12, func(o *dataset.Options) {
			o.GSPNumGroups, o.GSPPromptsPerGroup, o.GSPSystemPromptLen, o.GSPQuestionLen, o.GSPOutputLen, o.GSPNumTurns = 2, 2, 30, 5, 4, 3
		}},
		{dataset.Mooncake, 2, nil},
		{dataset.BurstGPT, 2, nil},
		{dataset.ShareGPT, 2, func(o *dataset.Options) { o.MultiTurn, o.ShareGPTOutputLen = true, 5 }},
		{dataset.Custom, 1, nil},
		{dataset.OpenAI, 1, nil},
	} {
		for _, backend := range []string{"sglang", "sglang-oai", "sglang-oai-chat"} {
			for _, tokenizer := range []string{"", "tokenizer/testdata/bytes.json"} {
				opt := options(func(o *Options) {
					o.Wire.BaseURL, o.Wire.Backend = url, backend
					o.DisableTQDM = true
					o.Dataset.Name, o.Dataset.Tokenizer = c.name, tokenizer
					if path := filepath.Join(dir, c.name); c.name != dataset.Random && c.name != dataset.SharedPrefix {
						o.Dataset.DatasetPath = path
					}
					if c.change != nil {
						c.change(&o.Dataset)
					}
				})
				s, err := Measure(context.Background(), opt)
				if err != nil {
					t.Errorf("%s to %s with %q: %v", c.name, backend, tokenizer, err)
					continue
				}
				if int(s.Metrics.Value("completed")) != c.requests || int(s.Metrics.Value("num_prompts")) != c.requests || s.Partial {
					t.Errorf("%s to %s with %q: %v of %v completed, want %d; %+v", c.name, backend, tokenizer, s.Metrics.Value("completed"), s.Metrics.Value("num_prompts"), c.requests, s.Errors)
				}
			}
		}
	}
}

// A bad file is a usage error that names it, and nothing is sent.
func TestBadDataset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(path, []byte("{\"timestamp\": 1, \"input_length\": 1, \"output_length\": 1}\n\nx\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := Run(context.Background(), options(func(o *Options) {
		o.Wire.BaseURL = closedPort(t)
		o.Dataset.Name, o.Dataset.DatasetPath = dataset.Mooncake, path
	}), &stdout, &stderr)
	if code != exitUsage || !strings.Contains(stderr.String(), path+":3: not JSON") {
		t.Errorf("%d, %q", code, stderr.String())
	}
}
