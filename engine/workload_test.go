package engine

import (
	"slices"
	"strings"
	"testing"
)

func TestWorkloads(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct {
		command         string
		prompts, tokens int // 0: not known
		file            string
	}{
		{"python -m sglang.bench_serving --dataset-name random --random-input-len 1000 --random-output-len 500 --random-range-ratio 1 --num-prompts 256", 256, 128000, ""},
		{"python -m sglang.bench_serving --dataset-name random-ids --random-output-len 64 --random-range-ratio 1.0 --num-prompts=40 --output-file ${{late.dir}}/result.jsonl", 40, 2560, "/d/result.jsonl"},
		{"python -m sglang.bench_serving --dataset-name random --random-output-len 64 --num-prompts 40", 40, 0, ""},
		{"python -m sglang.bench_serving --dataset-name random --random-output-len 64 --random-range-ratio 1 --disable-ignore-eos", 1000, 0, ""},
		{"python -m sglang.bench_serving --dataset-name sharegpt --output-file rel/x.jsonl", 1000, 0, "rel/x.jsonl"},
		{"python -m sglang.bench_serving --dataset-name generated-shared-prefix --num-prompts 7", 0, 0, ""},
		{"vllm bench serve --random-output-len 64 --ignore-eos --num-prompts 40 --save-result --result-dir ${{late.dir}} --result-filename result.json", 40, 2560, "/d/result.json"},
		{"vllm bench serve --dataset-name random --random-output-len 64 --num-prompts 40 --result-dir out", 40, 0, ""},
		{"vllm bench serve --dataset-name random --ignore-eos --random-range-ratio 0.2 --result-dir out --result-filename /abs/x.json", 1000, 0, "/abs/x.json"},
		{"vllm bench serve --dataset-name sharegpt --ignore-eos --result-filename x.json", 1000, 0, "x.json"},
		{"servematrix bench --dataset-name random --num-prompts 8 --random-output-len 16 --random-range-ratio 1 --output-file /o/r.jsonl", 8, 128, "/o/r.jsonl"},
		{"my-bench --num-prompts 12", 12, 0, ""},
		{"my-bench", 0, 0, ""},
	} {
		argv := strings.Fields(tc.command)
		p := c.recogniseClient(argv)
		if p == nil {
			p = c.Client(Generic)
		}
		if n, ok := p.NumPrompts(argv); n != tc.prompts || ok != (tc.prompts > 0) {
			t.Errorf("%s: %d requests, %v", tc.command, n, ok)
		}
		if n, ok := p.ExpectedOutputTokens(argv); n != tc.tokens || ok != (tc.tokens > 0) {
			t.Errorf("%s: %d tokens, %v", tc.command, n, ok)
		}
		if got := p.ResultFile(argv, "/d"); got != tc.file {
			t.Errorf("%s: result file %q, want %q", tc.command, got, tc.file)
		}
	}
}

func TestResultFileOfAddedFlagsInWords(t *testing.T) {
	c := mustLoad(t)
	for _, command := range []string{"python -m sglang.bench_serving", "vllm bench serve", "servematrix bench"} {
		cl := client(command)
		c.Complete(plan(nil, cl))
		argv := append(slices.Clone(cl.Argv), cl.Added.Argv...)
		if got := c.Client(cl.Profile).ResultFile(argv, "/run/cell/b1-a1"); !strings.HasPrefix(got, "/run/cell/b1-a1/result.json") {
			t.Errorf("%s: %q", command, got)
		}
	}
}

func TestPromised(t *testing.T) {
	c := mustLoad(t)
	for command, want := range map[string]struct{ has, lacks string }{
		"vllm bench serve": {"mean_tpot_ms", "mean_e2e_latency_ms"},
		"vllm bench serve --percentile-metrics ttft,e2el": {"median_e2e_latency_ms", "mean_tpot_ms"},
		"servematrix bench":                  {"mean_ttft_ms", "p50_ttft_ms"},
		"servematrix bench --disable-stream": {"mean_e2e_latency_ms", "mean_ttft_ms"},
		"python -m sglang.bench_serving":     {"p99_ttft_ms", "mean_tpot_ms"},
	} {
		argv := strings.Fields(command)
		got := c.recogniseClient(argv).Promised(argv)
		if !slices.Contains(got, want.has) || slices.Contains(got, want.lacks) || !slices.IsSorted(got) {
			t.Errorf("%s: %v", command, got)
		}
	}
}

func TestProgress(t *testing.T) {
	c := mustLoad(t)
	for _, line := range []string{" 22%|██▏       | 9/40 [00:00<00:01, 28.20it/s]", " 22%|##        | 9/40 [00:00<00:01, 28.20it/s]"} {
		if m := c.Client("vllm bench serve").Progress.FindStringSubmatch(line); m == nil || m[1] != "9" || m[2] != "40" {
			t.Errorf("%q: %q", line, m)
		}
	}
}

func TestServerURL(t *testing.T) {
	c := mustLoad(t)
	for command, want := range map[string]string{
		"vllm serve m":                                "http://127.0.0.1:81",
		"vllm serve m --host 0.0.0.0":                 "http://127.0.0.1:81",
		"vllm serve m --host ::":                      "http://[::1]:81",
		"vllm serve m --host=localhost":               "http://localhost:81",
		"vllm serve m --host 10.0.0.7":                "http://10.0.0.7:81",
		"vllm serve m --ssl-certfile c.pem":           "https://127.0.0.1:81",
		"env A=1 vllm serve m --host 10.0.0.7":        "http://10.0.0.7:81",
		"servematrix sim serve --style vllm":          "http://127.0.0.1:81",
		"something --host 0.0.0.0 --ssl-certfile pem": "http://127.0.0.1:81",
	} {
		argv := strings.Fields(command)
		p := c.recogniseServer(argv)
		if p == nil {
			p = c.Server(Generic)
		}
		if got := p.URL(argv, "81"); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

func TestNormalExit(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct {
		profile      string
		code, signal int
		sent         string
		want         bool
	}{
		{"sglang", 0, 0, "", true},
		{"sglang", 0, 9, "TERM", true},
		{"sglang", 0, 9, "SIGTERM", true},
		{"sglang", 0, 9, "", false}, // the kernel's or somebody's SIGKILL
		{"sglang", 137, 0, "TERM", true},
		{"sglang", 1, 0, "TERM", false},
		{"vllm", 0, 9, "TERM", false},
		{"vllm", 0, 15, "TERM", true},
		{"generic", 0, 2, "INT", true},
		{"generic", 0, 11, "TERM", false},
	} {
		if got := c.Server(tc.profile).NormalExit(tc.code, tc.signal, tc.sent); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	var e Exit
	for _, text := range []string{"code 0", "signal 9 after TERM"} {
		if err := e.UnmarshalText([]byte(text)); err != nil || e.String() != text {
			t.Errorf("%q reads as %v, %v", text, e, err)
		}
		e = Exit{}
	}
}
