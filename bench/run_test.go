package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"servematrix/bench/dataset"
	"servematrix/bench/wire"
	"servematrix/metric"
	"servematrix/sim"
)

// simulated starts a simulated server without noise, and gives its URL.
func simulated(t *testing.T, opt sim.Options) string {
	t.Helper()
	addr := make(chan net.Addr, 1)
	opt.InProcess, opt.Port, opt.Startup = true, -1, -1
	opt.OnListen = func(a net.Addr) { addr <- a }
	ctx, cancel := context.WithCancel(context.Background())
	exit := make(chan int, 1)
	go func() { exit <- sim.Serve(ctx, opt, io.Discard, io.Discard) }()
	t.Cleanup(func() {
		cancel()
		<-exit
	})
	url := "http://" + (<-addr).String()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		response, err := http.Get(url + "/health")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode == 200 {
			return url
		}
		if time.Now().After(deadline) {
			t.Fatal("the simulated server does not become healthy")
		}
	}
}

// TestRadixCacheAgainstLoad is the experiment of the quick start: radix cache on and off × two
// loads. The load with shared prefixes must gain from the cache, the one without must not.
// Real time is measured, so a busy host gets three tries.
func TestRadixCacheAgainstLoad(t *testing.T) {
	var problems []string
	for range 3 {
		if problems = radixExperiment(t); len(problems) == 0 {
			return
		}
		t.Log(problems)
	}
	t.Error(problems)
}

func radixExperiment(t *testing.T) (problems []string) {
	results := map[string]*metric.Values{}
	for _, cache := range []string{"on", "off"} {
		url := simulated(t, sim.Options{DisableRadixCache: cache == "off"})
		for load, opt := range map[string]Options{
			"shared": options(func(o *Options) {
				o.Dataset.Name, o.Dataset.GSPNumGroups, o.Dataset.GSPPromptsPerGroup = dataset.SharedPrefix, 2, 8
				o.Dataset.GSPSystemPromptLen, o.Dataset.GSPQuestionLen, o.Dataset.GSPOutputLen = 2048, 64, 16
			}),
			"random": options(func(o *Options) {
				o.Dataset.NumPrompts, o.Dataset.RandomInputLen, o.Dataset.RandomOutputLen, o.Dataset.RandomRangeRatio = 16, 1024, 16, 1
			}),
		} {
			opt.Wire.BaseURL, opt.Wire.Backend, opt.Load.MaxConcurrency, opt.FlushCache = url, "sglang-oai", 4, true
			s, err := Measure(context.Background(), opt)
			if err != nil {
				t.Fatal(err)
			}
			if !s.Simulated || s.Partial || s.Metrics.Value("completed") != 16 || s.Metrics.Value("failed") != 0 || s.Metrics.Value("total_output_tokens") != 256 {
				t.Fatalf("%s, %s: %+v %+v", cache, load, s.Metrics, s.Errors)
			}
			for _, name := range metric.Names() {
				if _, ok := s.Metrics.Known(name); !ok && !slices.Contains([]string{"accept_length", "max_request_rate", "max_concurrency_found"}, name) {
					t.Errorf("%s is missing", name)
				}
			}
			results[load+" "+cache] = s.Metrics
		}
	}
	for _, want := range []struct {
		load, name string
		low, high  float64
	}{
		{"shared", "median_ttft_ms", 0, 0.6},
		{"shared", "output_throughput", 1.5, 10},
		{"random", "output_throughput", 0.8, 1.25},
	} {
		gain := results[want.load+" on"].Value(want.name) / results[want.load+" off"].Value(want.name)
		if gain < want.low || gain > want.high {
			problems = append(problems, fmt.Sprintf("%s prompts: the cache changes %s by a factor of %.2f", want.load, want.name, gain))
		}
	}
	return problems
}

// TestEveryBackendAgainstTheSimulation runs each endpoint streamed and whole.
func TestEveryBackendAgainstTheSimulation(t *testing.T) {
	url := simulated(t, sim.Options{DecodeBase: time.Millisecond})
	for _, backend := range wire.Backends() {
		for _, whole := range []bool{false, true} {
			s, err := Measure(context.Background(), options(func(o *Options) {
				o.Wire.Backend = backend
				o.Wire.BaseURL = url
				o.Dataset.NumPrompts = 6
				o.Dataset.RandomInputLen = 20
				o.Dataset.RandomOutputLen = 5
				o.Dataset.RandomRangeRatio = 1
				o.Load.MaxConcurrency = 3
				o.Wire.DisableStream = whole
			}))
			if err != nil {
				t.Fatalf("%s: %v", backend, err)
			}
			_, hasTTFT := s.Metrics.Known("mean_ttft_ms")
			if s.Metrics.Value("completed") != 6 || s.Metrics.Value("total_output_tokens") != 30 || hasTTFT == whole {
				t.Errorf("%s, whole answers %v: %+v %+v", backend, whole, s.Metrics, s.Errors)
			}
			if in := s.Metrics.Value("total_input_tokens"); in != 120 && !strings.HasSuffix(backend, "-chat") {
				t.Errorf("%s: %v input tokens", backend, in)
			}
		}
	}
}

