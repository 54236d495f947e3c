package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Names of the clients.
const (
	Embedded = "embedded"
	SGLang   = "sglang.bench_serving"
	VLLM     = "vllm bench serve"
	Benchy   = "llama-benchy"
)

// Workload is what a client is to send: Requests with Input tokens each, Concurrency of them at a
// time, each answered with Output tokens.
type Workload struct {
	Requests, Concurrency, Input, Output int
}

// Latency is what a client says of one latency, in milliseconds; NaN where it does not say it.
type Latency struct{ Mean, P99 float64 }

// Said is what a client says of a run.
type Said struct {
	Completed       int // requests
	TTFT, TPOT, E2E Latency
}

// Client is a benchmark client.
type Client struct {
	Name string
	// command gives the command line and what it adds to the environment; the result goes to out.
	command func(url string, w Workload, out string) (args, env []string)
	// read reads the result.
	read func(out string, w Workload) (Said, error)
}

// Set are the clients that can run here. bin is servematrix's binary; dir is where install put the
// others.
func Set(bin, dir string) map[string]Client {
	tokenizer := filepath.Join(dir, "vllm", "tiny")
	offline := []string{"HF_HUB_OFFLINE=1", "VLLM_NO_USAGE_STATS=1", "VLLM_DO_NOT_TRACK=1", "TQDM_DISABLE=1"}
	numbers := func(w Workload) []string {
		return []string{
			"--num-prompts", strconv.Itoa(w.Requests), "--max-concurrency", strconv.Itoa(w.Concurrency),
			"--random-input-len", strconv.Itoa(w.Input), "--random-output-len", strconv.Itoa(w.Output),
		}
	}
	all := []Client{{
		Name: Embedded,
		command: func(url string, w Workload, out string) ([]string, []string) {
			return append([]string{
				bin, "bench", "--backend", "vllm", "--base-url", url, "--model", "tiny", "--dataset-name", "random", "--random-range-ratio", "1",
				"--disable-tqdm", "--output-file", out,
			}, numbers(w)...), nil
		},
		read: readJSON("completed", "mean_e2e_latency_ms", "p99_e2e_latency_ms"),
	}, {
		Name: SGLang,
		command: func(url string, w Workload, out string) ([]string, []string) {
			return append([]string{
				filepath.Join(dir, "vllm", "client", "bin", "python"), "-m", "sglang.bench_serving", "--backend", "vllm", "--base-url", url,
				"--model", "tiny", "--tokenizer", tokenizer, "--dataset-name", "random-ids", "--random-range-ratio", "1", "--disable-tqdm", "--output-file", out,
			}, numbers(w)...), offline
		},
		read: readJSON("completed", "mean_e2e_latency_ms", "p99_e2e_latency_ms"),
	}, {
		Name: VLLM,
		command: func(url string, w Workload, out string) ([]string, []string) {
			return append([]string{
				filepath.Join(dir, "vllm", "venv", "bin", "vllm"), "bench", "serve", "--backend", "openai", "--base-url", url,
				"--model", "tiny", "--tokenizer", tokenizer, "--dataset-name", "random", "--ignore-eos", "--disable-tqdm",
				"--percentile-metrics", "ttft,tpot,itl,e2el", "--metric-percentiles", "99",
				"--save-result", "--result-dir", filepath.Dir(out), "--result-filename", filepath.Base(out),
			}, numbers(w)...), offline
		},
		read: readJSON("completed", "mean_e2el_ms", "p99_e2el_ms"),
	}, {
		// It sends bursts, each when the one before has ended.
		Name: Benchy,
		command: func(url string, w Workload, out string) ([]string, []string) {
			return []string{
				filepath.Join(dir, "other-clients", "venv", "bin", "llama-benchy"), "--base-url", url + "/v1", "--model", "tiny", "--tokenizer", tokenizer,
				"--pp", strconv.Itoa(w.Input), "--tg", strconv.Itoa(w.Output), "--exact-tg", "--runs", strconv.Itoa(max(1, w.Requests/w.Concurrency)),
				"--concurrency", strconv.Itoa(w.Concurrency), "--no-cache", "--skip-coherence", "--format", "json", "--save-result", out,
			}, []string{"HF_HUB_OFFLINE=1", "HOME=" + filepath.Join(dir, "other-clients", "home")}
		},
		read: readBenchy,
	}}
	set := map[string]Client{}
	for _, c := range all {
		set[c.Name] = c
	}
	return set
}

