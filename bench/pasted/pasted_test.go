package pasted

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// own is an embedded client with a few flags.
func own(name string) (Own, bool) {
	has, ok := map[string]Own{
		"backend": {Default: "sglang"}, "base-url": {}, "model": {}, "dataset-name": {Default: "sharegpt"}, "num-prompts": {Default: "0"},
		"random-input-len": {Default: "1024"}, "random-output-len": {Default: "1024"}, "random-range-ratio": {Default: "0"},
		"request-rate": {Default: "+Inf"}, "seed": {Default: "1"}, "warmup-requests": {Default: "1"}, "header": {}, "flush-cache": {Default: "false", Switch: true},
		"gsp-num-groups": {Default: "64"}, "gsp-prompts-per-group": {Default: "16"}, "gsp-system-prompt-len": {Default: "2048"},
		"gsp-question-len": {Default: "128"}, "gsp-output-len": {Default: "256"}, "vocab-size": {Default: "10000"}, "sharegpt-output-len": {}, "gsp-range-ratio": {Default: "1"}, "burstiness": {}, "dataset-path": {}, "dataset-rules": {Default: "sglang"}, "tokenizer": {},
		"disable-shuffle": {Default: "false", Switch: true}, "no-oversample": {Default: "false", Switch: true}, "gsp-num-turns": {Default: "1"},
	}[name]
	return has, ok
}