// TestFaultsAreSeen checks that each fault of the simulation that spoils answers is counted in
// its class, and for the requests it concerns.
func TestFaultsAreSeen(t *testing.T) {
	for fault, class := range map[string]string{
		"http-500=3": wire.HTTP5xx, "truncate=3": wire.Truncated, "reset=3": wire.Reset, "error-chunk=3": wire.StreamError, "wrong-usage=3": wire.WrongTokens,
	} {
		url := simulated(t, sim.Options{Faults: []string{fault}, DecodeBase: time.Millisecond})
		s, err := Measure(context.Background(), options(func(o *Options) {
			o.Wire.BaseURL = url
			o.Dataset.NumPrompts = 12
			o.Dataset.RandomInputLen = 5
			o.Dataset.RandomOutputLen = 8
			o.Dataset.RandomRangeRatio = 1
			o.Load.MaxConcurrency = 2
			o.WarmupRequests = 0
		}))
		if err != nil {
			t.Fatal(err)
		}
		if s.Metrics.Value("completed") != 8 || len(s.Errors) != 1 || s.Errors[0].Class != class || s.Errors[0].Count != 4 {
			t.Errorf("%s: %v completed, %+v", fault, s.Metrics.Value("completed"), s.Errors)
		}
	}
	url := simulated(t, sim.Options{Faults: []string{"stall=5"}})
	s, err := Measure(context.Background(), options(func(o *Options) {
		o.Wire.BaseURL = url
		o.Dataset.NumPrompts = 6
		o.Dataset.RandomInputLen = 5
		o.Dataset.RandomOutputLen = 3
		o.Dataset.RandomRangeRatio = 1
		o.Load.MaxConcurrency = 1
		o.WarmupRequests = 0
		o.Wire.Timeout = 300 * time.Millisecond
	}))
	if err != nil || s.Metrics.Value("completed") != 4 || s.Errors[0].Class != wire.TimedOut {
		t.Errorf("stall: %+v, %v", s, err)
	}
	url = simulated(t, sim.Options{Faults: []string{"die-after=5:1"}})
	s, err = Measure(context.Background(), options(func(o *Options) {
		o.Wire.BaseURL = url
		o.Dataset.NumPrompts = 8
		o.Dataset.RandomInputLen = 5
		o.Dataset.RandomOutputLen = 3
		o.Dataset.RandomRangeRatio = 1
		o.Load.MaxConcurrency = 1
		o.WarmupRequests = 0
	}))
	if err != nil || s.Metrics.Value("completed") != 4 || s.Metrics.Value("failed") != 4 {
		t.Errorf("die-after: %+v, %v", s, err)
	}
}

func TestRun(t *testing.T) {
	url := simulated(t, sim.Options{})
	path := filepath.Join(t.TempDir(), "out.jsonl")
	var stdout, stderr bytes.Buffer
	opt := options(func(o *Options) {
		o.Wire.BaseURL = url
		o.Dataset.NumPrompts = 4
		o.Dataset.RandomInputLen = 5
		o.Dataset.RandomOutputLen = 5
		o.Dataset.RandomRangeRatio = 1
		o.OutputFile = path
	})
	if code := Run(context.Background(), opt, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	for _, want := range []string{"#Input tokens: 20\n#Output tokens: 20\n", "\n============ Serving Benchmark Result ============\n", "Server:                                  simulated \n", "Failed requests:                         0         \n"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%q is missing in\n%s", want, stdout.String())
		}
	}
	if progress := stderr.String(); !strings.HasPrefix(progress, "\r  0%|          | 0/4 [00:00<?, ?it/s]") || !strings.Contains(progress, "\r100%|██████████| 4/4 [") || !strings.HasSuffix(progress, "\n") {
		t.Errorf("progress %q", progress)
	}
	line, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Simulated, Partial bool
		Completed          int
	}
	if err := json.Unmarshal(line, &got); err != nil || !got.Simulated || got.Partial || got.Completed != 4 {
		t.Errorf("%s: %v", line, err)
	}
}

