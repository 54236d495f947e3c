package bench

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"servematrix/bench/dataset"
	"servematrix/bench/tally"
	"servematrix/bench/wire"
	"servematrix/metric"
)

// TestBlockHasSGLangsLayout fills a summary with the numbers of a real block of
// sglang.bench_serving and compares the rows that both have, byte for byte and in order.
func TestBlockHasSGLangsLayout(t *testing.T) {
	real, err := os.ReadFile("testdata/sglang-block.txt")
	if err != nil {
		t.Fatal(err)
	}
	opt, err := options(func(o *Options) { o.Wire.Backend = "vllm"; o.Load.MaxConcurrency = 8 }).resolve()
	if err != nil {
		t.Fatal(err)
	}
	s := &Summary{Options: opt, Metrics: metric.Of(map[string]float64{
		"completed": 40, "duration_s": 1.02, "total_input_tokens": 5120, "total_output_tokens": 2560, "request_throughput": 39.23,
		"input_throughput": 5021.04, "output_throughput": 2510.52, "peak_output_throughput": 2049, "peak_concurrent_requests": 40,
		"total_throughput": 7531.56, "concurrency": 7.76,
		"mean_e2e_latency_ms": 197.8, "median_e2e_latency_ms": 187.21, "p90_e2e_latency_ms": 241.03, "p99_e2e_latency_ms": 244.2,
		"mean_ttft_ms": 61.71, "median_ttft_ms": 28.61, "p99_ttft_ms": 166.25,
		"mean_tpot_ms": 2.16, "median_tpot_ms": 2.49, "p99_tpot_ms": 3.18,
		"mean_itl_ms": 2.15, "median_itl_ms": 0.01, "p95_itl_ms": 4.48, "p99_itl_ms": 9.43, "max_itl_ms": 133.2,
	})}
	var out bytes.Buffer
	s.WriteText(&out)
	rest := out.String()
	for line := range strings.SplitSeq(strings.TrimSpace(string(real)), "\n") {
		if strings.Contains(line, "retokenized") || strings.Contains(line, "input text tokens") {
			continue // what needs a tokenizer, and what is about images
		}
		_, after, found := strings.Cut(rest, "\n"+line+"\n")
		if !found {
			t.Fatalf("%q does not follow in\n%s", line, out.String())
		}
		rest = "\n" + after
	}
}

func TestBlockTellsWhatSGLangsDoesNot(t *testing.T) {
	opt, _ := options(func(o *Options) {
		o.Wire.DisableStream = true
		o.Load.RequestRate = 20
		o.Tally.Percentiles = "50,99.9"
		o.Tally.Definitions = "vllm"
	}).resolve()
	s := &Summary{
		Options: opt, Simulated: true, Partial: true, Reason: interrupted, Errors: []tally.ErrorClass{{Class: wire.Refused, Count: 3, Examples: []string{"x"}}}, Bottleneck: []string{"its processors were busy: it used 1.95 of 2"},
		Metrics: metric.Of(map[string]float64{"completed": 5, "failed": 3, "mean_e2e_latency_ms": 1, "p50_e2e_latency_ms": 1, "p99.9_e2e_latency_ms": 2, "request_goodput": 0.25, "p99_send_lateness_ms": 7, "mean_e2e_latency_from_schedule_ms": 8}),
	}
	var out bytes.Buffer
	s.WriteText(&out)
	for _, row := range []string{
		"Server:                                  simulated \n", "Partial:                                 interrupted\n",
		"Traffic request rate:                    20.0      \n", "Max request concurrency:                 not set   \n",
		"Failed requests:                         3         \n", "P99.9 E2E Latency (ms):                  2.00      \n",
		"Request goodput (req/s):                 0.25      \n", "Client bottleneck:                       its processors were busy: it used 1.95 of 2\n",
		"Definitions:                             vllm      \n",
		"------------------From Schedule-------------------\nP99 send lateness (ms):                  7.00      \nMean E2E latency from schedule (ms):     8.00      \n",
		"----------------------Errors----------------------\n", "refused:                                 3         \n",
	} {
		if !strings.Contains(out.String(), row) {
			t.Errorf("%q is missing in\n%s", row, out.String())
		}
	}
	if strings.Contains(out.String(), "TTFT") {
		t.Error("a latency that was not measured has a section")
	}
}

func TestPythonFloat(t *testing.T) {
	for f, want := range map[float64]string{math.Inf(1): "inf", 20: "20.0", 0.5: "0.5", 1.25: "1.25", 1000: "1000.0"} {
		if got := pythonFloat(f); got != want {
			t.Errorf("%v is %q, want %q", f, got, want)
		}
	}
}

