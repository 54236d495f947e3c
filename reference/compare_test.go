package reference

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/effective"
	"servematrix/metric"
	"servematrix/result"
)

func sample(block int, status, server, client string, tput float64) *result.Sample {
	return &result.Sample{
		Status: status, Block: block, Metrics: metric.Values{"output_throughput": tput},
		Server: &result.Side{Name: server, Argv: strings.Fields("python3 -m sglang.launch_server --model-path /models/tiny/ --tp 2 --attention-backend " + server)},
		Client: &result.Side{Name: client, Argv: strings.Fields("python3 -m sglang.bench_serving --dataset-name random --max-concurrency=" + client)},
	}
}

const backends = `version: 1
reference: two backends
source: {title: a page}
conditions: {engine: sglang, model: org/Tiny, tensor_parallel_size: 2.0, client: sglang.bench_serving, device: H200, seed: unstated, range_ratio: 1}
results:
  - name: triton
    conditions: {attention_backend: triton, max_concurrency: 4}
    metrics: {output_throughput: 50}
  - name: fa3 against triton
    conditions: {attention_backend: fa3, max_concurrency: 4}
    ratio_to: triton
    metrics: {output_throughput: 2, mean_ttft_ms: 0.5}
  - name: elsewhere
    conditions: {attention_backend: triton, max_concurrency: 64}
    metrics: {output_throughput: 400}
`

func TestCompare(t *testing.T) {
	f, err := Parse("r.yaml", []byte(backends))
	if err != nil {
		t.Fatal(err)
	}
	run := Run{Name: "night", Samples: []*result.Sample{
		sample(1, result.StatusOK, "triton", "4", 90),
		sample(1, result.StatusOK, "triton", "4", 100), // another attempt: the last counts
		sample(2, result.StatusOK, "triton", "4", 110),
		sample(3, result.StatusInvalid, "triton", "4", 9999),
		sample(1, result.StatusOK, "fa3", "4", 300),
		sample(2, result.StatusOK, "fa3", "4", 330),
		sample(1, result.StatusOK, "triton", "8", 200),
	}, Around: func(*result.Sample) Around { return Around{Devices: []string{"NVIDIA H200"}} }}
	c := Compare(f, run)
	if len(c.Matches) != 3 {
		t.Fatalf("%d matches", len(c.Matches))
	}
	first := c.Matches[0]
	if first.Cell != "triton × 4" || first.Starts != 2 || first.Others != 0 {
		t.Errorf("%+v", first)
	}
	want := []Checked{
		{"engine", "sglang", "sglang", Same}, {"model", "org/Tiny", "/models/tiny/", Same}, {"tensor_parallel_size", "2.0", "2", Same},
		{"client", "sglang.bench_serving", "sglang.bench_serving", Same}, {"device", "H200", "NVIDIA H200", Same},
		{"seed", Unstated, "", NotThere}, {"range_ratio", "1", "", Unknown},
		{"attention_backend", "triton", "triton", Same}, {"max_concurrency", "4", "4", Same},
	}
	if diff := cmp.Diff(want, first.Conditions); diff != "" {
		t.Error(diff)
	}
	n := first.Numbers[0]
	if n.Here.N != 2 || n.Here.Mean != 105 || n.Ratio != 2.1 || !(n.Low < 2.1 && n.High > 2.1) {
		t.Errorf("%+v", n)
	}
	ratio := c.Matches[1].Numbers
	if r := ratio[0]; !r.IsRatio || r.Here.N != 2 || math.Abs(r.Here.Mean-3) > 1e-9 || math.Abs(r.Ratio-1.5) > 1e-9 {
		t.Errorf("%+v", r)
	}
	if r := ratio[1]; r.Here.N != 0 || !math.IsNaN(r.Ratio) || !math.IsNaN(r.Low) {
		t.Errorf("%+v", r)
	}
	// No cell has concurrency 64: the nearest is shown, with what differs.
	last := c.Matches[2]
	if last.Count(Differs) != 1 || last.Others != 1 || last.Numbers[0].Here.N == 0 {
		t.Errorf("%+v", last)
	}
}

