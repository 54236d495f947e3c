package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"servematrix/bench/wire"
)

// stream answers a completion request with as many tokens as it asks for, each a chunk.
func stream(w http.ResponseWriter, r *http.Request, end string) {
	var body struct {
		MaxTokens int `json:"max_tokens"`
		Prompt    []int
	}
	_ = json.NewDecoder(r.Body).Decode(&body) // the tests check what they send elsewhere
	for i := range body.MaxTokens {
		reason := "null"
		if i == body.MaxTokens-1 {
			reason = `"length"`
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"text\":\" a\",\"finish_reason\":%s}]}\n\n", reason)
		w.(http.Flusher).Flush()
	}
	usage := fmt.Sprintf("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\n", len(body.Prompt), body.MaxTokens)
	_, _ = io.WriteString(w, strings.ReplaceAll(end, "USAGE", usage))
}

const done = "data: [DONE]\n\n"

// What sglang.bench_serving asks a server after the load is a metric, and a row before the latencies.
func TestAcceptLengthIsAMetric(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/get_server_info" {
			_, _ = io.WriteString(w, `{"internal_states": [{"avg_spec_accept_length": 2.75}]}`)
			return
		}
		stream(w, r, done)
	}))
	defer server.Close()
	s, err := quick(t, server.URL, func(o *Options) { o.Wire.Backend = "sglang-oai" })
	if err != nil || s.Metrics.Value("accept_length") != 2.75 {
		t.Fatalf("%v, %+v", err, s)
	}
	var text strings.Builder
	s.WriteText(&text)
	if !regexp.MustCompile(`\nConcurrency: .*\nAccept length: {27}2.75 {6}\n-+End-to-End`).MatchString(text.String()) {
		t.Error(text.String())
	}
}

// quick measures url with a load of ten requests.
func quick(t *testing.T, url string, change func(*Options)) (*Summary, error) {
	t.Helper()
	opt := options(func(o *Options) {
		o.Wire.BaseURL = url
		o.Wire.Model = "m"
		o.Dataset.NumPrompts = 10
		o.Dataset.RandomInputLen = 5
		o.Dataset.RandomOutputLen = 4
		o.Dataset.RandomRangeRatio = 1
		o.Load.MaxConcurrency = 2
		o.WarmupRequests = 0
		o.Wire.Timeout = 5 * time.Second
	})
	if change != nil {
		change(&opt)
	}
	return Measure(context.Background(), opt)
}