func TestTranslate(t *testing.T) {
	for _, c := range []struct{ program, line, want string }{
		{"sglang.bench_serving", "",
			"--base-url http://127.0.0.1:30000 --backend sglang --num-prompts 1000"},
		{"sglang.bench_serving", "--backend vllm --dataset-name random --num-prompt 8 --random-input=64 --random-range-ratio 1 --seed 7 --profile-prefix /m --model m",
			"--base-url http://127.0.0.1:8000 --model m --backend vllm --dataset-name random --num-prompts 8 --random-input-len 64 --random-range-ratio 1 --seed 7"},
		{"sglang.bench_serving", "--backend lmdeploy-chat --host 10.0.0.1 --dataset-name random --model m --served-model-name s --header A=1 B=2 --seed 1",
			"--base-url http://10.0.0.1:30000 --model s --backend lmdeploy-chat --dataset-name random --num-prompts 1000 --seed 1 --header A=1 --header B=2"},
		{"sglang.bench_serving", "--backend sglang --dataset-name generated-shared-prefix --num-prompts 5 --gsp-num-groups 2 --gsp-range-ratio 1 --flush-cache --vocab-size 99",
			"--base-url http://127.0.0.1:30000 --backend sglang --dataset-name generated-shared-prefix --flush-cache --gsp-num-groups 2 --gsp-range-ratio 1 --vocab-size 99"},
		{"sglang.bench_serving", "--backend vllm --dataset-name sharegpt --sharegpt-output-len 8",
			"--base-url http://127.0.0.1:8000 --backend vllm --dataset-name sharegpt --num-prompts 1000 --sharegpt-output-len 8"},
		{"vllm bench serve", "",
			`--base-url http://127.0.0.1:8000 --backend openai --random-input-len 1024 --random-output-len 128 --random-range-ratio 1 --extra-request-body {"repetition_penalty":1,"temperature":null} --dataset-name random-ids --num-prompts 1000 --warmup-requests 0 --seed 0`},
		{"vllm bench serve", "--base-url ${{ server.url }} --random-input-len ${{n}} --output-len 8 --num_prompts 5 --temperature 0.5 --extra-body {\"top_k\":1} --save-result --seed 3 --num-warmups 1",
			`--base-url ${{ server.url }} --backend openai --random-input-len ${{n}} --random-output-len 8 --random-range-ratio 1 --extra-request-body {"repetition_penalty":1,"temperature":0.5,"top_k":1} --dataset-name random-ids --num-prompts 5 --warmup-requests 1 --seed 3`},
		{"vllm bench serve", "--input-len 100 --output-len 10 --random-range-ratio 0.3 --num-prompts 5 --seed 1 --num-warmups 1 --temperature 0",
			`--base-url http://127.0.0.1:8000 --backend openai --random-input-len 130 --random-output-len 13 --random-range-ratio 0.5384615384615384 --extra-request-body {"repetition_penalty":1,"temperature":0} --dataset-name random-ids --num-prompts 5 --warmup-requests 1 --seed 1`},
		{"vllm bench serve", "--dataset-name prefix_repetition --num-prompts 25 --output-len 8 --burstiness 0.5",
			`--base-url http://127.0.0.1:8000 --backend openai --gsp-prompts-per-group 2 --gsp-output-len 8 --disable-ignore-eos --extra-request-body {"repetition_penalty":1,"temperature":null} --dataset-name generated-shared-prefix --num-prompts 25 --warmup-requests 0 --burstiness 0.5 --seed 0 --gsp-num-groups 10 --gsp-system-prompt-len 256 --gsp-question-len 256`},
		{"vllm bench serve", "--dataset-name sharegpt --dataset-path s.json --model m --disable-shuffle",
			`--base-url http://127.0.0.1:8000 --backend openai --model m --dataset-rules vllm --disable-ignore-eos --extra-request-body {"repetition_penalty":1,"temperature":null} --dataset-name sharegpt --dataset-path s.json --num-prompts 1000 --warmup-requests 0 --seed 0 --disable-shuffle`},
		{"vllm bench serve", "--dataset-name sharegpt --dataset-path s.json --model m --served-model-name n --sharegpt-output-len 7 --no-oversample --num-prompts 3 --ignore-eos",
			`--base-url http://127.0.0.1:8000 --backend openai --model n --dataset-rules vllm --tokenizer m --sharegpt-output-len 7 --extra-request-body {"repetition_penalty":1,"temperature":null} --dataset-name sharegpt --dataset-path s.json --num-prompts 3 --warmup-requests 0 --seed 0 --no-oversample`},
		{"vllm bench serve", "--dataset-name sharegpt --dataset-path s.json --tokenizer t --sharegpt-output-len 7 --output-len ${{n}}",
			`--base-url http://127.0.0.1:8000 --backend openai --dataset-rules vllm --sharegpt-output-len ${{n}} --disable-ignore-eos --extra-request-body {"repetition_penalty":1,"temperature":null} --dataset-name sharegpt --dataset-path s.json --tokenizer t --num-prompts 1000 --warmup-requests 0 --seed 0`},
		{"vllm bench serve", "--dataset-name custom --dataset-path c.jsonl --skip-chat-template",
			`--base-url http://127.0.0.1:8000 --backend openai --dataset-rules vllm --sharegpt-output-len 256 --disable-ignore-eos --extra-request-body {"repetition_penalty":1,"temperature":null} --dataset-name custom --dataset-path c.jsonl --num-prompts 1000 --warmup-requests 0 --seed 0`},
		{"vllm bench serve", "--dataset-name custom --dataset-path c.jsonl --skip-chat-template --custom-output-len -1 --backend openai-chat --endpoint /v1/chat/completions",
			`--base-url http://127.0.0.1:8000 --backend openai-chat --dataset-rules vllm --disable-ignore-eos --extra-request-body {"temperature":null} --dataset-name custom --dataset-path c.jsonl --num-prompts 1000 --warmup-requests 0 --seed 0`},
		{"vllm bench serve", "--dataset-name custom --dataset-path c.jsonl --skip-tokenizer-init",
			`--base-url http://127.0.0.1:8000 --backend openai --dataset-rules vllm --sharegpt-output-len 1 --disable-ignore-eos --extra-request-body {"repetition_penalty":1,"temperature":null} --dataset-name custom --dataset-path c.jsonl --num-prompts 1000 --warmup-requests 0 --seed 0`},
		{"vllm bench serve", "--dataset-name burstgpt --dataset-path b.csv",
			`--base-url http://127.0.0.1:8000 --backend openai --dataset-rules vllm --disable-ignore-eos --extra-request-body {"repetition_penalty":1,"temperature":null} --dataset-name burstgpt --dataset-path b.csv --num-prompts 1000 --warmup-requests 0 --seed 0`},
	} {
		got, err := Lookup(c.program).Translate(fields(c.line), own)
		if err != nil || strings.Join(got.Args, " ") != c.want {
			t.Errorf("%s %s:\n%s, want\n%s (%v)", c.program, c.line, strings.Join(got.Args, " "), c.want, err)
		}
	}
}

// fields splits at spaces outside of ${{ … }}.
func fields(line string) []string {
	words := strings.Fields(strings.ReplaceAll(line, "${{ server.url }}", "URL"))
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, "URL", "${{ server.url }}")
	}
	return words
}

func TestTranslateTellsWhatIsLeftOut(t *testing.T) {
	got, err := Lookup("sglang.bench_serving").Translate(fields("--dataset-name random --image-count 3 --print-requests --sharegpt-context-len 5"), own)
	want := []string{
		"--sharegpt-context-len 5 is left out: it means nothing with --dataset-name random",
		"--image-count 3 is left out: it means nothing with --dataset-name random",
		"--print-requests is left out: requests are not printed",
	}
	if err != nil || strings.Join(got.Notes, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q (%v)", got.Notes, want, err)
	}
}

