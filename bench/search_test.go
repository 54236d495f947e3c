package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"servematrix/bench/dataset"
	"servematrix/bench/find"
	"servematrix/bench/wire"
	"servematrix/sim"
)

// found is what the JSON line of a search holds.
type found struct {
	Completed           float64  `json:"completed"`
	NumPrompts          float64  `json:"num_prompts"`
	RequestRate         *float64 `json:"request_rate"`
	MaxConcurrency      *float64 `json:"max_concurrency"`
	MaxRequestRate      *float64 `json:"max_request_rate"`
	MaxConcurrencyFound *float64 `json:"max_concurrency_found"`
	Partial             bool
	Find                find.Report
}

// searching runs a search against a server, and gives its exit code and what it left.
func searching(t *testing.T, ctx context.Context, url string, change func(*Options)) (code int, stdout, stderr string, line found) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.jsonl")
	var out, messages bytes.Buffer
	code = Run(ctx, options(func(o *Options) {
		o.Wire.BaseURL, o.Wire.Backend, o.OutputFile, o.DisableTQDM = url, "sglang", path, true
		o.Dataset.RandomInputLen, o.Dataset.RandomOutputLen, o.Dataset.RandomRangeRatio = 8, 4, 1
		change(o)
	}), &out, &messages)
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, &line); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
	}
	return code, out.String(), messages.String(), line
}

// A server with four slots makes the fifth of five requests at one time wait for a whole answer.
// Real time is measured, so a busy host gets three tries.
func TestTheConcurrencyOfAServerWithFourSlotsIsFound(t *testing.T) {
	url := simulated(t, sim.Options{MaxRunningRequests: 4, DecodePerSeq: -1, DisableRadixCache: true})
	problem := ""
	for range 3 {
		if problem = fourSlots(t, url); problem == "" {
			return
		}
		t.Log(problem)
	}
	t.Error(problem)
}

func fourSlots(t *testing.T, url string) (problem string) {
	code, stdout, stderr, line := searching(t, t.Context(), url, func(o *Options) {
		o.Dataset.NumPrompts, o.Dataset.RandomOutputLen = 15, 30
		o.Find.Goal, o.Find.SLO, o.Find.From, o.Find.To = find.MaxConcurrency, "mean_ttft_ms<20", 2, 16
	})
	if code != 0 || line.MaxConcurrencyFound == nil || *line.MaxConcurrencyFound != 4 || line.Find.Above == nil || *line.Find.Above != 5 {
		return fmt.Sprintf("exit code %d, %s%s", code, stdout, stderr)
	}
	if line.Find.Outcome != find.Found || !line.Find.Confirmed || *line.MaxConcurrency != 4 || line.MaxRequestRate != nil || line.NumPrompts != 30 || line.Completed != 30 || line.Partial {
		t.Errorf("%+v", line)
	}
	for _, want := range []string{
		"Search: the largest concurrency with mean_ttft_ms<20\nFrom 2 to 16 requests at one time, as close as 5%. Each probe sends 15 requests.\nAt most ",
		"PROBE   CONC  REQ/S  REQUESTS  mean_ttft_ms<20  VERDICT\n    1      2  ",
		"\nFound: 4 requests at one time; 5 fails (", "Max concurrency within SLO:              4         \n", "Service level objectives:                mean_ttft_ms<20\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	return ""
}

func TestASearchThatFindsNoLimit(t *testing.T) {
	url := simulated(t, sim.Options{DecodeBase: -1, DecodePerSeq: -1})
	rate := func(slo string) func(*Options) {
		return func(o *Options) {
			o.Find.Goal, o.Find.SLO, o.Find.From, o.Find.To = find.MaxRate, slo, 50, 100
			o.Find.Probe, o.Find.MinRequests = 100*time.Millisecond, 5
		}
	}
	code, stdout, stderr, line := searching(t, t.Context(), url, rate("p99.9_ttft_ms<0.0001,max_e2e_latency_ms<100000"))
	if code != exitNotMet || line.MaxRequestRate != nil || line.Find.Outcome != find.None || len(line.Find.Probes) != 2 {
		t.Errorf("exit code %d, %+v\n%s", code, line, stdout)
	}
	if want := "Found: nothing. Not even 50 req/s meets p99.9_ttft_ms<0.0001,max_e2e_latency_ms<100000: p99.9_ttft_ms is "; !strings.Contains(stdout, want) || !strings.Contains(stderr, want) {
		t.Errorf("%q is missing in\n%s%s", want, stdout, stderr)
	}
	code, stdout, _, line = searching(t, t.Context(), url, rate("max_e2e_latency_ms<1000000"))
	if code != 0 || line.Find.Outcome != find.AtLeast || *line.MaxRequestRate != 100 || *line.RequestRate != 100 || !strings.Contains(stdout, "Found: at least 100 req/s (") {
		t.Errorf("exit code %d, %+v\n%s", code, line, stdout)
	}
}

func TestASearchThatIsInterrupted(t *testing.T) {
	url := simulated(t, sim.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var out, messages bytes.Buffer
	path := filepath.Join(t.TempDir(), "out.jsonl")
	code := Run(ctx, options(func(o *Options) {
		o.Wire.BaseURL, o.Wire.Backend, o.OutputFile, o.DisableTQDM = url, "sglang", path, true
		o.Dataset.RandomInputLen, o.Dataset.RandomOutputLen, o.Dataset.NumPrompts = 8, 4, 5
		o.Find.Goal, o.Find.SLO, o.Find.From = find.MaxConcurrency, "max_e2e_latency_ms<1000000", 2
	}), cancelOn{&out, "    3      8", cancel}, &messages)
	data, err := os.ReadFile(path)
	var line found
	if err != nil || json.Unmarshal(data, &line) != nil {
		t.Fatal(err, string(data))
	}
	if code != exitInterrupted || !line.Partial || line.Find.Outcome != find.Interrupted || *line.MaxConcurrencyFound != 8 || !strings.Contains(out.String(), "Found so far: 8 requests at one time, not confirmed") || !strings.HasSuffix(messages.String(), "servematrix bench: the search was cut short: interrupted\n") {
		t.Errorf("exit code %d, %+v\n%s%s", code, line, out.String(), messages.String())
	}
}

// cancelOn interrupts when a text is printed.
type cancelOn struct {
	w      io.Writer
	text   string
	cancel func()
}

func (c cancelOn) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(c.text)) {
		c.cancel()
	}
	return c.w.Write(p)
}