// Choose gives the clients that a list with commas names; an error says which there are.
func Choose(set map[string]Client, list string) (chosen []Client, err error) {
	for name := range strings.SplitSeq(list, ",") {
		c, ok := set[strings.TrimSpace(name)]
		if !ok {
			return nil, fmt.Errorf("no client is called %q: want some of %s", name, strings.Join(slices.Sorted(maps.Keys(set)), ", "))
		}
		chosen = append(chosen, c)
	}
	return chosen, nil
}

// readJSON reads the last line of a file of JSON, in which latencies but E2E are called alike.
func readJSON(completed, e2e, p99e2e string) func(string, Workload) (Said, error) {
	return func(out string, _ Workload) (Said, error) {
		data, err := os.ReadFile(out)
		if err != nil {
			return Said{}, err
		}
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		var m map[string]any
		// sglang.bench_serving writes its infinite request rate as Python does, which is no JSON.
		line := strings.ReplaceAll(lines[len(lines)-1], ": Infinity", ": null")
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			return Said{}, fmt.Errorf("%s: %w", out, err)
		}
		number := func(name string) float64 {
			if v, ok := m[name].(float64); ok {
				return v
			}
			return math.NaN()
		}
		return Said{
			Completed: int(number(completed)),
			TTFT:      Latency{number("mean_ttft_ms"), number("p99_ttft_ms")},
			TPOT:      Latency{number("mean_tpot_ms"), number("p99_tpot_ms")},
			E2E:       Latency{number(e2e), number(p99e2e)},
		}, nil
	}
}

// readBenchy reads llama-benchy's values of each request. It tells no E2E; its decode rate is
// tokens behind the first by time, so that the TPOT is its inverse.
func readBenchy(out string, _ Workload) (Said, error) {
	data, err := os.ReadFile(out)
	if err != nil {
		return Said{}, err
	}
	var told struct {
		Benchmarks []struct {
			TTFT struct{ Values []float64 } `json:"e2e_ttft"`
			Rate struct{ Values []float64 } `json:"tg_req_throughput"`
		}
	}
	if err := json.Unmarshal(data, &told); err != nil {
		return Said{}, fmt.Errorf("%s: %w", out, err)
	}
	if len(told.Benchmarks) != 1 {
		return Said{}, errors.New("llama-benchy: want one benchmark in its result")
	}
	b := told.Benchmarks[0]
	perToken := make([]float64, len(b.Rate.Values))
	for i, rate := range b.Rate.Values {
		perToken[i] = 1000 / rate
	}
	return Said{
		Completed: len(b.TTFT.Values), TTFT: Latency{Mean(b.TTFT.Values), P99(b.TTFT.Values)}, TPOT: Latency{Mean(perToken), P99(perToken)},
		E2E: Latency{math.NaN(), math.NaN()},
	}, nil
}

// Mean is the arithmetic mean.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// P99 is the 99th percentile, interpolated linearly between the values beside it, as numpy does
// and so all these clients.
func P99(values []float64) float64 { return quantile(values, 0.99) }

// Median is the 50th percentile.
func Median(values []float64) float64 { return quantile(values, 0.5) }

func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (at-float64(i))*(sorted[j]-sorted[i])
}

// Levels reads the concurrent streams of -concurrency, such as 8,64,512.
func Levels(list string) (all []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-concurrency %s: want numbers with commas", list)
		}
		all = append(all, n)
	}
	return all, nil
}