func TestFailureClasses(t *testing.T) {
	reset := func(w http.ResponseWriter, graceful bool) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if !graceful {
			_ = conn.(*net.TCPConn).SetLinger(0)
		}
		conn.Close()
	}
	for name, c := range map[string]struct {
		class  string
		says   string
		handle http.HandlerFunc
		change func(*Options)
	}{
		"reset": {wire.Reset, "", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			reset(w, false)
		}, nil},
		"closed before an answer": {wire.Reset, "before an answer", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			reset(w, true)
		}, nil},
		"no answer in time": {wire.TimedOut, "", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // so that the server notices that the client has gone
			<-r.Context().Done()
		}, func(o *Options) { o.Wire.Timeout = 50 * time.Millisecond; o.Dataset.NumPrompts = 2 }},
		"no end in time": {wire.TimedOut, "", func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, "")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, func(o *Options) { o.Wire.Timeout = 100 * time.Millisecond; o.Dataset.NumPrompts = 2 }},
		"404":              {wire.HTTP4xx, "404 Not Found: no such model", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no such model", 404) }, nil},
		"404 of /generate": {wire.HTTP4xx, "404 Not Found: 404 page not found (only SGLang has /generate: give --backend openai or vllm)", http.NotFound, func(o *Options) { o.Wire.Backend = "sglang" }},
		"503":              {wire.HTTP5xx, "503 Service Unavailable", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "", http.StatusServiceUnavailable) }, nil},
		"error in the stream": {wire.StreamError, "EngineDead", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "data: {\"error\":{\"message\":\"EngineDead\"}}\n\n"+done)
		}, nil},
		"clean end without DONE": {wire.Truncated, "without [DONE]", func(w http.ResponseWriter, r *http.Request) { stream(w, r, "USAGE") }, nil},
		"end without a reason": {wire.Truncated, "without a finish reason", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"text\":\"a\"}]}\n\n"+done)
		}, nil},
		"connection closed within": {wire.Truncated, "in the midst", func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, "")
			w.(http.Flusher).Flush()
			reset(w, true)
		}, nil},
		"usage of fewer tokens than chunks": {wire.WrongTokens, "usage says 3 tokens, but 4 chunks", func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, "data: {\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":3}}\n\n"+done)
		}, nil},
		"more tokens than asked for": {wire.WrongTokens, "asked for 4 tokens, got 9", func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, "data: {\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":9}}\n\n"+done)
		}, nil},
		"no text": {wire.WrongTokens, "no text", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"text\":\"\",\"finish_reason\":\"stop\"}]}\n\n"+done)
		}, nil},
		"no JSON": {wire.Malformed, "no JSON object", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "data: hello\n\n") }, nil},
		"whole answer without usage": {wire.WrongTokens, "no usage", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, `{"choices":[{"text":"a"}]}`) },
			func(o *Options) { o.Wire.DisableStream = true }},
		"whole answer that is no JSON": {wire.Malformed, "no JSON object", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, `<html>`) },
			func(o *Options) { o.Wire.DisableStream = true }},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.handle)
			defer server.Close()
			s, err := quick(t, server.URL, c.change)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Errors) != 1 || s.Errors[0].Class != c.class || !strings.Contains(s.Errors[0].Examples[0], c.says) || s.Metrics.Value("completed") != 0 || int(s.Metrics.Value("failed")) != s.Options.Dataset.NumPrompts {
				t.Errorf("errors %+v of %v completed, %v failed", s.Errors, s.Metrics.Value("completed"), s.Metrics.Value("failed"))
			}
			if _, ok := s.Metrics.Known("mean_ttft_ms"); ok {
				t.Error("a latency of no request")
			}
		})
	}
}

// closedPort gives the URL of a port on which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	return "http://" + ln.Addr().String()
}

func TestNobodyListens(t *testing.T) {
	s, err := quick(t, closedPort(t), nil)
	if err != nil || len(s.Errors) != 1 || s.Errors[0].Class != wire.Refused {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := quick(t, closedPort(t), func(o *Options) { o.WarmupRequests = 1 }); err == nil || !strings.Contains(err.Error(), "warm-up request failed (refused)") {
		t.Errorf("warm-up gives %v", err)
	}
	if _, err := quick(t, closedPort(t), func(o *Options) { o.Wire.Model = "" }); err == nil || !strings.Contains(err.Error(), "cannot reach the server") {
		t.Errorf("asking for the model gives %v", err)
	}
}

func TestAnswersWithoutUsageCountChunks(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stream(w, r, done) }))
	defer server.Close()
	s, err := quick(t, server.URL, nil)
	if err != nil || s.Metrics.Value("completed") != 10 || s.Metrics.Value("total_output_tokens") != 40 || s.Metrics.Value("total_input_tokens") != 50 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestRequests checks what is sent, for each kind of endpoint.
// TestKeptConnectionThatTheServerCloses: llama.cpp closes a kept connection when it likes,
// also in the midst of the next request.
func TestKeptConnectionThatTheServerCloses(t *testing.T) {
	var seen sync.Map // the connections that have answered, by the client's address
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, again := seen.LoadOrStore(r.RemoteAddr, true); again {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
			return
		}
		stream(w, r, "USAGE"+done)
	}))
	defer server.Close()
	s, err := quick(t, server.URL, nil)
	if err != nil || s.Metrics.Value("completed") != 10 || s.tally.Retries() == 0 {
		t.Errorf("%v completed, %d retries, errors %+v, %v", s.Metrics.Value("completed"), s.tally.Retries(), s.Errors, err)
	}
}

// TestStreamOfTransformers: its last event holds reason and usage, and no [DONE] follows.
func TestStreamOfTransformers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 4 {
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"text\":\"ar\"}]}\n\n")
		}
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"finish_reason\":\"length\",\"index\":0,\"text\":\"\"}],\"usage\":{\"completion_tokens\":4,\"prompt_tokens\":5}}\n\n")
	}))
	defer server.Close()
	s, err := quick(t, server.URL, nil)
	if err != nil || s.Metrics.Value("completed") != 10 || s.Metrics.Value("total_output_tokens") != 40 {
		t.Errorf("%v completed, %v tokens, errors %+v, %v", s.Metrics.Value("completed"), s.Metrics.Value("total_output_tokens"), s.Errors, err)
	}
}

