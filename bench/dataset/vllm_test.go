package dataset

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is chosen from a file is what vllm bench serve 0.32.0 chooses from it: testdata/vllm/make.py
// asked it.
func TestChosenAsInVLLM(t *testing.T) {
	const dir = "testdata/vllm/"
	text, err := os.ReadFile(dir + "want.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Dataset, File  string
		Prompts        [][3]any
		Seed           uint64
		NumPrompts     int  `json:"num_prompts"`
		NoOversample   bool `json:"no_oversample"`
		DisableShuffle bool `json:"disable_shuffle"`
		OutputLen      int  `json:"output_len"`
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		o := options(t, func(o *Options) {
			o.Name, o.DatasetPath, o.Rules, o.Tokenizer = c.Dataset, dir+c.File, RulesVLLM, tokenizers+"fallback.json"
			o.Seed, o.NumPrompts, o.ShareGPTOutputLen = c.Seed, c.NumPrompts, c.OutputLen
			o.NoOversample, o.DisableShuffle = c.NoOversample, c.DisableShuffle
		})
		set, err := Open(o)
		if err != nil {
			t.Fatalf("%s, seed %d: %v", c.Dataset, c.Seed, err)
		}
		var got, want []string
		for p := range set.Prompts {
			name, _, _ := strings.Cut(p.Text, " ")
			if c.Dataset == BurstGPT {
				name = ""
			}
			if p.At != 0 || p.Next != nil {
				t.Errorf("%s: %+v", c.Dataset, p)
			}
			got = append(got, fmt.Sprint(name, " ", p.Input, " ", p.Output))
		}
		for _, p := range c.Prompts {
			want = append(want, fmt.Sprint(p[0], " ", p[1], " ", p[2]))
		}
		if !slices.Equal(got, want) || set.Count != len(want) || set.Timed {
			t.Errorf("%s, seed %d, %d prompts: set of %d\n%q, want\n%q", c.Dataset, c.Seed, c.NumPrompts, set.Count, got, want)
		}
		set.Close()
	}
}

func TestTwister(t *testing.T) {
	for seed, want := range map[uint64]string{ // of Python 3.11
		0: "[7 8 1 5 3 4 2 0 9 6] [366 597 913 929]", 7: "[8 3 1 4 7 0 9 6 2 5] [931 519 219 38]", 1<<40 + 5: "[1 2 3 6 7 0 5 4 9 8] [815 835 137 244]",
	} {
		r, list := pythonSeeded(seed), []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		shuffle(list, func(most int) int { return r.below(most + 1) })
		if got := fmt.Sprint(list, []int{r.below(1000), r.below(1000), r.below(1000), r.below(1000)}); got != want {
			t.Errorf("random.seed(%d): %s, want %s", seed, got, want)
		}
	}
	for seed, want := range map[uint32]string{ // of NumPy 2.3
		0: "[2 8 4 9 1 6 7 3 0 5] [684 559 629 192]", 4294967295: "[6 9 5 1 8 0 7 4 2 3] [419 290 12 71]",
	} {
		list := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		shuffle(list, seeded(seed).upTo)
		r := seeded(seed)
		if got := fmt.Sprint(list, []int{r.upTo(999), r.upTo(999), r.upTo(999), r.upTo(999)}); got != want {
			t.Errorf("RandomState(%d): %s, want %s", seed, got, want)
		}
	}
}

func TestVLLMsRulesTellAndRefuse(t *testing.T) {
	rules := func(name, content string, change func(*Options)) Options {
		return file(t, name, content, func(o *Options) {
			o.Rules, o.Tokenizer, o.NumPrompts, o.ShareGPTOutputLen = RulesVLLM, tokenizers+"bytes.json", 5, 9
			if change != nil {
				change(o)
			}
		})
	}
	for _, c := range []struct{ name, content string }{{ShareGPT, shareGPT}, {BurstGPT, burstGPTTrace}} {
		set, err := Open(rules(c.name, c.content, nil))
		if err != nil || set.Count != 5 || !strings.Contains(strings.Join(set.Notes, "\n"), "holds 2 prompts to send: 3 of the 5 requests send one of them again") {
			t.Errorf("%s: %+v, %v", c.name, set, err)
		}
	}
	set, err := Open(rules(ShareGPT, shareGPT, func(o *Options) { o.NoOversample = true }))
	if err != nil || set.Count != 2 || !strings.Contains(strings.Join(set.Notes, "\n"), "holds 2 prompts to send, not the 5") {
		t.Errorf("%+v, %v", set, err)
	}
	set, err = Open(rules(ShareGPT, `[{"conversations": [{"value": "a question to ask"}, {"value": "x"}]}, {"conversations": [{"value": "?"}, {"value": "x"}], "image": "i.png"}]`,
		func(o *Options) { o.NoOversample = true }))
	if err != nil || set.Count != 1 || !strings.Contains(strings.Join(set.Notes, "\n"), "passed over as too short") {
		t.Errorf("a picture beside a prompt that is too short: %+v, %v", set, err)
	}
	for _, c := range []struct{ name, content, says string }{
		{Custom, `{"conversations": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}`, "data:1: no prompt; there is conversations"},
		{ShareGPT, `[{"conversations": [{"value": "a question to ask"}, {"value": "x"}], "image": "i.png"}]`, "data:1: has an image or a video"},
		{BurstGPT, "Timestamp,Model,Request tokens,Response tokens\n2,GPT-4,0,3", "data:2: column Request tokens: 0: vllm bench serve sends an empty prompt"},
		{BurstGPT, "Timestamp,Model,Request tokens,Response tokens\n2,ChatGPT,1,3", "data: no row to send"},
		{BurstGPT, "Timestamp,Model,Request tokens\n2,ChatGPT,1", `data:1: no column "Response tokens"`},
		{ShareGPT, `[{"id": "none"}]`, "data: none of its 0 conversations"},
	} {
		if _, err := Open(rules(c.name, c.content, nil)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s", c.content, err, c.says)
		}
	}
	if _, err := Open(rules(ShareGPT, shareGPT, func(o *Options) { o.Tokenizer, o.Model = "", "org/none" })); err == nil || !strings.Contains(err.Error(), "--dataset-rules vllm: --model org/none has no tokenizer on this machine") {
		t.Errorf("%v", err)
	}
	for says, change := range map[string]func(*Options){
		"--dataset-rules vllm: give --tokenizer":        func(o *Options) { o.Name = ShareGPT },
		"--dataset-rules vllm: they choose from":        func(o *Options) { o.Name = Mooncake },
		"take --multi-turn out":                         func(o *Options) { o.Name, o.MultiTurn = Custom, true },
		"--seed 4294967296: with --dataset-rules":       func(o *Options) { o.Name, o.Seed = BurstGPT, 1<<32 },
		"--dataset-rules tgi: want sglang or vllm":      func(o *Options) { o.Name, o.Rules = Custom, "tgi" },
		"--custom-output-len -2: want a whole number":   func(o *Options) { o.Name, o.CustomOutputLen = Custom, -2 },
		"--custom-output-len 99999999: want at most 16": func(o *Options) { o.Name, o.CustomOutputLen = Custom, 99999999 },
	} {
		o := Options{DatasetPath: filepath.Join("x", "y"), SlowdownFactor: 1, Rules: RulesVLLM}
		change(&o)
		if _, err := o.Resolve(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
	if got := prompts(t, file(t, Custom, customLines, func(o *Options) { o.CustomOutputLen = 6 })); len(got) != 2 || got[0].Output != 6 || got[1].Output != 6 {
		t.Errorf("--custom-output-len 6: %+v", got)
	}
}
