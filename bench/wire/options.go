package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"servematrix/bench/arg"
)

// Options say where requests go and what they look like. AddFlags fills in the defaults.
type Options struct {
	// Backend chooses the endpoint: sglang-oai, vllm and openai (/v1/completions), sglang-oai-chat,
	// vllm-chat and openai-chat (/v1/chat/completions), sglang (/generate).
	Backend string
	// BaseURL is the server, such as http://127.0.0.1:30000. "" is http://Host:Port.
	BaseURL string
	// Port 0 is that of the backend's engine: 30000 for sglang…, else 8000.
	Host string
	Port int
	// Model is the name that requests carry. "" asks the server's /v1/models.
	Model string
	// DisableIgnoreEOS lets the model end its answers where it likes; otherwise lengths are forced
	// and checked.
	DisableIgnoreEOS bool
	// DisableStream asks for whole answers: no TTFT, TPOT and ITL.
	DisableStream bool
	// CountEmpty measures the arrival of events of the answer that hold no text, too: a chat's
	// first one with the role, the last one with the finish reason. It has no flag: it is one of
	// the definitions that are chosen together.
	CountEmpty bool
	// Timeout bounds one request.
	Timeout time.Duration
	// Headers are NAME=VALUE, sent with each request. ExtraRequestBody is a JSON object merged
	// into each request.
	Headers          []string
	ExtraRequestBody string
}

// AddFlags adds the flags of requests, under the names that sglang.bench_serving gives them.
func AddFlags(fs *pflag.FlagSet, o *Options) {
	fs.StringVar(&o.Backend, "backend", "openai", "sglang-oai, vllm or openai (completions); sglang-oai-chat, vllm-chat or openai-chat; sglang (/generate)")
	fs.StringVar(&o.BaseURL, "base-url", "", "server, such as http://127.0.0.1:30000 (default: from --host and --port)")
	fs.StringVar(&o.Host, "host", "127.0.0.1", "server's host")
	arg.Count(fs, &o.Port, "port", 0, "server's port (default 30000 for sglang backends, 8000 for others)")
	fs.StringVar(&o.Model, "model", "", "model name in requests (default: ask the server)")
	fs.BoolVar(&o.DisableIgnoreEOS, "disable-ignore-eos", false, "let the model end its answers; lengths are not checked then")
	fs.BoolVar(&o.DisableStream, "disable-stream", false, "ask for whole answers: no TTFT, TPOT and ITL")
	arg.Span(fs, &o.Timeout, "timeout", 10*time.Minute, "longest time for one request")
	fs.StringArrayVar(&o.Headers, "header", nil, "NAME=VALUE to send with each request, repeatable")
	fs.StringVar(&o.ExtraRequestBody, "extra-request-body", "", "JSON object merged into each request")
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

// Backends are the names that Options.Backend may have.
func Backends() []string { return slices.Sorted(maps.Keys(endpoints)) }

func (e endpoint) path() string {
	return [...]string{"/v1/completions", "/v1/chat/completions", "/generate"}[e]
}

// Resolve fills in what depends on other options and checks all that can be known before the
// first request. The errors are usage errors.
func (o Options) Resolve() (Options, error) {
	if _, ok := endpoints[o.Backend]; !ok {
		return o, fmt.Errorf("--backend %s: want one of %s", o.Backend, strings.Join(Backends(), ", "))
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
		o.BaseURL = fmt.Sprintf("http://%s:%d", o.Host, cmp.Or(o.Port, port))
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	if u, err := url.Parse(o.BaseURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return o, fmt.Errorf("--base-url %s: want http://HOST:PORT", o.BaseURL)
	}
	return o, nil
}

// ShownURL is the server's URL without a password that it may hold.
func (o Options) ShownURL() string {
	u, err := url.Parse(o.BaseURL)
	if err != nil { // Resolve has refused such a URL, so nothing was sent there
		return ""
	}
	return u.Redacted()
}

// HeaderNames are the names of the headers that are sent along; their values may be secrets.
func (o Options) HeaderNames() (names []string) {
	for _, h := range o.Headers {
		name, _, _ := strings.Cut(h, "=")
		names = append(names, name)
	}
	return names
}