func TestCompareWithNothing(t *testing.T) {
	f, err := Parse("r.yaml", []byte(backends))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Compare(f, Run{Samples: []*result.Sample{sample(1, result.StatusFailed, "triton", "4", 1)}}).Matches {
		if m.Cell != "" || len(m.Numbers) == 0 || !math.IsNaN(m.Numbers[0].Ratio) {
			t.Errorf("%+v", m)
		}
	}
	// One of the two configurations alone gives no ratio.
	alone := Compare(f, Run{Samples: []*result.Sample{sample(1, result.StatusOK, "fa3", "4", 1)}}).Matches[1]
	if alone.Cell != "fa3 × 4" || alone.Numbers[0].Here.N != 0 {
		t.Errorf("%+v", alone)
	}
}

// What commands and configurations tell, each in its own way.
func TestConditionValues(t *testing.T) {
	for _, c := range []struct{ server, client, name, want string }{
		{"vllm serve /m/opt --no-enable-prefix-caching", "", "prefix_cache", "off"},
		{"vllm serve /m/opt --no-enable-prefix-caching", "", "model", "/m/opt"},
		{"python3 -m sglang.launch_server --disable-radix", "", "prefix_cache", "off"},
		{"python3 -m sglang.launch_server", "", "prefix_cache", ""},
		{"vllm serve m --enforce-eager", "", "cuda_graph", "off"},
		{"x --tensor_parallel_size=4", "", "tensor_parallel_size", "4"},
		{"x --tp 2 --tp 8", "", "tensor_parallel_size", "8"},
		{"x --trust-remote-code --tp 8", "", "--trust-remote-code", "present"},
		{"", "vllm bench serve --ignore-eos --request-rate inf", "ignore_eos", "true"},
		{"", "vllm bench serve --ignore-eos --request-rate inf", "request_rate", "inf"},
		{"", "vllm bench serve", "client", "vllm bench serve"},
		{"", "python3 -m sglang.bench_serving --flush-cache", "cache", "flushed"},
		{"", "python3 benchmark_serving.py --seed -1", "seed", "-1"},
		{"llama-server -m x", "", "engine", "llama-server"},
	} {
		s := &sides{server: &result.Side{Argv: strings.Fields(c.server)}, client: &result.Side{Argv: strings.Fields(c.client)}, sample: &result.Sample{}}
		if got, _ := s.value(c.name); got != c.want {
			t.Errorf("%q %q: %s = %q, want %q", c.server, c.client, c.name, got, c.want)
		}
	}
	s := &sides{sample: &result.Sample{Metrics: metric.Values{"max_concurrency": 32}}, client: &result.Side{Config: map[string]any{"backend": "sglang-oai", "request_rate": "inf", "disable_ignore_eos": false, "random_range_ratio": 0.5}},
		server: &result.Side{Config: map[string]any{"version": "0.5.9", "tp_size": int64(8), "disable_radix_cache": true}}}
	for name, want := range map[string]string{"engine": "sglang", "max_concurrency": "32", "request_rate": "inf", "ignore_eos": "true", "range_ratio": "0.5", "engine_version": "0.5.9", "tensor_parallel_size": "8", "prefix_cache": "off"} {
		if got, _ := s.value(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	s = &sides{sample: &result.Sample{}, server: &result.Side{Argv: []string{"vllm", "serve", "--attention-backend", "auto"}}, around: Around{
		Devices: []string{"H100", "H100"},
		Server:  &effective.Config{Version: "0.11.0", Args: map[string]any{"attention_backend": "FLASH_ATTN", "enable_prefix_caching": true, "enforce_eager": false, "tensor_parallel_size": int64(2), "quantization": nil}},
	}}
	for name, want := range map[string]string{"attention_backend": "FLASH_ATTN", "prefix_cache": "on", "cuda_graph": "on", "tensor_parallel_size": "2", "engine_version": "0.11.0", "device": "H100", "devices": "2", "quantization": ""} {
		if got, _ := s.value(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}
