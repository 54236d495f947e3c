package bench

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"servematrix/bench/dataset"
)

func TestWhatIsNotReadIsSaid(t *testing.T) {
	const rate, ramp = "--request-rate 10 is not read: the times of the trace count; ", "--ramp-up-strategy linear is not read: "
	for _, c := range []struct {
		change func(*Options)
		says   string
	}{
		{func(o *Options) { o.Dataset.Name, o.Load.RequestRate = dataset.Mooncake, 10 }, rate},
		{func(o *Options) { o.Dataset.Name = dataset.Mooncake }, ""},
		{func(o *Options) { o.Load.RequestRate = 10 }, ""},
		{func(o *Options) {
			o.Dataset.Name, o.Dataset.UseTraceTimestamps, o.Load.RequestRate = dataset.Mooncake, false, 10
		}, ""},
		{func(o *Options) {
			o.Dataset.Name, o.Dataset.DatasetPath, o.Load.RequestRate = dataset.BurstGPT, "trace.csv", 10
		}, rate},
		{func(o *Options) { // chosen so, its rows have no times
			o.Dataset.Name, o.Dataset.DatasetPath, o.Dataset.Rules, o.Load.RequestRate = dataset.BurstGPT, "trace.csv", dataset.RulesVLLM, 10
		}, ""},
		{func(o *Options) {
			o.Dataset.Name, o.Load.RampUpStrategy, o.Load.RampUpStartRPS, o.Load.RampUpEndRPS = dataset.Mooncake, "linear", 1, 2
		}, ramp},
	} {
		opt, err := options(c.change).resolve()
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		opt.tellUnread(&said)
		if got := said.String(); (c.says == "") != (got == "") || c.says != "" && !strings.HasPrefix(got, "servematrix bench: "+c.says) {
			t.Errorf("want %q, got %q", c.says, got)
		}
	}
}

func TestARunSaysWhatIsNotRead(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stream(w, r, "USAGE"+done) }))
	defer server.Close()
	trace := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(trace, []byte(`{"timestamp": 0, "input_length": 5, "output_length": 3}`), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), options(func(o *Options) {
		o.Wire.BaseURL, o.Wire.Model, o.WarmupRequests, o.DisableTQDM = server.URL, "m", 0, true
		o.Dataset.Name, o.Dataset.DatasetPath, o.Load.RequestRate = dataset.Mooncake, trace, 10
	}), &stdout, &stderr)
	if code != 0 || strings.Count(stderr.String(), " is not read: ") != 1 || !strings.Contains(stdout.String(), "Traffic request rate:                    trace ") {
		t.Errorf("exit code %d\n%s%s", code, stdout.String(), stderr.String())
	}
}

// A search sends many times, and says once what is not read.
func TestASearchSaysOnceWhatIsNotRead(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stream(w, r, "USAGE"+done) }))
	defer server.Close()
	code, _, stderr, line := searching(t, t.Context(), server.URL, func(o *Options) {
		o.Wire.Backend, o.Wire.Model, o.Dataset.Tokenizer = "openai", "org/nobody-has", "org/nobody-has"
		o.Dataset.NumPrompts = 2
		o.Find.Goal, o.Find.SLO, o.Find.To = "max-concurrency", "max_e2e_latency_ms<1000000", 2
	})
	if code != 0 || len(line.Find.Probes) < 2 || strings.Count(stderr, "is no more than the model's name") != 1 {
		t.Errorf("exit code %d, %d probes\n%s", code, len(line.Find.Probes), stderr)
	}
}