func TestExitCodes(t *testing.T) {
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", 500) }))
	defer broken.Close()
	for name, c := range map[string]struct {
		opt    Options
		code   int
		stderr string
	}{
		"bad option":         {options(func(o *Options) { o.Wire.Backend = "x" }), 2, "--backend x"},
		"nobody listens":     {options(func(o *Options) { o.Wire.BaseURL = closedPort(t); o.Wire.Model = "m" }), 1, "every warm-up request failed (refused)"},
		"no model to be had": {options(func(o *Options) { o.Wire.BaseURL = broken.URL }), 1, "/v1/models: 500"},
		"no request succeeds": {options(func(o *Options) {
			o.Wire.BaseURL = broken.URL
			o.Wire.Model = "m"
			o.Dataset.NumPrompts = 2
			o.WarmupRequests = 0
			o.DisableTQDM = true
		}), 1,
			"servematrix bench: 2 requests failed (http_5xx), first: 500 Internal Server Error: no\n"},
		"nothing to flush": {options(func(o *Options) {
			o.Wire.BaseURL = simulated(t, sim.Options{Faults: []string{"http-500=1000"}})
			o.FlushCache = true
			o.Dataset.NumPrompts = 1
			o.Dataset.RandomOutputLen = 1
			o.Dataset.RandomInputLen = 1
			o.OutputFile = t.TempDir()
		}), 1, "--output-file"},
	} {
		var stdout, stderr bytes.Buffer
		if code := Run(context.Background(), c.opt, &stdout, &stderr); code != c.code || !strings.Contains(stderr.String(), c.stderr) {
			t.Errorf("%s: exit code %d, %s", name, code, stderr.String())
		}
	}
}

func TestInterrupt(t *testing.T) {
	url := simulated(t, sim.Options{DecodeBase: time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	path := filepath.Join(t.TempDir(), "out.jsonl")
	watch := &cancelAt{states: 3, cancel: cancel}
	opt := options(func(o *Options) {
		o.Wire.BaseURL = url
		o.Dataset.NumPrompts = 1000
		o.Dataset.RandomInputLen = 5
		o.Dataset.RandomOutputLen = 50
		o.Dataset.RandomRangeRatio = 1
		o.Load.MaxConcurrency = 1
		o.OutputFile = path
		o.WarmupRequests = 0
	})
	var stdout bytes.Buffer
	if code := Run(ctx, opt, &stdout, watch); code != 130 {
		t.Errorf("exit code %d\n%s", code, watch.text.String())
	}
	line, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Partial           bool
		Completed, Failed int
		NumPrompts        int `json:"num_prompts"`
	}
	if err := json.Unmarshal(line, &got); err != nil || !got.Partial || got.Completed < 1 || got.Completed > 900 || got.Failed != 0 || got.NumPrompts != 1000 {
		t.Errorf("%s: %v", line, err)
	}
	if !strings.Contains(stdout.String(), "Partial:") || !strings.Contains(watch.text.String(), "interrupted") {
		t.Errorf("nothing says that this is partial:\n%s%s", stdout.String(), watch.text.String())
	}

	early, stop := context.WithCancel(context.Background())
	stop()
	var said bytes.Buffer
	if code := Run(early, opt, io.Discard, &said); code != 130 || said.String() != "servematrix bench: interrupted\n" {
		t.Errorf("interrupted before the first request: exit code %d, %s", code, said.String())
	}
}

// cancelAt interrupts when the progress has been drawn so many times.
type cancelAt struct {
	text   bytes.Buffer
	states int
	cancel func()
}

func (c *cancelAt) Write(p []byte) (int, error) {
	if c.states -= bytes.Count(p, []byte("\r")); c.states <= 0 {
		c.cancel()
	}
	return c.text.Write(p)
}

func TestFlush(t *testing.T) {
	for _, style := range []string{sim.SGLang, sim.VLLM} {
		url := simulated(t, sim.Options{Style: style})
		opt, err := options(func(o *Options) { o.Wire.BaseURL = url }).resolve()
		if err != nil {
			t.Fatal(err)
		}
		if err := wire.New(opt.Wire).Flush(context.Background()); err != nil {
			t.Errorf("%s: %v", style, err)
		}
	}
	for answer, says := range map[string]string{`404`: "neither /flush_cache nor", `400`: "400 Bad Request", `{"success":false}`: "answers"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			switch answer {
			case "404":
				w.WriteHeader(404)
			case "400":
				w.WriteHeader(400)
			default:
				_, _ = io.WriteString(w, answer)
			}
		}))
		opt, _ := options(func(o *Options) { o.Wire.BaseURL = server.URL }).resolve()
		if err := wire.New(opt.Wire).Flush(context.Background()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s gives %v", answer, err)
		}
		server.Close()
	}
}
