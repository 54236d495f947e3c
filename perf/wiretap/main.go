// Command wiretap records what benchmark clients send for the same command line: the real
// sglang.bench_serving, the real vllm bench serve, and the embedded client in their place. A server
// on loopback answers each request with the tokens that it asks for and notes when it came and what
// it said. The outcome is one table for each load, in Markdown.
//
//	go run ./perf/wiretap -sglang ENV/bin/python -vllm ENV/bin/vllm -tokenizer FOLDER
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"servematrix/engine"
)

// load is one workload, in the words of each client.
type load struct{ name, sglang, vllm string }

var loads = []load{
	{"closed loop, exact lengths",
		"--backend sglang-oai --base-url ${{server.url}} --dataset-name random-ids --random-input-len 128 --random-output-len 16 --random-range-ratio 1 --num-prompts 64 --max-concurrency 8",
		"--backend openai --base-url ${{server.url}} --dataset-name random --random-input-len 128 --random-output-len 16 --ignore-eos --num-prompts 64 --max-concurrency 8"},
	{"Poisson arrivals, 40 a second",
		"--backend sglang-oai --base-url ${{server.url}} --dataset-name random-ids --random-input-len 128 --random-output-len 16 --random-range-ratio 1 --num-prompts 400 --request-rate 40",
		"--backend openai --base-url ${{server.url}} --dataset-name random --random-input-len 128 --random-output-len 16 --ignore-eos --num-prompts 400 --request-rate 40"},
	{"lengths that vary by their ranges (sglang 0.5, vLLM 0.3), 400 prompts",
		"--backend sglang-oai --base-url ${{server.url}} --dataset-name random-ids --random-input-len 128 --random-output-len 16 --random-range-ratio 0.5 --num-prompts 400 --max-concurrency 8",
		"--backend openai --base-url ${{server.url}} --dataset-name random --random-input-len 128 --random-output-len 16 --random-range-ratio 0.3 --num-prompts 400 --max-concurrency 8"},
	{"chat",
		"--backend sglang-oai-chat --base-url ${{server.url}} --dataset-name random-ids --random-input-len 128 --random-output-len 16 --random-range-ratio 1 --num-prompts 32 --max-concurrency 8",
		"--backend openai-chat --endpoint /v1/chat/completions --base-url ${{server.url}} --dataset-name random --random-input-len 128 --random-output-len 16 --num-prompts 32 --max-concurrency 8"},
	{"SGLang's /generate, token ids",
		"--backend sglang --base-url ${{server.url}} --dataset-name random-ids --tokenize-prompt --random-input-len 128 --random-output-len 16 --random-range-ratio 1 --num-prompts 32 --max-concurrency 8", ""},
	{"ShareGPT, one after another, some twice", "",
		"--backend openai --base-url ${{server.url}} --dataset-name sharegpt --dataset-path ${{files}}/sharegpt.json --num-prompts 30 --seed 3 --max-concurrency 1"},
	{"custom, one after another, chat", "",
		"--backend openai-chat --endpoint /v1/chat/completions --base-url ${{server.url}} --dataset-name custom --dataset-path ${{files}}/custom.jsonl --skip-chat-template --custom-output-len -1 --num-prompts 20 --max-concurrency 1"},
	{"BurstGPT, one after another", "",
		"--backend openai --base-url ${{server.url}} --dataset-name burstgpt --dataset-path ${{files}}/burstgpt.csv --num-prompts 12 --max-concurrency 1"},
}

func main() {
	sglang := flag.String("sglang", "", "a Python that has sglang")
	vllm := flag.String("vllm", "", "the vllm program")
	tokenizer := flag.String("tokenizer", "", "folder with a tokenizer for them")
	only := flag.String("only", "", "only the loads whose name holds this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := compare(ctx, *sglang, *vllm, *tokenizer, *only); err != nil {
		fmt.Fprintln(os.Stderr, "wiretap:", err)
		os.Exit(1)
	}
}

func compare(ctx context.Context, sglang, vllm, tokenizer, only string) error {
	dir, err := os.MkdirTemp("", "wiretap")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	files, err := filepath.Abs("bench/dataset/testdata/vllm")
	if err != nil {
		return err
	}
	own := filepath.Join(dir, "servematrix")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", own, "./cmd/servematrix").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	for _, l := range loads {
		if !strings.Contains(l.name, only) {
			continue
		}
		var columns []column
		for _, c := range []struct{ name, program, flags, real string }{
			{"sglang.bench_serving", "python3 -m sglang.bench_serving", l.sglang, sglang},
			{"vllm bench serve", "vllm bench serve", l.vllm, vllm},
		} {
			if c.real == "" || c.flags == "" {
				continue
			}
			words := strings.Fields(c.program + " " + strings.ReplaceAll(c.flags, "${{files}}", files) + " --model tiny --tokenizer " + tokenizer)
			real := append([]string{c.real}, words[1:]...)
			replaced, err := engine.Embedded().Embed(words)
			if err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
			// The tokenizer says how many ids there are; the embedded client has none.
			embedded := append(append([]string{own}, replaced.Argv()[1:]...), "--vocab-size", "4096")
			for _, run := range []struct {
				name string
				argv []string
			}{{c.name, real}, {"embedded, in its place", embedded}} {
				t, err := record(ctx, dir, run.argv)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", l.name, run.name, err)
				}
				columns = append(columns, column{run.name, t.facts()})
			}
		}
		fmt.Printf("### %s\n\n", l.name)
		table(columns)
	}
	return nil
}

// record runs a client against a tap.
func record(ctx context.Context, dir string, argv []string) (*tap, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	t := newTap()
	defer t.close()
	for i, w := range argv {
		argv[i] = strings.ReplaceAll(w, "${{server.url}}", t.url())
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "VLLM_NO_USAGE_STATS=1", "NO_PROXY=127.0.0.1")
	t.started = time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out[max(0, len(out)-2000):])
	}
	return t, nil
}