func TestTranslateTellsWhatVLLMDoesOtherwise(t *testing.T) {
	got, err := Lookup("vllm bench serve").Translate(fields("--dataset-name burstgpt --dataset-path b.csv --disable-shuffle --no-oversample --chat-template-kwargs {}"), own)
	want := []string{
		"prompts of burstgpt are random tokens of exactly each row's length; vLLM's client sends consecutive tokens as text, which a server may count otherwise",
		"--disable-shuffle is left out: it means nothing with --dataset-name burstgpt",
		"--no-oversample is left out: it means nothing with --dataset-name burstgpt",
		"--chat-template-kwargs {} is left out: it means something without --skip-chat-template alone",
	}
	if err != nil || strings.Join(got.Notes, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q (%v)", got.Notes, want, err)
	}
}

// A ramp is the same there; without a strategy vLLM's client takes no notice of its ends.
func TestTranslateRamps(t *testing.T) {
	const ends = " --ramp-up-start-rps 10 --ramp-up-end-rps 60"
	for line, want := range map[string]struct {
		args  string
		notes int
	}{
		"--ramp-up-strategy linear" + ends: {"--ramp-up-strategy linear" + ends, 0},
		"--num-prompts 3" + ends:           {"", 2},
	} {
		got, err := Lookup("vllm bench serve").Translate(fields(line), own)
		args := strings.Join(got.Args, " ")
		if err != nil || !strings.Contains(args, want.args) || want.args == "" && strings.Contains(args, "ramp") || len(got.Notes) != want.notes {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
	}
}

// Whoever asks for a file of the result is to get one.
func TestTranslateTellsThatAFileIsAskedFor(t *testing.T) {
	for _, c := range []struct{ program, line, want string }{
		{"vllm bench serve", "--save-d --result-dir d --save-result", "--save-result"},
		{"vllm bench serve", "--save-detailed", "--save-detailed"},
		{"vllm bench serve", "--append-result", "--append-result"},
		{"vllm bench serve", "--result-dir d --result-filename f", ""}, // which alone save nothing there
		{"sglang.bench_serving", "--dataset-name random --output-details", "--output-details"},
		{"sglang.bench_serving", "--dataset-name random", ""},
	} {
		if got, err := Lookup(c.program).Translate(fields(c.line), own); err != nil || got.Saves != c.want {
			t.Errorf("%s %s: %q, %v", c.program, c.line, got.Saves, err)
		}
	}
}

// A line of another client behind flags stays as it is: its flags are others, and read otherwise.
func TestSpellEndsWithTheFlags(t *testing.T) {
	fs := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	fs.String("tag", "", "")
	fs.Bool("disable-stream", false, "")
	fs.StringArray("header", nil, "")
	for line, want := range map[string]string{
		"--disable_stream client --header A B":          "--disable-stream client --header A B",
		"--ta -1 nice -n 1 client --ta":                 "--tag -1 nice -n 1 client --ta",
		"--tag=x client --disable_stream":               "--tag=x client --disable_stream",
		"--header A B --ta x --disable_stream x --ta y": "--header=A --header=B --tag x --disable-stream x --ta y",
	} {
		if got := strings.Join(Spell(fs, fields(line), Begun), " "); got != want {
			t.Errorf("%s became %s, want %s", line, got, want)
		}
	}
}

func TestTranslateRefuses(t *testing.T) {
	for _, c := range []struct{ program, line, want string }{
		{"sglang.bench_serving", "--backend trt", "--backend trt has no equivalent: lmdeploy, lmdeploy-chat, sglang, "},
		{"sglang.bench_serving", "--lora-name a b", "--lora-name has no equivalent"},
		{"sglang.bench_serving", "--dataset-name generated-shared-prefix --gsp-send-routing-key", "--gsp-send-routing-key has no equivalent"},
		{"sglang.bench_serving", "--num-prompts", "--num-prompts has no value"},
		{"sglang.bench_serving", "--random 3", "has no flag --random"},
		{"sglang.bench_serving", "loose", `"loose" belongs to no flag`},
		{"vllm bench serve", "--backend vllm-rerank", "--backend vllm-rerank has no equivalent"},
		{"vllm bench serve", "--endpoint /v1/chat/completions", "--endpoint /v1/chat/completions has no equivalent"},
		{"vllm bench serve", "--dataset-name hf", "--dataset-name hf has no equivalent: burstgpt, custom, prefix_repetition, random, sharegpt have one"},
		{"vllm bench serve", "--dataset-name custom --dataset-path c.jsonl", "--dataset-name custom without --skip-chat-template has no equivalent: the model's chat template is not applied"},
		{"vllm bench serve", "--dataset-name custom --skip-chat-template --custom-output-len 0", "--custom-output-len 0: want a whole number from 1 on"},
		{"vllm bench serve", "--dataset-name custom --skip-chat-template --num-prompts 0", "--num-prompts 0 has no equivalent"},
		{"vllm bench serve", "--dataset-name burstgpt --skip-tokenizer-init", "--skip-tokenizer-init has no equivalent: vLLM's client makes no prompts of burstgpt without a tokenizer"},
		{"vllm bench serve", "--dataset-name sharegpt --enable-multimodal-chat", "--enable-multimodal-chat has no equivalent"},
		{"vllm bench serve", "--random-prefix-len 5", "--random-prefix-len has no equivalent"},
		{"vllm bench serve", "--temperature hot", "--temperature hot: want a number"},
		{"vllm bench serve", "--random-range-ratio 2", "want a number from 0 to below 1"},
		{"vllm bench serve", `--random-range-ratio {"input":0,"output":0.9}`, "no one ratio"},
		{"vllm bench serve", "--backend openai-chat --endpoint /v1/chat/completions --logprobs 1", "--logprobs has no equivalent"},
	} {
		_, err := Lookup(c.program).Translate(fields(c.line), own)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.program, c.line, err, c.want)
		}
	}
}

