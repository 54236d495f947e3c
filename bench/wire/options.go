package wire

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"servematrix/bench/arg"
)

// Options say where requests go and what they look like. AddFlags fills in the defaults.
type Options struct {
	// Backend chooses the endpoint: sglang-oai, vllm, openai and lmdeploy (/v1/completions), those
	// with -chat behind (/v1/chat/completions), sglang and sglang-native (/generate).
	Backend string
	// BaseURL is the server, such as http://127.0.0.1:30000 or unix:///run/vllm.sock. "" is
	// http://Host:Port.
	BaseURL string
	// Port 0 is the backend's.
	Host string
	Port int
	// UnixSocket is the path of a socket over which all goes, whatever host the URL names.
	UnixSocket string
	// HTTP2 speaks HTTP/2 alone: with https as the handshake agrees, with http without asking.
	HTTP2 bool
	// CACert is a file of certificates that are trusted instead of the system's. Insecure trusts
	// any.
	CACert   string
	Insecure bool
	// Model is the name that requests carry. "" asks the server's /v1/models. ServedModelName takes
	// its place where it is given.
	Model, ServedModelName string
	// DisableIgnoreEOS lets the model end its answers where it likes; otherwise lengths are forced
	// and checked. IgnoreEOS says so aloud, and contradicts it.
	DisableIgnoreEOS, IgnoreEOS bool
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
	fs.StringVar(&o.Backend, "backend", "sglang", "sglang or sglang-native (/generate); sglang-oai, vllm, openai or lmdeploy (completions), each with -chat behind")
	fs.StringVar(&o.BaseURL, "base-url", "", "server, such as http://127.0.0.1:30000 or unix:///run/vllm.sock (default: from --host and --port)")
	fs.StringVar(&o.Host, "host", "127.0.0.1", "server's host")
	arg.Count(fs, &o.Port, "port", 0, "server's port (default 8000 for openai, openai-chat and vllm, 23333 for lmdeploy, else 30000)")
	fs.StringVar(&o.UnixSocket, "unix-socket", "", "connect to this socket instead of host and port")
	fs.BoolVar(&o.HTTP2, "http2", false, "speak HTTP/2; without TLS from the start (h2c, prior knowledge)")
	fs.StringVar(&o.CACert, "ca-cert", "", "trust the certificates in this PEM file instead of the system's")
	fs.BoolVar(&o.Insecure, "insecure", false, "trust any certificate")
	fs.StringVar(&o.Model, "model", "", "model name in requests (default: ask the server)")
	fs.StringVar(&o.ServedModelName, "served-model-name", "", "model name in requests, where --model says another")
	fs.BoolVar(&o.DisableIgnoreEOS, "disable-ignore-eos", false, "let the model end its answers; lengths are not checked then")
	ignoreEOS(fs, &o.IgnoreEOS)
	fs.BoolVar(&o.DisableStream, "disable-stream", false, "ask for whole answers: no TTFT, TPOT and ITL")
	arg.Span(fs, &o.Timeout, "timeout", 10*time.Minute, "longest time for one request")
	fs.StringArrayVar(&o.Headers, "header", nil, "NAME=VALUE to send with each request, repeatable")
	fs.StringVar(&o.ExtraRequestBody, "extra-request-body", "", "JSON object merged into each request")
}

// ignoreEOS adds vLLM's name for what is the default here; so it has no use for false.
func ignoreEOS(fs *pflag.FlagSet, p *bool) {
	*p = false
	fs.BoolFunc("ignore-eos", "force answers to the length that was asked for: the default, as vllm bench serve spells it", func(s string) error {
		if on, err := strconv.ParseBool(s); err != nil || !on {
			return errors.New("it is the default; --disable-ignore-eos lets the model end its answers")
		}
		*p = true
		return nil
	})
}

// endpoint is how a backend is spoken to.
type endpoint int

const (
	completions endpoint = iota
	chat
	native // SGLang's /generate
)

// backend is what a name of a backend stands for: the endpoint, and the port of its engine.
type backend struct {
	endpoint endpoint
	port     int
}

// endpoints are the backends of sglang.bench_serving, with its ports, and those of vLLM's client,
// with its own.
var endpoints = map[string]backend{
	"sglang": {native, 30000}, "sglang-native": {native, 30000},
	"sglang-oai": {completions, 30000}, "sglang-oai-chat": {chat, 30000},
	"vllm": {completions, 8000}, "vllm-chat": {chat, 30000},
	"lmdeploy": {completions, 23333}, "lmdeploy-chat": {chat, 30000},
	"openai": {completions, 8000}, "openai-chat": {chat, 8000},
}

// others begin the names of backends of those clients that are not spoken here, and say why.
var others = map[string]string{
	"trt":              "TensorRT-LLM's Triton endpoint is not spoken (trtllm-serve is: openai)",
	"gserver":          "sglang.bench_serving does not speak it either",
	"truss":            "Truss's /v1/models/model:predict is not spoken",
	"openai-responses": "the Responses API is not spoken",
	"openai-audio":     "transcriptions are not measured",
	"openai-embed":     "embeddings are not measured",
	"infinity-embed":   "embeddings are not measured",
	"vllm-pooling":     "pooling is not measured",
	"vllm-rerank":      "reranking is not measured",
}

// Backends are the names that Options.Backend may have.
func Backends() []string { return slices.Sorted(maps.Keys(endpoints)) }

func (e endpoint) path() string {
	return [...]string{"/v1/completions", "/v1/chat/completions", "/generate"}[e]
}

// Resolve fills in what depends on other options and checks all that can be known without reading
// a file; CheckFiles has the rest. The errors are usage errors.
func (o Options) Resolve() (Options, error) {
	if err := CheckBackend(o.Backend); err != nil {
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
	if o.ServedModelName != "" {
		o.Model = o.ServedModelName
	}
	if o.IgnoreEOS && o.DisableIgnoreEOS {
		return o, errors.New("--ignore-eos and --disable-ignore-eos contradict each other; the first is the default")
	}
	return o.resolveURL()
}

// CheckBackend tells why a name of a backend is none.
func CheckBackend(name string) error {
	if _, ok := endpoints[name]; ok {
		return nil
	}
	for beginning, why := range others {
		if strings.HasPrefix(name, beginning) {
			return fmt.Errorf("--backend %s: %s; want one of %s", name, why, strings.Join(Backends(), ", "))
		}
	}
	return fmt.Errorf("--backend %s: want one of %s", name, strings.Join(Backends(), ", "))
}

// resolveURL makes BaseURL an http or https URL, and a unix URL a path of a socket.
func (o Options) resolveURL() (Options, error) {
	if path, ok := strings.CutPrefix(o.BaseURL, "unix://"); ok {
		if !strings.HasPrefix(path, "/") || o.UnixSocket != "" {
			return o, fmt.Errorf("--base-url %s: want unix:///PATH, without --unix-socket", o.BaseURL)
		}
		o.BaseURL, o.UnixSocket = "http://localhost", path
	}
	if o.BaseURL == "" {
		port := strconv.Itoa(cmp.Or(o.Port, endpoints[o.Backend].port))
		o.BaseURL = "http://" + net.JoinHostPort(strings.Trim(o.Host, "[]"), port)
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	if u, err := url.Parse(o.BaseURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return o, fmt.Errorf("--base-url %s: want http://HOST:PORT", o.BaseURL)
	}
	return o, nil
}

// ShownURL is the server's URL without a password that it may hold, or its socket.
func (o Options) ShownURL() string {
	if o.UnixSocket != "" {
		return "unix://" + o.UnixSocket
	}
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
