package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"servematrix/metric"
)

// Options describe a load and where it goes. The zero value of a field means its default, as
// AddFlags shows it; names are those of sglang.bench_serving.
type Options struct {
	// Backend chooses the endpoint: sglang-oai, vllm and openai (/v1/completions), sglang-oai-chat,
	// vllm-chat and openai-chat (/v1/chat/completions), sglang (/generate). "" is openai.
	Backend string
	// BaseURL is the server, such as http://127.0.0.1:30000. "" is http://Host:Port.
	BaseURL string
	// Host defaults to 127.0.0.1, Port to the backend's engine: 30000 for sglang…, else 8000.
	Host string
	Port int
	// Model is the name that requests carry. "" asks the server's /v1/models.
	Model string

	// DatasetName is random, random-ids (the same: random token ids) or generated-shared-prefix.
	// "" is random.
	DatasetName string
	// NumPrompts is how many requests to send. 0 is 1000, or all of generated-shared-prefix.
	NumPrompts int
	// RandomInputLen and RandomOutputLen are lengths in tokens. 0 is 1024.
	RandomInputLen, RandomOutputLen int
	// RandomRangeRatio makes lengths uniform between ratio·len and len; 1 makes them exact. 0 is
	// sglang's default: from one token on.
	RandomRangeRatio float64
	// The shape of generated-shared-prefix: groups of prompts that begin with the same system
	// prompt. 0 is 64 groups of 16 prompts, 2048 + 128 tokens in, 256 out.
	GSPNumGroups, GSPPromptsPerGroup                 int
	GSPSystemPromptLen, GSPQuestionLen, GSPOutputLen int
	// VocabSize bounds random token ids: 0 <= id < VocabSize. 0 is 10000.
	VocabSize int
	// Seed makes prompts and arrivals repeatable. 0 is 1.
	Seed uint64

	// RequestRate is the mean of a Poisson process of arrivals, per second. 0 and +Inf send
	// everything at once, or as fast as MaxConcurrency allows.
	RequestRate float64
	// MaxConcurrency is the most requests in flight. 0 is no limit.
	MaxConcurrency int
	// WarmupRequests go first and are not measured; negative is none. 0 is 1.
	WarmupRequests int
	// DisableIgnoreEOS lets the model end its answers where it likes; otherwise lengths are forced
	// and checked.
	DisableIgnoreEOS bool
	// DisableStream asks for whole answers: no TTFT, TPOT and ITL.
	DisableStream bool
	// FlushCache asks the server to empty its prefix cache before the measurement.
	FlushCache bool
	// Timeout bounds one request. 0 is 10 minutes.
	Timeout time.Duration
	// Headers are NAME=VALUE, sent with each request. ExtraRequestBody is a JSON object merged
	// into each request.
	Headers          []string
	ExtraRequestBody string

	// Percentiles are those to give of latencies beside the median, comma-separated. "" is
	// 90,95,99.
	Percentiles string
	// OutputFile gets one line of JSON appended. OutputDetails adds per-request lists to it.
	OutputFile    string
	OutputDetails bool
	// Tag is copied into the JSON line.
	Tag string
	// DisableTQDM shows no progress.
	DisableTQDM bool
}

// endpoint is how a backend is spoken to.
type endpoint int

const (
	completions endpoint = iota
	chat
	native // SGLang's /generate
)

var endpoints = map[string]endpoint{
	"openai": completions, "vllm": completions, "sglang-oai": completions,
	"openai-chat": chat, "vllm-chat": chat, "sglang-oai-chat": chat,
	"sglang": native,
}

func (e endpoint) path() string {
	return [...]string{"/v1/completions", "/v1/chat/completions", "/generate"}[e]
}

const sharedPrefix = "generated-shared-prefix"