// What a refusal proposes where it is not to take the flag out.
func TestRefusalsProposeWhatToWrite(t *testing.T) {
	for _, c := range []struct{ program, line, want string }{
		{"sglang.bench_serving", "--lora-name a b", ""},
		{"sglang.bench_serving", "--backend trt", "choose one of them"},
		{"vllm bench serve", "--dataset-name hf", "choose one of them"},
		{"vllm bench serve", "--backend vllm-rerank", "choose one of them"},
		{"vllm bench serve", "--backend openai-chat", "write --endpoint /v1/chat/completions"},
		{"vllm bench serve", "--dataset-name custom --dataset-path c.jsonl", "add --skip-chat-template, and"},
		{"vllm bench serve", "--dataset-name custom --skip-chat-template --num-prompts 0", "write how many prompts to send"},
	} {
		_, err := Lookup(c.program).Translate(fields(c.line), own)
		if refused, ok := errors.AsType[*Refusal](err); !ok || !strings.HasPrefix(refused.Instead, c.want) || c.want == "" && refused.Instead != "" {
			t.Errorf("%s %s: %+v, want %q", c.program, c.line, err, c.want)
		}
	}
}

// TestTables says when a table holds what no code reads.
func TestTables(t *testing.T) {
	for _, p := range Programs() {
		seen := map[string]bool{}
		for _, f := range p.Flags {
			switch {
			case seen[f.Name] || !strings.HasPrefix(f.Name, "--"):
				t.Errorf("%s: %q stands there twice or is no flag", p.Name, f.Name)
			case f.Is != Same && f.Is != Read && f.Is != LeftOut && f.Is != Refused:
				t.Errorf("%s: %s is %q", p.Name, f.Name, f.Is)
			case f.Takes != "" && f.Takes != "none" && f.Takes != "many":
				t.Errorf("%s: %s takes %q", p.Name, f.Name, f.Takes)
			case f.Is == LeftOut && f.Note == "":
				t.Errorf("%s: nothing says why %s is left out", p.Name, f.Name)
			}
			seen[f.Name] = true
		}
		if p.Version == "" || len(p.Flags) < 50 {
			t.Errorf("%s %s has %d flags", p.Name, p.Version, len(p.Flags))
		}
	}
}

func TestFlags(t *testing.T) {
	var given Flags
	parse := func(args ...string) error {
		fs := pflag.NewFlagSet("bench", pflag.ContinueOnError)
		fs.String("num-prompts", "", "")
		fs.StringArray("header", nil, "")
		fs.Bool("disable-stream", false, "")
		fs.Bool("disable-shuffle", false, "") // which sglang.bench_serving has not got
		AddFlags(fs, &given)
		return fs.Parse(Spell(fs, args, Begun))
	}
	if err := parse("--num_prompt", "3", "--print-requests", "--pd-sep", "--header", "A=1", "B=2", "--profile-activities", "CPU", "GPU", "--disable-st", "--disable-sh", "--disable-s"); err != nil {
		t.Fatal(err)
	}
	if notes, err := given.Check("random"); err != nil || len(notes) != 4 {
		t.Errorf("%q, %v", notes, err)
	}
	if err := parse("--gsp-send-routing-key"); err != nil {
		t.Fatal(err)
	}
	if notes, err := given.Check("random"); err != nil || len(notes) != 1 {
		t.Errorf("%q, %v", notes, err)
	}
	_, err := given.Check("generated-shared-prefix")
	if refused, ok := errors.AsType[*Refusal](err); !ok || refused.Flag != "--gsp-send-routing-key" {
		t.Errorf("%v", err)
	}
}
