package bench

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// AddFlags adds the flags of `bench` to fs, bound to o, under the names that
// sglang.bench_serving gives them. What o holds before is overwritten by the defaults.
func AddFlags(fs *pflag.FlagSet, o *Options) {
	fs.StringVar(&o.Backend, "backend", "openai", "sglang-oai, vllm or openai (completions); sglang-oai-chat, vllm-chat or openai-chat; sglang (/generate)")
	fs.StringVar(&o.BaseURL, "base-url", "", "server, such as http://127.0.0.1:30000 (default: from --host and --port)")
	fs.StringVar(&o.Host, "host", "127.0.0.1", "server's host")
	countVar(fs, &o.Port, "port", 0, "server's port (default 30000 for sglang backends, 8000 for others)")
	fs.StringVar(&o.Model, "model", "", "model name in requests (default: ask the server)")

	fs.StringVar(&o.DatasetName, "dataset-name", "random", "random or random-ids (random token ids), or generated-shared-prefix")
	countVar(fs, &o.NumPrompts, "num-prompts", 0, "requests to send (default 1000; generated-shared-prefix: all)")
	countVar(fs, &o.RandomInputLen, "random-input-len", 1024, "prompt length in tokens")
	countVar(fs, &o.RandomOutputLen, "random-output-len", 1024, "answer length in tokens")
	fs.Float64Var(&o.RandomRangeRatio, "random-range-ratio", 0, "lengths are uniform from ratio·len to len; 1: exact")
	countVar(fs, &o.GSPNumGroups, "gsp-num-groups", 64, "groups with a common system prompt")
	countVar(fs, &o.GSPPromptsPerGroup, "gsp-prompts-per-group", 16, "prompts in each group")
	countVar(fs, &o.GSPSystemPromptLen, "gsp-system-prompt-len", 2048, "system prompt length in tokens")
	countVar(fs, &o.GSPQuestionLen, "gsp-question-len", 128, "length of each prompt's own part in tokens")
	countVar(fs, &o.GSPOutputLen, "gsp-output-len", 256, "answer length in tokens")
	countVar(fs, &o.VocabSize, "vocab-size", 10000, "random token ids are below this; at most the model's vocabulary")
	fs.Uint64Var(&o.Seed, "seed", 1, "seed of prompts and arrivals; the same seed sends the same prompts")

	o.RequestRate = math.Inf(1)
	fs.Var((*rate)(&o.RequestRate), "request-rate", "mean arrivals per second (Poisson); inf: all at once")
	countVar(fs, &o.MaxConcurrency, "max-concurrency", 0, "most requests in flight (default: no limit)")
	o.WarmupRequests = 1
	fs.Var((*warmups)(&o.WarmupRequests), "warmup-requests", "requests before the measurement")
	fs.BoolVar(&o.DisableIgnoreEOS, "disable-ignore-eos", false, "let the model end its answers; lengths are not checked then")
	fs.BoolVar(&o.DisableStream, "disable-stream", false, "ask for whole answers: no TTFT, TPOT and ITL")
	fs.BoolVar(&o.FlushCache, "flush-cache", false, "empty the server's prefix cache first")
	o.Timeout = 10 * time.Minute
	fs.Var((*span)(&o.Timeout), "timeout", "longest time for one request")
	fs.StringArrayVar(&o.Headers, "header", nil, "NAME=VALUE to send with each request, repeatable")
	fs.StringVar(&o.ExtraRequestBody, "extra-request-body", "", "JSON object merged into each request")

	fs.StringVar(&o.Percentiles, "percentiles", "90,95,99", "percentiles of latencies to report")
	fs.StringVar(&o.OutputFile, "output-file", "", "append the result to this file as one line of JSON")
	fs.BoolVar(&o.OutputDetails, "output-details", false, "add per-request lists to that line")
	fs.StringVar(&o.Tag, "tag", "", "text to keep with the result")
	fs.BoolVar(&o.DisableTQDM, "disable-tqdm", false, "show no progress")
}

// count reads a whole number from 1 on. An Options field of 0 means the default, which whoever
// writes --num-prompts 0 does not mean.
type count int

func countVar(fs *pflag.FlagSet, p *int, name string, value int, usage string) {
	*p = value
	fs.Var((*count)(p), name, usage)
}

func (c *count) String() string { return strconv.Itoa(int(*c)) }
func (c *count) Type() string   { return "int" }
func (c *count) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return errors.New("want a whole number from 1 on")
	}
	*c = count(n)
	return nil
}

// span reads a time that is more than none.
type span time.Duration

func (s *span) String() string { return time.Duration(*s).String() }
func (s *span) Type() string   { return "duration" }
func (s *span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return errors.New("want a time such as 90s or 10m, more than 0")
	}
	*s = span(d)
	return nil
}

// rate reads requests per second; inf is none.
type rate float64

func (r *rate) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }
func (r *rate) Type() string   { return "float" }
func (r *rate) Set(s string) error {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0) {
		return fmt.Errorf("want requests per second, more than 0, or inf")
	}
	*r = rate(f)
	return nil
}

// warmups reads a count whose 0 means none, which Options spells as -1.
type warmups int

func (w *warmups) String() string { return strconv.Itoa(max(int(*w), 0)) }
func (w *warmups) Type() string   { return "int" }
func (w *warmups) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return fmt.Errorf("want a count")
	}
	*w = warmups(n)
	if n == 0 {
		*w = -1
	}
	return nil
}