// A server that is gone is no server that fails an SLO.
func TestASearchEndsWhenTheServerIsGone(t *testing.T) {
	url := simulated(t, sim.Options{Faults: []string{"die-after=30:1"}})
	code, _, stderr, line := searching(t, t.Context(), url, func(o *Options) {
		o.Dataset.NumPrompts = 10
		o.Find.Goal, o.Find.SLO = find.MaxConcurrency, "max_e2e_latency_ms<1000000"
	})
	if code != exitFailed || line.Find.Outcome != find.Interrupted || !line.Partial || !strings.Contains(stderr, "no request succeeded (refused") {
		t.Errorf("exit code %d, %+v\n%s", code, line, stderr)
	}
	if code, _, stderr, _ := searching(t, t.Context(), closedPort(t), func(o *Options) {
		o.Find.Goal, o.Find.SLO = find.MaxRate, "p99_ttft_ms<5"
	}); code != exitFailed || !strings.Contains(stderr, "refused") {
		t.Errorf("nobody serves: exit code %d, %s", code, stderr)
	}
}

// A server that answers nothing but errors from a level on has its limit below that, and so has one
// that this client cannot ask for more.
func TestAProbeInWhichNothingSucceedsIsNotMet(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Overload") != "" {
			http.Error(w, "too much", http.StatusServiceUnavailable)
			return
		}
		stream(w, r, "USAGE"+done)
	}))
	defer server.Close()
	opt := options(func(o *Options) {
		o.Wire.BaseURL, o.Wire.Model, o.DisableTQDM, o.WarmupRequests = server.URL, "m", true, 0
		o.Dataset.RandomInputLen, o.Dataset.RandomOutputLen, o.Dataset.RandomRangeRatio = 8, 4, 1
		o.Find.Goal, o.Find.SLO, o.Find.From, o.Find.To = find.MaxConcurrency, "p99_ttft_ms<100000", 2, 1000
	})
	s := &searcher{opt: opt, stderr: &console{w: io.Discard}, seen: map[int]*Summary{}}
	seen := func(number int, level float64) find.Seen {
		t.Helper()
		got, err := s.measure(t.Context(), find.Ask{Number: number, Level: level, Requests: int(level)})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := seen(1, 2); got.Nothing != "" || got.Metrics.Value("completed") != 2 {
		t.Errorf("%+v", got)
	}
	s.opt.Wire.Headers = []string{"Overload=1"}
	if got := seen(2, 4); got.Nothing != "no request succeeded (http_5xx: 503 Service Unavailable: too much)" || got.Metrics == nil {
		t.Errorf("%+v", got)
	}
	fewFiles(t, 500)
	if got := seen(3, 1000); !strings.Contains(got.Nothing, "1000 requests at once") || got.Metrics != nil {
		t.Errorf("%+v", got)
	}
}