// resolve fills in the defaults and checks everything that can be known before the first
// request. The errors are usage errors.
func (o Options) resolve() (Options, error) {
	o.Backend = cmp.Or(o.Backend, "openai")
	if _, ok := endpoints[o.Backend]; !ok {
		return o, fmt.Errorf("--backend %s: want one of sglang, sglang-oai, sglang-oai-chat, vllm, vllm-chat, openai, openai-chat", o.Backend)
	}
	o.DatasetName = cmp.Or(o.DatasetName, "random")
	switch o.DatasetName {
	case "random", "random-ids", sharedPrefix:
	default:
		return o, fmt.Errorf("--dataset-name %s: want random, random-ids or %s", o.DatasetName, sharedPrefix)
	}
	for _, n := range []struct {
		flag  string
		value int
	}{
		{"num-prompts", o.NumPrompts}, {"random-input-len", o.RandomInputLen}, {"random-output-len", o.RandomOutputLen},
		{"gsp-num-groups", o.GSPNumGroups}, {"gsp-prompts-per-group", o.GSPPromptsPerGroup}, {"gsp-system-prompt-len", o.GSPSystemPromptLen},
		{"gsp-question-len", o.GSPQuestionLen}, {"gsp-output-len", o.GSPOutputLen}, {"vocab-size", o.VocabSize},
		{"max-concurrency", o.MaxConcurrency}, {"timeout", int(o.Timeout)}, {"port", o.Port},
	} {
		if n.value < 0 {
			return o, fmt.Errorf("--%s %d: cannot be negative", n.flag, n.value)
		}
	}
	if o.RequestRate < 0 || math.IsNaN(o.RequestRate) {
		return o, fmt.Errorf("--request-rate %v: want requests per second, or inf", o.RequestRate)
	}
	if !(o.RandomRangeRatio >= 0 && o.RandomRangeRatio <= 1) {
		return o, fmt.Errorf("--random-range-ratio %v: want a number from 0 to 1 (1: every length exact)", o.RandomRangeRatio)
	}
	o.RequestRate = cmp.Or(o.RequestRate, math.Inf(1))
	o.RandomInputLen, o.RandomOutputLen = cmp.Or(o.RandomInputLen, 1024), cmp.Or(o.RandomOutputLen, 1024)
	o.GSPNumGroups, o.GSPPromptsPerGroup = cmp.Or(o.GSPNumGroups, 64), cmp.Or(o.GSPPromptsPerGroup, 16)
	o.GSPSystemPromptLen, o.GSPQuestionLen, o.GSPOutputLen = cmp.Or(o.GSPSystemPromptLen, 2048), cmp.Or(o.GSPQuestionLen, 128), cmp.Or(o.GSPOutputLen, 256)
	all := 1000
	if o.DatasetName == sharedPrefix {
		all = o.GSPNumGroups * o.GSPPromptsPerGroup
		o.NumPrompts = min(cmp.Or(o.NumPrompts, all), all)
	}
	o.NumPrompts = cmp.Or(o.NumPrompts, all)
	o.VocabSize = cmp.Or(o.VocabSize, 10000)
	if o.VocabSize > math.MaxInt32 {
		return o, fmt.Errorf("--vocab-size %d: token ids have 31 bits", o.VocabSize)
	}
	o.Seed = cmp.Or(o.Seed, 1)
	o.WarmupRequests = max(cmp.Or(o.WarmupRequests, 1), 0)
	o.Timeout = cmp.Or(o.Timeout, 10*time.Minute)
	o.Percentiles = cmp.Or(o.Percentiles, "90,95,99")
	if _, err := o.percentiles(); err != nil {
		return o, err
	}
	for _, h := range o.Headers {
		if name, _, ok := strings.Cut(h, "="); !ok || name == "" {
			return o, fmt.Errorf("--header: want NAME=VALUE, got %q", name)
		}
	}
	if o.ExtraRequestBody != "" {
		var object map[string]any
		if err := json.Unmarshal([]byte(o.ExtraRequestBody), &object); err != nil || object == nil {
			return o, fmt.Errorf("--extra-request-body: want a JSON object: %v", err)
		}
	}
	if o.BaseURL == "" {
		port := 8000
		if strings.HasPrefix(o.Backend, "sglang") {
			port = 30000
		}
		o.BaseURL = fmt.Sprintf("http://%s:%d", cmp.Or(o.Host, "127.0.0.1"), cmp.Or(o.Port, port))
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	if u, err := url.Parse(o.BaseURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return o, fmt.Errorf("--base-url %s: want http://HOST:PORT", o.BaseURL)
	}
	return o, nil
}

// shownURL is the server's URL without a password that it may hold.
func (o Options) shownURL() string {
	u, err := url.Parse(o.BaseURL)
	if err != nil { // resolve has refused such a URL, so nothing was sent there
		return ""
	}
	return u.Redacted()
}

// percentile is one to report: its number as in metric names and its value in percent.
type percentile struct {
	name  string
	value float64
}

func (o Options) percentiles() ([]percentile, error) {
	var list []percentile
	for field := range strings.SplitSeq(o.Percentiles, ",") {
		field = strings.TrimSpace(field)
		value, err := strconv.ParseFloat(field, 64)
		name, ok := metric.Percentile(field, "ttft_ms")
		if err != nil || !ok {
			return nil, fmt.Errorf("--percentiles %s: %q is no number from 0 to 100", o.Percentiles, field)
		}
		list = append(list, percentile{strings.TrimSuffix(strings.TrimPrefix(name, "p"), "_ttft_ms"), value})
	}
	return list, nil
}
