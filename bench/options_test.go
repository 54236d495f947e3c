package bench

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"servematrix/bench/dataset"
	"servematrix/bench/pasted"

	"github.com/spf13/pflag"
)

func flags(t *testing.T, args ...string) (Options, error) {
	t.Helper()
	var o Options
	fs := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	AddFlags(fs, &o)
	return o, fs.Parse(args)
}

// options are the defaults but for random prompts to any engine, and what change does.
func options(change func(*Options)) Options {
	o := Defaults()
	o.Wire.Backend, o.Dataset.Name = "openai", dataset.Random
	change(&o)
	return o
}

func TestDefaults(t *testing.T) {
	if _, err := Defaults().resolve(); err == nil || !strings.Contains(err.Error(), "would take it from the hub") {
		t.Error(err)
	}
	o, err := flags(t, "--dataset-name", "random")
	if err != nil {
		t.Fatal(err)
	}
	if o, err = o.resolve(); err != nil {
		t.Fatal(err)
	}
	if o.Wire.BaseURL != "http://127.0.0.1:30000" || o.Dataset.NumPrompts != 1000 || !math.IsInf(o.Load.RequestRate, 1) {
		t.Errorf("%+v", o)
	}
}

// A line of sglang.bench_serving works with the command's name changed: what it does not say means
// what it means there.
func TestDefaultsAreThoseOfSGLang(t *testing.T) {
	elsewhere := map[string]string{
		"host":        "127.0.0.1", // 0.0.0.0 reaches the same
		"num-prompts": "0",         // 1000, but where the dataset has its own number
	}
	compared := 0
	for _, f := range pasted.Lookup("sglang.bench_serving").Flags {
		name := strings.TrimLeft(f.Name, "-")
		own, has := Own(name)
		if f.Default == "" || !has {
			continue
		}
		compared++
		x, err1 := strconv.ParseFloat(f.Default, 64)
		y, err2 := strconv.ParseFloat(own.Default, 64)
		if own.Default != cmp.Or(elsewhere[name], f.Default) && (err1 != nil || err2 != nil || x != y) {
			t.Errorf("%s: %s there, %s here", f.Name, f.Default, own.Default)
		}
	}
	if compared < 18 {
		t.Errorf("%d defaults compared", compared)
	}
}

func TestFlagValues(t *testing.T) {
	o, err := flags(t, "--backend", "sglang-oai", "--request-rate", "inf", "--warmup-requests", "0", "--dataset-name", dataset.SharedPrefix,
		"--gsp-num-groups", "3", "--gsp-prompts-per-group", "4", "--header", "A=b", "--header", "C=d=e")
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.resolve()
	if err != nil || r.WarmupRequests != 0 || r.Dataset.NumPrompts != 12 || r.Wire.BaseURL != "http://127.0.0.1:30000" {
		t.Errorf("%+v, %v", r, err)
	}
	o, err = flags(t, "--dataset-name", "random", "--definitions", "vllm", "--goodput", "ttft:500", "--burstiness", "inf")
	if r, err2 := o.resolve(); err != nil || err2 != nil || !r.Wire.CountEmpty || r.Tally.Goodput.TTFT != 500 || !math.IsInf(r.Load.Burstiness, 1) {
		t.Errorf("%+v, %v, %v", r, err, err2)
	}
	for _, bad := range [][]string{{"--burstiness", "0"}, {"--goodput", ""}, {"--request-rate", "0"}, {"--request-rate", "fast"}, {"--request-rate", "-1"}, {"--warmup-requests", "-1"}} {
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
	if err != nil || o.Dataset.NumPrompts != 1 || o.Load.MaxConcurrency != 2 || o.Wire.Timeout != time.Millisecond {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		opt  Options
		says string
	}{
		{options(func(o *Options) { o.Wire.Backend = "tgi" }), "--backend tgi: want one of"},
		{options(func(o *Options) { o.Dataset.Name = "sharegpt" }), "--dataset-name sharegpt"},
		{options(func(o *Options) { o.Dataset.RandomRangeRatio = 1.5 }), "--random-range-ratio 1.5"},
		{options(func(o *Options) { o.Dataset.RandomRangeRatio = math.NaN() }), "--random-range-ratio"},
		{options(func(o *Options) { o.Tally.Percentiles = "99,x" }), `"x" is no number`},
		{options(func(o *Options) { o.Tally.Percentiles = "101" }), "--percentiles 101"},
		{options(func(o *Options) { o.Tally.Definitions = "openai" }), "--definitions openai: want sglang or vllm"},
		{options(func(o *Options) { o.Load.RampUpStartRPS = 1 }), "want --ramp-up-strategy linear or exponential"},
		{options(func(o *Options) { o.Tally.Goodput.TTFT, o.Wire.DisableStream = 5, true }), "--goodput: ttft and tpot are not measured with --disable-stream"},
		{options(func(o *Options) { o.Wire.Headers = []string{"novalue"} }), "--header: want NAME=VALUE"},
		{options(func(o *Options) { o.Wire.ExtraRequestBody = "[1]" }), "--extra-request-body"},
		{options(func(o *Options) { o.Wire.ExtraRequestBody = "null" }), "--extra-request-body"},
		{options(func(o *Options) { o.Wire.BaseURL = "127.0.0.1:30000" }), "--base-url"},
		{options(func(o *Options) { o.Wire.BaseURL = "ftp://x" }), "--base-url"},
		{options(func(o *Options) { o.Dataset.VocabSize = math.MaxInt32 + 1 }), "--vocab-size"},
	} {
		if _, err := c.opt.resolve(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v gives %v, want %q", c.opt, err, c.says)
		}
	}
}