func TestWhatContradictsASearch(t *testing.T) {
	for says, change := range map[string]func(*Options){
		"--find fastest: want max-rate or max-concurrency":       func(o *Options) { o.Find.Goal = "fastest" },
		"--find max-rate needs --slo":                            func(o *Options) { o.Find.SLO = "" },
		`--slo "p99_ttft_ms" at 12: no limit`:                    func(o *Options) { o.Find.SLO = "p99_ttft_ms" },
		"--slo is what a search has to meet: give --find":        func(o *Options) { o.Find.Goal = "" },
		"--find-to 4 is less than --find-from 8":                 func(o *Options) { o.Find.From, o.Find.To = 8, 4 },
		"want whole numbers of requests":                         func(o *Options) { o.Find.Goal, o.Find.From = find.MaxConcurrency, 1.5 },
		"--find max-rate: --request-rate contradicts it":         func(o *Options) { o.Load.RequestRate = 5 },
		"--find max-rate: --max-concurrency contradicts it":      func(o *Options) { o.Load.MaxConcurrency = 5 },
		"with --disable-stream only E2E latencies are measured":  func(o *Options) { o.Wire.DisableStream = true },
		"--ramp-up-strategy contradicts it":                      func(o *Options) { o.Load.RampUpStrategy, o.Load.RampUpStartRPS, o.Load.RampUpEndRPS = "linear", 1, 2 },
		"--output-requests contradicts it":                       func(o *Options) { o.OutputRequests = "requests.jsonl" },
		"say with --goodput what a good request is":              func(o *Options) { o.Find.SLO = "goodput>=0.9" },
		"a trace's own times contradict it; give --use-trace-ti": func(o *Options) { o.Dataset.Name = dataset.Mooncake },
	} {
		_, err := options(func(o *Options) {
			o.Find.Goal, o.Find.SLO = find.MaxRate, "p99_ttft_ms<500"
			change(o)
		}).resolve()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	for _, bad := range [][]string{{"--find-precision", "0.1%"}, {"--find-precision", "2"}, {"--find-from", "0"}, {"--find-to", "inf"}, {"--find-probe", "0s"}, {"--find-min-requests", "0"}} {
		if _, err := flags(t, bad...); err == nil || !strings.Contains(err.Error(), bad[0]) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	o, err := flags(t, "--find-precision", "0.1", "--find-from", "0.5")
	if err != nil || o.Find.Precision != 0.1 || o.Find.From != 0.5 {
		t.Errorf("%+v, %v", o.Find, err)
	}
}

// What happened in the first third of a probe is the server's filling up.
func TestWaitSeesAQueueThatGrows(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	w := &wait{stream: true, from: 10 * s, level: 1}
	for i := range 30 {
		at := time.Duration(i) * s
		w.add(&wire.Record{Intended: at, Start: at + at/4, TTFT: at / 5, E2E: 900 * ms})
		w.add(&wire.Record{Intended: at, Start: at, TTFT: at, Failed: &wire.Failure{}})
	}
	w.add(&wire.Record{Intended: s, Start: 20 * s, TTFT: 20 * s})
	if r := w.rise(); r < 0.159 || r > 0.161 { // 0.2 s for each 1.25 s
		t.Errorf("rises by %v", r)
	}
	if sent := w.sent(); sent < 0.799 || sent > 0.801 {
		t.Errorf("%v req/s were sent", sent)
	}
	whole := &wait{level: 1}
	for i := range 5 {
		at := time.Duration(i) * s
		whole.add(&wire.Record{Intended: at, Start: at, E2E: at / 2})
	}
	if r := whole.rise(); r < 0.499 || r > 0.501 {
		t.Errorf("rises by %v", r)
	}
}
