package bench

import (
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

func flags(t *testing.T, args ...string) (Options, error) {
	t.Helper()
	var o Options
	fs := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	AddFlags(fs, &o)
	return o, fs.Parse(args)
}

func TestFlagDefaultsAreTheZeroValues(t *testing.T) {
	o, err := flags(t)
	if err != nil {
		t.Fatal(err)
	}
	fromFlags, err := o.resolve()
	if err != nil {
		t.Fatal(err)
	}
	fromZero, err := Options{Host: "127.0.0.1"}.resolve()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromZero, fromFlags); diff != "" {
		t.Error(diff)
	}
	if fromZero.BaseURL != "http://127.0.0.1:8000" || fromZero.NumPrompts != 1000 || !math.IsInf(fromZero.RequestRate, 1) {
		t.Errorf("%+v", fromZero)
	}
}

func TestFlagValues(t *testing.T) {
	o, err := flags(t, "--backend", "sglang-oai", "--request-rate", "inf", "--warmup-requests", "0", "--dataset-name", sharedPrefix,
		"--gsp-num-groups", "3", "--gsp-prompts-per-group", "4", "--header", "A=b", "--header", "C=d=e")
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.resolve()
	if err != nil || r.WarmupRequests != 0 || r.NumPrompts != 12 || r.BaseURL != "http://127.0.0.1:30000" {
		t.Errorf("%+v, %v", r, err)
	}
	if h := newClient(r).header; h.Get("A") != "b" || h.Get("C") != "d=e" {
		t.Errorf("headers %v", h)
	}
	for _, bad := range [][]string{{"--request-rate", "0"}, {"--request-rate", "fast"}, {"--request-rate", "-1"}, {"--warmup-requests", "-1"}} {
		if _, err := flags(t, bad...); err == nil {
			t.Errorf("%v passes", bad)
		}
	}
}

// What is 0 in Options is the default; on the command line nobody means 1000 by --num-prompts 0.
func TestAFlagThatAsksForNothingIsRefused(t *testing.T) {
	for _, name := range []string{"port", "num-prompts", "random-input-len", "random-output-len", "gsp-num-groups", "gsp-prompts-per-group",
		"gsp-system-prompt-len", "gsp-question-len", "gsp-output-len", "vocab-size", "max-concurrency", "timeout"} {
		for _, value := range []string{"0", "-1", "", "-5s", "0s", "1.5", "many"} {
			if _, err := flags(t, "--"+name, value); err == nil || !strings.Contains(err.Error(), "--"+name) || !strings.Contains(err.Error(), "want a") {
				t.Errorf("--%s %q: %v", name, value, err)
			}
		}
	}
	o, err := flags(t, "--num-prompts", "1", "--max-concurrency", "2", "--timeout", "1ms")
	if err != nil || o.NumPrompts != 1 || o.MaxConcurrency != 2 || o.Timeout != time.Millisecond {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		opt  Options
		says string
	}{
		{Options{Backend: "tgi"}, "--backend tgi: want one of"},
		{Options{DatasetName: "sharegpt"}, "--dataset-name sharegpt"},
		{Options{NumPrompts: -1}, "--num-prompts -1"},
		{Options{RandomRangeRatio: 1.5}, "--random-range-ratio 1.5"},
		{Options{RandomRangeRatio: math.NaN()}, "--random-range-ratio"},
		{Options{RequestRate: -2}, "--request-rate -2"},
		{Options{Percentiles: "99,x"}, `"x" is no number`},
		{Options{Percentiles: "101"}, "--percentiles 101"},
		{Options{Headers: []string{"novalue"}}, "--header: want NAME=VALUE"},
		{Options{ExtraRequestBody: "[1]"}, "--extra-request-body"},
		{Options{ExtraRequestBody: "null"}, "--extra-request-body"},
		{Options{BaseURL: "127.0.0.1:30000"}, "--base-url"},
		{Options{BaseURL: "ftp://x"}, "--base-url"},
		{Options{VocabSize: math.MaxInt32 + 1}, "--vocab-size"},
	} {
		if _, err := c.opt.resolve(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v gives %v, want %q", c.opt, err, c.says)
		}
	}
}

