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
		Status: status, Block: block, Metrics: metric.Of(map[string]float64{"output_throughput": tput}),
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
	again := sample(1, result.StatusOK, "triton", "4", 100)
	again.Attempt = 2
	run := Run{Name: "night", Samples: []*result.Sample{
		sample(1, result.StatusOK, "triton", "4", 90),
		again, // another attempt: the last counts
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
	if last.Count(Differs) != 1 || last.Cell != "triton × 8" || last.Others != 0 || last.Numbers[0].Here.N == 0 {
		t.Errorf("%+v", last)
	}
}

// A ratio pairs what compare would pair: starts of one block that both have the metric, and only
// where the two configurations were measured in turns.
func TestRatioPairsAsCompareDoes(t *testing.T) {
	f, err := Parse("r.yaml", []byte(backends))
	if err != nil {
		t.Fatal(err)
	}
	of := func(block int, server string, v float64) *result.Sample {
		return sample(block, result.StatusOK, server, "4", v)
	}
	ratio := func(samples ...*result.Sample) Compared {
		return Compare(f, Run{Samples: samples}).Matches[1].Numbers[0]
	}
	half := func(got float64) float64 { return math.Round(got*1e6) / 1e6 }

	// Blocks 2 and 4 have it on both sides, with ratios of 4 and 9. What 1 and 3 lack shifts no other.
	lacks := of(1, "triton", 0)
	lacks.Metrics = nil
	without := of(3, "fa3", 0)
	without.Metrics = nil
	got := ratio(lacks, of(1, "fa3", 999), of(2, "triton", 100), of(2, "fa3", 400), of(3, "triton", 77), without, of(4, "triton", 10), of(4, "fa3", 90))
	if got.Here.N != 2 || half(got.Here.Mean) != 6 {
		t.Errorf("%+v", got.Here)
	}
	// All of one before the other: blocks are numbers only. The spread of both arms counts.
	grouped := ratio(of(1, "triton", 100), of(2, "triton", 200), of(3, "triton", 400), of(1, "fa3", 200), of(2, "fa3", 400), of(3, "fa3", 800))
	mixed := ratio(of(1, "triton", 100), of(1, "fa3", 200), of(2, "triton", 200), of(2, "fa3", 400), of(3, "triton", 400), of(3, "fa3", 800))
	if !(grouped.Here.Low < 1 && grouped.Here.High > 3) || half(mixed.Here.Low) != 2 || half(mixed.Here.High) != 2 {
		t.Errorf("grouped %+v, mixed %+v", grouped.Here, mixed.Here)
	}
	// Samples of unknown starts are one start.
	if one := ratio(of(0, "triton", 90), of(0, "triton", 110), of(0, "fa3", 300), of(0, "fa3", 300)); one.Here.N != 1 || half(one.Here.Mean) != 3 {
		t.Errorf("%+v", one.Here)
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
		{"", "/venv/bin/python /venv/bin/vllm bench serve --backend vllm", "client", "vllm bench serve"},
		{"", "python3 -m vllm.entrypoints.cli.main bench serve", "client", "vllm bench serve"},
		{"", "/usr/bin/servematrix bench --backend vllm", "client", "servematrix"},
		{"", "python3 -m sglang.bench_serving --flush-cache", "cache", "flushed"},
		{"", "python3 benchmark_serving.py --seed -1", "seed", "-1"},
		{"llama-server -m x", "", "engine", "llama-server"},
		{"numactl --membind 0 taskset -c 0-7 llama-server -m x", "", "engine", "llama-server"},
		{"numactl --membind 0 vllm serve m --tp=8", "", "--membind", ""},
		{"numactl --membind 0 vllm serve m --tp=8", "", "tensor_parallel_size", "8"},
		{"", "timeout -k 5 1h mybench --seed 3", "client", "mybench"},
	} {
		s := &sides{server: &result.Side{Argv: strings.Fields(c.server)}, client: &result.Side{Argv: strings.Fields(c.client)}, sample: &result.Sample{}}
		s.serving, s.measuring = readings{}.of(s.server), readings{}.of(s.client)
		if got, _ := s.value(c.name); got != c.want {
			t.Errorf("%q %q: %s = %q, want %q", c.server, c.client, c.name, got, c.want)
		}
	}
	s := &sides{sample: &result.Sample{Metrics: metric.Of(map[string]float64{"max_concurrency": 32})}, client: &result.Side{Config: map[string]any{"backend": "sglang-oai", "request_rate": "inf", "disable_ignore_eos": false, "random_range_ratio": 0.5}},
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
