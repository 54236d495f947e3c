package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"servematrix/bench/dataset"
)

// simulatedHeader is how servematrix's simulated server labels its answers.
const simulatedHeader = "X-Servematrix-Simulated"

// Client sends requests to one server.
type Client struct {
	opt       Options
	endpoint  endpoint
	transport *http.Transport
	base      *url.URL
	header    http.Header
	extra     map[string]json.RawMessage
	simulated atomic.Bool
	streams   sync.Pool    // of *stream
	held      atomic.Int64 // bytes in long events, of all streams
}

// New makes the client that resolved options describe. It connects when the first request is sent.
func New(opt Options) *Client {
	c := &Client{
		opt: opt, endpoint: endpoints[opt.Backend].endpoint, transport: newTransport(opt),
		header: http.Header{"Content-Type": {"application/json"}, "User-Agent": {"servematrix-bench"}},
	}
	c.streams.New = func() any { return &stream{held: &c.held} }
	c.base, _ = url.Parse(opt.BaseURL) // Resolve has checked it
	if user := c.base.User; user != nil {
		password, _ := user.Password()
		r := http.Request{Header: c.header}
		r.SetBasicAuth(user.Username(), password)
		c.base.User = nil
	}
	for _, h := range opt.Headers {
		name, value, _ := strings.Cut(h, "=")
		c.header.Set(name, value)
	}
	if key := apiKey(); key != "" && c.header.Get("Authorization") == "" {
		c.header.Set("Authorization", key)
	}
	if opt.ExtraRequestBody != "" {
		_ = json.Unmarshal([]byte(opt.ExtraRequestBody), &c.extra) // Resolve has checked it
	}
	return c
}

// apiKey is the environment's key as an Authorization header, as sglang.bench_serving makes it:
// API_KEY holds all of the header.
func apiKey() string {
	if key := os.Getenv("OPENAI_API_KEY"); key != "" {
		return "Bearer " + key
	}
	return os.Getenv("API_KEY")
}

// Close gives idle connections up.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Simulated tells whether an answer called its server a simulated one.
func (c *Client) Simulated() bool { return c.simulated.Load() }

// Send sends one prompt and measures the answer. began is the beginning of the run.
func (c *Client) Send(ctx context.Context, p dataset.Prompt, began time.Time) *Record {
	body := c.body(p)
	r := newRecord(p)
	ctx, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	start := time.Now()
	r.Start = start.Sub(began)
	response, way, err := c.do(ctx, http.MethodPost, c.endpoint.path(), body)
	r.Retries = way.retries()
	if err != nil {
		r.Failed = classify(err, way.answered.Load())
		return r
	}
	defer response.Body.Close()
	switch coding := response.Header.Get("Content-Encoding"); {
	case response.StatusCode != http.StatusOK:
		r.Failed = statusFailure(response)
	case cmp.Or(coding, "identity") != "identity":
		r.Failed = failf(Malformed, "the answer is compressed (Content-Encoding %s), which was not asked for", coding)
	default:
		a := answer{Record: r, client: c, asked: p.Output, keep: p.Next != nil, start: start}
		a.read(response, cancel)
	}
	return r
}

// way is a request's way to the server. The transport may still write to the atomic ones when the
// request has ended.
type way struct {
	body   []byte
	reader *bytes.Reader // of body, as the last try sends it

	connections atomic.Int32 // over which it went, one after another
	reused      atomic.Bool  // the last one had served another request
	written     atomic.Bool
	answered    atomic.Bool // a byte of the answer came
}

func (w *way) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			w.connections.Add(1)
			w.reused.Store(got.Reused)
		},
		WroteRequest:         func(httptrace.WroteRequestInfo) { w.written.Store(true) },
		GotFirstResponseByte: func() { w.answered.Store(true) },
	}
}

func (w *way) read() (io.ReadCloser, error) {
	w.reader = bytes.NewReader(w.body)
	return io.NopCloser(w.reader), nil
}

// forget drops what was sent, which the transport would keep until the answer has ended: thousands of
// streams wait with long prompts.
func (w *way) forget() {
	w.body = nil
	if w.written.Load() && w.retries() == 0 { // nobody reads it any more
		w.reader.Reset(nil)
	}
}

func (w *way) retries() int { return max(0, int(w.connections.Load())-1) }

// do sends a request. A server may close a connection that it kept at the moment
// at which it is used again; that is no failure of the request, which goes once
// more, at the latest over a connection of its own. Redirects are not followed: what another
// server would answer is not what was to be measured.
func (c *Client) do(ctx context.Context, method, path string, body []byte) (*http.Response, *way, error) {
	w := &way{body: body}
	ctx = httptrace.WithClientTrace(ctx, w.trace())
	for {
		w.reused.Store(false)
		response, err := c.transport.RoundTrip(c.request(method, path, w).WithContext(ctx))
		if err == nil {
			w.forget()
			if response.Header.Get(simulatedHeader) != "" {
				c.simulated.Store(true)
			}
			return response, w, nil
		}
		if !w.reused.Load() || w.answered.Load() || ctx.Err() != nil {
			return nil, w, err
		}
	}
}

func (c *Client) request(method, path string, w *way) *http.Request {
	to := *c.base
	to.Path += path
	r := &http.Request{Method: method, URL: &to, Host: to.Host, Header: c.header, ContentLength: int64(len(w.body)), GetBody: w.read}
	r.Body, _ = w.read()
	if len(w.body) == 0 {
		r.Body = http.NoBody
	}
	return r
}