func TestRequests(t *testing.T) {
	for backend, want := range map[string]string{
		"sglang-oai":  `/v1/completions {"ignore_eos":true,"max_tokens":2,"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0.5,"prompt":[0,0,0]}`,
		"openai-chat": `/v1/chat/completions {"ignore_eos":true,"max_completion_tokens":2,"messages":[{"role":"user","content":" aaaa aaaa aaaa"}],"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0.5}`,
		"sglang":      `/generate {"sampling_params":{"ignore_eos":true,"max_new_tokens":2,"temperature":0},"stream":true,"temperature":0.5,"input_ids":[0,0,0]}`,
	} {
		var got atomic.Value
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.Method == http.MethodPost {
				got.Store(r.URL.Path + " " + string(body))
			}
			if r.Header.Get("X-Test") != "yes" || r.Header.Get("Authorization") != "Bearer key" {
				t.Errorf("headers %v", r.Header)
			}
		}))
		t.Setenv("OPENAI_API_KEY", "key")
		if _, err := quick(t, server.URL, func(o *Options) {
			o.Wire.Backend, o.Dataset.NumPrompts, o.Dataset.VocabSize, o.Dataset.RandomInputLen, o.Dataset.RandomOutputLen = backend, 1, 1, 3, 2
			o.Wire.Headers, o.Wire.ExtraRequestBody = []string{"X-Test=yes"}, `{"temperature":0.5}`
		}); err != nil {
			t.Fatal(err)
		}
		if got.Load() != want {
			t.Errorf("%s\ngot  %v\nwant %s", backend, got.Load(), want)
		}
		server.Close()
	}
}

func TestModelIsAskedFor(t *testing.T) {
	var model atomic.Value
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, `{"data":[{"id":"served"}]}`) })
	mux.HandleFunc("POST /v1/completions", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&body) // an undecodable body shows as a wrong model
		model.Store(body.Model)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	if s, err := quick(t, server.URL, func(o *Options) { o.Wire.Model = "" }); err != nil || model.Load() != "served" || s.Options.Wire.Model != "served" {
		t.Errorf("model %v, %v", model.Load(), err)
	}
	for _, answer := range []string{`{"data":[]}`, `nonsense`} {
		odd := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, answer) }))
		if _, err := quick(t, odd.URL, func(o *Options) { o.Wire.Model = "" }); err == nil || !strings.Contains(err.Error(), "give --model") {
			t.Errorf("%s gives %v", answer, err)
		}
		odd.Close()
	}
}

// crowd counts the requests in flight, and holds them until the limit is reached once.
type crowd struct {
	limit     int
	mu        sync.Mutex
	now, most int
	full      chan struct{}
}

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.now++
	if c.now == c.limit && c.most < c.limit {
		close(c.full)
	}
	c.most = max(c.most, c.now)
	c.mu.Unlock()
	<-c.full
	stream(w, r, "USAGE")
	c.mu.Lock()
	c.now--
	c.mu.Unlock()
	_, _ = io.WriteString(w, done) // counted out before the client can know that it is done
}

func TestMaxConcurrency(t *testing.T) {
	for _, rate := range []float64{math.Inf(1), 5000} {
		for _, limit := range []int{0, 1, 3} {
			c := &crowd{limit: limit, full: make(chan struct{})}
			if limit == 0 {
				c.limit = 12 // all at once
			}
			server := httptest.NewServer(c)
			s, err := quick(t, server.URL, func(o *Options) { o.Load.MaxConcurrency, o.Dataset.NumPrompts, o.Load.RequestRate = limit, 12, rate })
			c.mu.Lock()
			most := c.most
			c.mu.Unlock()
			if err != nil || s.Metrics.Value("completed") != 12 || most != c.limit {
				t.Errorf("rate %v: %d at once, want %d; %v", rate, most, c.limit, err)
			}
			server.Close()
		}
	}
}