// TestProgressLooksLikeTqdm compares with real lines; rates are smoothed there, so only what
// comes before the brackets.
func TestProgressLooksLikeTqdm(t *testing.T) {
	real, err := os.ReadFile("testdata/tqdm.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimRight(string(real), "\n"), "\n") {
		m := regexp.MustCompile(`\| (\d+)/(\d+) \[`).FindStringSubmatch(line)
		count, _ := strconv.Atoi(m[1])
		total, _ := strconv.Atoi(m[2])
		got := progressLine(counts{done: count, total: total}, time.Second)
		if want, _, _ := strings.Cut(line, "["); !strings.HasPrefix(got, want+"[00:01<") {
			t.Errorf("got  %s\nwant %s", got, line)
		}
	}
	for want, got := range map[string]string{
		" 42%|████▏     | 27/64 [00:03<00:04,  9.00it/s]":                      progressLine(counts{done: 27, total: 64}, 3*time.Second),
		"  0%|          | 0/64 [00:00<?, ?it/s]":                               progressLine(counts{total: 64}, 0),
		" 42%|████▏     | 27/64 [00:03<00:04,  9.00it/s, running=8, failed=1]": progressLine(counts{27, 64, 8, 1}, 3*time.Second),
		" 50%|█████     | 1/2 [1:01:40<1:01:40, 3700.00s/it]":                  progressLine(counts{done: 1, total: 2}, 3700*time.Second),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestJSONLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "out.jsonl")
	opt, err := options(func(o *Options) {
		o.OutputFile = path
		o.OutputDetails = true
		o.Wire.Headers = []string{"Authorization=Bearer top-secret"}
		o.Tag = "a"
		o.Wire.BaseURL = "http://user:top-secret@127.0.0.1:1"
		o.Dataset.Name = dataset.SharedPrefix
		o.Dataset.GSPNumGroups = 2
		o.Dataset.GSPPromptsPerGroup = 2
	}).resolve()
	if err != nil {
		t.Fatal(err)
	}
	s := newSummary(opt, &dataset.Set{})
	s.add(&wire.Record{Start: time.Second, TTFT: time.Second, E2E: 2 * time.Second, Gaps: []time.Duration{time.Second}, Input: 3, Output: 2})
	s.add(&wire.Record{Failed: &wire.Failure{Class: wire.Reset, Message: "gone"}, Input: 4, Output: 1})
	s.end(4*time.Second, effort{CPUSeconds: 1.5, Cores: 2})
	for range 2 {
		if err := s.appendJSON(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) != 3 || lines[0] == "" || strings.Contains(string(text), "top-secret") {
		t.Fatalf("wrote %q", text)
	}
	var got struct {
		Metrics      *metric.Values
		Client       string
		Tag          string
		Errors       []tally.ErrorClass
		Duration     float64  `json:"duration_s"`
		RequestRate  *float64 `json:"request_rate"`
		AcceptLength *float64 `json:"accept_length"`
		Config       struct {
			Headers []string
			Shared  map[string]any `json:"generated_shared_prefix"`
		}
		Effort           effort `json:"client_effort"`
		InputLens        []int  `json:"input_lens"`
		OutputLens       []int  `json:"output_lens"`
		TTFTs, Latencies []*float64
		ITLs             [][]float64
		StartTimes       []float64 `json:"start_times"`
		Failures         []string  `json:"request_errors"`
	}
	if err := json.Unmarshal([]byte(lines[0]), &got); err != nil {
		t.Fatal(err)
	}
	if got.Client != "servematrix bench" || got.Tag != "a" || got.Duration != 4 || got.RequestRate != nil || got.AcceptLength != nil ||
		len(got.Errors) != 1 || got.Config.Headers[0] != "Authorization" || got.Config.Shared["num_groups"] != 2.0 {
		t.Errorf("%+v", got)
	}
	if len(got.StartTimes) != 2 || got.TTFTs[0] != nil || *got.TTFTs[1] != 1 || *got.Latencies[1] != 2 || got.ITLs[1][0] != 1 || got.Failures[0] != "reset: gone" || got.InputLens[1] != 3 || !slices.Equal(got.OutputLens, []int{0, 2}) || got.Effort.CPUSeconds != 1.5 {
		t.Errorf("details %+v", got)
	}
	s.Options.OutputFile = t.TempDir()
	if err := s.appendJSON(); err == nil || !strings.Contains(err.Error(), "--output-file") {
		t.Errorf("a folder as output file gives %v", err)
	}
}
