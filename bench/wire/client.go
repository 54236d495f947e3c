package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	pipes     *pipes // nil where net/http is needed
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
	c.pipes = newPipes(c)
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
func (c *Client) Close() {
	c.transport.CloseIdleConnections()
	if c.pipes != nil {
		c.pipes.close()
	}
}

// Simulated tells whether an answer called its server a simulated one.
func (c *Client) Simulated() bool { return c.simulated.Load() }

// Send sends one prompt and measures the answer. began is the beginning of the run.
func (c *Client) Send(ctx context.Context, p dataset.Prompt, began time.Time) *Record {
	r := newRecord(p)
	ctx, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	a := answer{Record: r, client: c, asked: p.Output, keep: p.Next != nil}
	if c.pipes != nil {
		c.pipes.send(ctx, cancel, &a, p, began)
		return r
	}
	body := c.body(p)
	a.start = time.Now()
	r.Start = a.start.Sub(began)
	response, err := c.try(ctx, http.MethodPost, c.endpoint.path(), body)
	for ; lost(err) && ctx.Err() == nil; r.Retries++ {
		response, err = c.try(ctx, http.MethodPost, c.endpoint.path(), c.body(p))
	}
	if err != nil {
		r.Failed = classify(err, answered(err))
		return r
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		r.Failed = statusFailure(response)
	} else if r.Failed = compressed(response); r.Failed == nil {
		a.read(response, cancel)
	}
	return r
}

// compressed refuses an answer that is.
func compressed(response *http.Response) *Failure {
	if coding := response.Header.Get("Content-Encoding"); cmp.Or(coding, "identity") != "identity" {
		return failf(Malformed, "the answer is compressed (Content-Encoding %s), which was not asked for", coding)
	}
	return nil
}

// try sends a request once; body, if any, is one of bodies, to which it returns when it is written.
// Redirects are not followed: what another server would answer is not what was to be measured. An
// error is a *tried.
func (c *Client) try(ctx context.Context, method, path string, body *bytes.Buffer) (*http.Response, error) {
	t := &tried{}
	to := *c.base
	to.Path += path
	r := &http.Request{Method: method, URL: &to, Host: to.Host, Header: c.header}
	if body != nil { // net/http knows a reader of bytes, and writes it together with the header
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body.Bytes())), int64(body.Len())
		t.body.Store(body)
	}
	response, err := c.transport.RoundTrip(r.WithContext(httptrace.WithClientTrace(ctx, t.trace())))
	if err != nil {
		t.err = err
		return nil, t
	}
	if response.Header.Get(simulatedHeader) != "" {
		c.simulated.Store(true)
	}
	return response, nil
}

// tried is what became of a request that got no answer. The transport may still write to it when it
// has given the request up.
type tried struct {
	err      error
	body     atomic.Pointer[bytes.Buffer] // until it is written: thousands of streams wait for answers to long prompts
	reused   atomic.Bool                  // the connection had served another request
	answered atomic.Bool                  // a byte of an answer came
}

func (t *tried) Error() string { return t.err.Error() }
func (t *tried) Unwrap() error { return t.err }

func (t *tried) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:              func(got httptrace.GotConnInfo) { t.reused.Store(got.Reused) },
		GotFirstResponseByte: func() { t.answered.Store(true) },
		WroteRequest: func(httptrace.WroteRequestInfo) {
			if body := t.body.Swap(nil); body != nil {
				bodies.Put(body)
			}
		},
	}
}

// lost tells of a request that was lost with the connection that was kept for it: a server may close
// that at the moment at which it is used again. This is no failure of the request, which goes once
// more, at the latest over a connection of its own.
func lost(err error) bool {
	t, ok := errors.AsType[*tried](err)
	return ok && t.reused.Load() && !t.answered.Load()
}

// answered tells whether an answer had begun.
func answered(err error) bool {
	t, ok := errors.AsType[*tried](err)
	return ok && t.answered.Load()
}
