package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/command"
	"servematrix/matrix"
)

func TestPartsOfAFlagsValue(t *testing.T) {
	a := command.Args(strings.Fields("-w x --output kind=csv,path=a.csv --output=kind=json,path=b.json --constraint kind=max_requests,count=40,scope=all --data kind=synthetic_text,output_tokens=64"))
	for flag, want := range map[string]string{
		"--output kind=json,path":                        "b.json",
		"--output kind=csv,path":                         "a.csv",
		"--constraint kind=max_requests,count":           "40",
		"--data kind=synthetic_text,output_tokens_stdev": "",
		"--data kind=hf,output_tokens":                   "",
		"--output kind=html,path":                        "",
		"--work-dir|-w":                                  "x",
	} {
		if got, ok := a.Value(flag); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", flag, got, ok, want)
		}
	}
	if !lower(a, "--constraint kind=max_requests,count", 8) || !slices.Contains(a, "kind=max_requests,count=8,scope=all") {
		t.Errorf("not lowered: %q", a)
	}
}

// What the profiles make of real commands of the clients.
func TestOtherClientsWorkload(t *testing.T) {
	c := mustLoad(t)
	for command, want := range map[string]struct {
		asked, tokens, smoke int
		port, file           string
	}{
		"guidellm run --backend kind=openai_http,target=http://127.0.0.1:8180,model=m --profile kind=concurrent,streams=8 --constraint kind=max_requests,count=40 --data kind=synthetic_text,prompt_tokens=128,output_tokens=64": {40, 2560, 4, "8180", "/d/result.json"},
		"guidellm run --data kind=synthetic_text,output_tokens=64,output_tokens_stdev=3 --constraint kind=max_requests,count=40 --output kind=json,path=/x/g.json":                                                               {40, 0, 4, "", "/x/g.json"},
		"guidellm run --constraint kind=max_duration,seconds=30":                                                {0, 0, 0, "", "/d/result.json"},
		"aiperf profile --url http://127.0.0.1:81 --request-count 40 --concurrency 8":                           {40, 0, 4, "81", "/d/aiperf"},
		"genai-bench benchmark --api-base http://127.0.0.1:81 --num-concurrency 8 --max-requests-per-run 40":    {40, 0, 4, "81", "/d/genai-bench"},
		"evalscope perf --url http://127.0.0.1:81/v1/chat/completions --number 40 --parallel 8 --max-tokens 64": {40, 0, 4, "81", "/d/evalscope"},
		`evalscope perf --number 40 --parallel 8 --max-tokens 64 --extra-args {"ignore_eos":true}`:              {40, 2560, 4, "", "/d/evalscope"},
		"evalscope perf --number 40 80 --parallel 4 8":                                                          {0, 0, 0, "", "/d/evalscope"},
		"llama-benchy --base-url http://127.0.0.1:81/v1 --runs 5 --concurrency 8 --save-result mine.json":       {40, 0, 4, "81", "mine.json"},
		"llama-benchy --base-url http://127.0.0.1:81/v1":                                                        {3, 0, 1, "81", "/d/result.json"},
		"llama-benchy --runs 5 --concurrency 1 2 4":                                                             {0, 0, 0, "", "/d/result.json"},
		"inference-perf -c cfg.yml":      {0, 0, 0, "", "/d/inference-perf"},
		"ais_bench cfg.py -m perf -w /x": {0, 0, 0, "", "/x"},
	} {
		cl := &matrix.Client{Variant: matrix.Variant{Argv: strings.Fields(command)}}
		p := c.ClientOf(cl.Argv)
		if p == nil {
			t.Errorf("%s: not recognised", command)
			continue
		}
		asked, _ := p.NumPrompts(cl.Argv)
		tokens, _ := p.ExpectedOutputTokens(cl.Argv)
		plan := &matrix.Plan{Clients: []*matrix.Client{cl}}
		c.Complete(plan)
		got := []any{asked, tokens, p.Target.port(arguments(cl.Argv, p.Match)), p.ResultFile(append(slices.Clone(cl.Argv), cl.Added.Argv...), "/d")}
		if diff := cmp.Diff([]any{want.asked, want.tokens, want.port, want.file}, got); diff != "" {
			t.Errorf("%s:\n%s", command, diff)
		}
		smoke := 0
		if c.CutDown(cl, 4) {
			smoke, _ = p.NumPrompts(cl.Argv)
		}
		if smoke != want.smoke {
			t.Errorf("%s: cut down to %d, want %d: %q", command, smoke, want.smoke, cl.Argv)
		}
	}
}

func TestBadLayouts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.yaml")
	text := `client: cannon
layout:
  signatures: [x]
  metrics:
    throughput: a > b
    completed: "a >  > b"
    failed: {way: a}
    duration_s: {path: a, unit: sek}
  latencies:
    ttft: {paths: ["a > {stat}"]}
    itl_ms: {paths: ["[kind] > {stat}"]}
  percentile: '('
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path)
	if err == nil {
		t.Fatal("all is well, it says")
	}
	for _, want := range []string{
		`bad.yaml:3:3: unknown key "signatures"`, `did you mean "signature"?`, `bad.yaml:5:5: "throughput" is no metric`, `bad.yaml:6:16: "a >  > b": a step of the path is empty`,
		`bad.yaml:7:14: unknown key "way"`, `bad.yaml:8:33: "sek" is no unit`, `bad.yaml:10:5: "ttft" is no metric`, `ttft_ms`, `bad.yaml:11:22: "[kind] > {stat}"`, `bad.yaml:12:15:`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %s", err, want)
		}
	}
}

// Each path of a latency has a place for its statistics, each value says in one way where it is.
func TestEmbeddedLayoutsHoldTogether(t *testing.T) {
	for _, p := range mustLoad(t).Clients() {
		if len(p.Layout.Signature) == 0 || len(p.Layout.Metrics) == 0 || len(p.Promise.Always) == 0 {
			t.Errorf("%s: signature, metrics or promised are missing", p.Name)
		}
		for name, s := range p.Layout.Latencies {
			for _, path := range s.Paths {
				if !slices.Contains(path, "{stat}") {
					t.Errorf("%s: %s has no {stat} in %s", p.Name, name, path)
				}
			}
		}
		for name, v := range p.Layout.Metrics {
			ways := 0
			for _, n := range []int{len(v.Path), len(v.Count), len(v.Sum), len(v.Product)} {
				if n > 0 {
					ways++
				}
			}
			if ways != 1 {
				t.Errorf("%s: %s stands in %d ways", p.Name, name, ways)
			}
		}
	}
}