func TestRandomPrompts(t *testing.T) {
	o, _ := Options{NumPrompts: 500, RandomInputLen: 100, RandomOutputLen: 10, RandomRangeRatio: 0.5, VocabSize: 7}.resolve()
	list := o.prompts()
	shortest, longest := 1000, 0
	for _, p := range list {
		shortest, longest = min(shortest, len(p.ids)), max(longest, len(p.ids))
		if p.output < 5 || p.output > 10 || slices.Max(p.ids) > 6 || slices.Min(p.ids) < 0 {
			t.Fatalf("%+v", p)
		}
	}
	if len(list) != 500 || shortest != 50 || longest != 100 {
		t.Errorf("%d prompts of %d to %d tokens", len(list), shortest, longest)
	}
	o.RandomRangeRatio = 1
	for _, p := range o.prompts() {
		if len(p.ids) != 100 || p.output != 10 {
			t.Fatalf("not exact: %d, %d", len(p.ids), p.output)
		}
	}
	if !slices.EqualFunc(o.prompts(), o.prompts(), func(a, b prompt) bool { return slices.Equal(a.ids, b.ids) }) {
		t.Error("the same seed gives other prompts")
	}
	other := o
	other.Seed = 2
	if slices.Equal(o.prompts()[0].ids, other.prompts()[0].ids) {
		t.Error("another seed gives the same prompt")
	}
}

func TestSharedPrefixPrompts(t *testing.T) {
	o, _ := Options{DatasetName: sharedPrefix, GSPNumGroups: 5, GSPPromptsPerGroup: 7, GSPSystemPromptLen: 40, GSPQuestionLen: 10, GSPOutputLen: 3}.resolve()
	groups := map[string]int{}
	whole := map[string]bool{}
	for _, p := range o.prompts() {
		if len(p.ids) != 50 || p.output != 3 {
			t.Fatalf("%d in, %d out", len(p.ids), p.output)
		}
		groups[string(idList(p.ids[:40]))]++
		whole[string(idList(p.ids))] = true
	}
	if len(groups) != 5 || len(whole) != 35 {
		t.Errorf("%d system prompts, %d different prompts", len(groups), len(whole))
	}
	for _, n := range groups {
		if n != 7 {
			t.Errorf("a group of %d", n)
		}
	}
	o.NumPrompts = 9
	if len(o.prompts()) != 9 {
		t.Error("--num-prompts does not cut")
	}
}

func TestArrivalsArePoisson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, n = 50.0, 20000
		a := arrivals{rate: rate, rng: rand.New(rand.NewPCG(1, 2))}
		began := time.Now()
		var gaps []float64
		last := time.Duration(0)
		for i := range n {
			if !a.wait(t.Context(), began) {
				t.Fatal("no arrival")
			}
			at := time.Since(began)
			if i == 0 && at != 0 {
				t.Errorf("the first request waits %v", at)
			}
			if i > 0 {
				gaps = append(gaps, (at - last).Seconds())
			}
			last = at
		}
		mean, std := moments(gaps)
		// Exponential: the standard deviation equals the mean. Their errors are about 1/√n = 0.7 %.
		if math.Abs(mean*rate-1) > 0.03 || math.Abs(std*rate-1) > 0.03 {
			t.Errorf("gaps have mean %v and sd %v, want %v", mean, std, 1/rate)
		}
	})
}

func TestLoopbackUsesNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:3128")
	for _, target := range []string{"http://127.0.0.1:30000/", "http://localhost:1/", "http://[::1]:2/", "http://0.0.0.0:3/"} {
		r, err := http.NewRequest("GET", target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := proxy(r); p != nil || err != nil {
			t.Errorf("%s goes through %v (%v)", target, p, err)
		}
	}
}
