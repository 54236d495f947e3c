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
	opt          Options
	endpoint     endpoint
	transport    *http.Transport
	pipes        *pipes // nil where net/http is needed
	base         *url.URL
	header       http.Header
	extra        map[string]json.RawMessage
	extraDecides bool // the length of answers
	simulated    atomic.Bool
	spoken       atomic.Bool // the server has answered over net/http
	streams      sync.Pool   // of *stream
	hoard        *hoard
	atOnce       time.Duration
}

// New makes the client that resolved options describe. It connects when the first request is sent.
func New(opt Options) *Client {
	c := &Client{
		opt: opt, endpoint: endpoints[opt.Backend].endpoint, transport: newTransport(opt), atOnce: atOnce, hoard: newHoard(),
		header: http.Header{"Content-Type": {"application/json"}, "User-Agent": {"servematrix-bench"}},
	}
	c.streams.New = func() any { return &stream{hoard: c.hoard} }
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
		c.extraDecides = decides(c.extra)
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

// Reading is how long the one goroutine that reads all streams had something to read so far, waiting
// for a processor included: what it gains on the clock is the share of the time in which it could
// not have read more. 0 where each request has a goroutine of its own.
func (c *Client) Reading() time.Duration {
	if c.pipes == nil {
		return 0
	}
	return c.pipes.reading()
}

// Send sends one prompt and measures the answer. began is the beginning of the run.
//
// A request that was lost with a kept connection goes once more, over a connection of its own; its
// times hold the lost one.
func (c *Client) Send(ctx context.Context, p dataset.Prompt, began time.Time) *Record {
	r := newRecord(p)
	ctx, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	a := answer{Record: r, client: c, exact: c.exact(p), keep: p.Next != nil, began: began}
	err := c.exchange(ctx, cancel, &a, p, false)
	if c.lost(err) && r.Retries == 0 && ctx.Err() == nil {
		r.Retries++
		err = c.exchange(ctx, cancel, &a, p, true)
	}
	if a.start.IsZero() { // there was no connection
		r.Start = time.Since(began)
	}
	if err != nil {
		r.Failed = classify(err, answered(err))
		switch r.Failed.Class { // of those that an HTTP/1.1 server's answer to a frame looks like
		case Reset, Malformed, Other:
			if c.opt.HTTP2 && !c.spoken.Load() && ctx.Err() == nil {
				r.Failed.Message += " (with --http2 the server has to speak HTTP/2)"
			}
		}
	}
	return r
}

// exchange sends a request, over a new connection where that is asked for, and measures its answer.
// An error says that there was none.
func (c *Client) exchange(ctx context.Context, stop func(), a *answer, p dataset.Prompt, fresh bool) error {
	if c.pipes != nil {
		return c.pipes.exchange(ctx, stop, a, p, fresh)
	}
	if fresh {
		c.transport.CloseIdleConnections()
	}
	response, err := c.try(ctx, http.MethodPost, c.endpoint.path(), &outgoing{
		body: func() *bytes.Buffer { return c.body(p) }, sent: a.send, again: func() { a.Retries++ },
	})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		if unread(response) {
			c.leave(response)
		}
		a.Failed = c.statusFailure(response)
	} else if a.Failed = compressed(response); a.Failed == nil {
		a.read(response, stop)
	}
	return nil
}

// unread tells of an answer behind which a connection is of no more use: a server may refuse a request
// by its length and leave unread what has arrived of it, and with that all that comes behind it.
func unread(response *http.Response) bool {
	return response.ProtoMajor == 1 && response.StatusCode == http.StatusRequestEntityTooLarge
}

// leave sees to it that the connection of an answer is not used again: net/http keeps one whose answer
// was read to its end, and that of an empty answer at once.
func (c *Client) leave(response *http.Response) {
	if response.ContentLength == 0 {
		c.transport.CloseIdleConnections()
		return
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(response.Body, response.ContentLength-1), response.Body}
}

// compressed refuses an answer that is.
func compressed(response *http.Response) *Failure {
	if coding := response.Header.Get("Content-Encoding"); cmp.Or(coding, "identity") != "identity" {
		return failf(Malformed, "the answer is compressed (Content-Encoding %s), which was not asked for", coding)
	}
	return nil
}

// outgoing is what a request has besides its address.
type outgoing struct {
	body  func() *bytes.Buffer // gives one of bodies, to which it returns when it is written
	sent  func()               // is called when there is a connection
	again func()               // is called when the request is written anew
}

// try sends a request without a body, or with what out says. Redirects are not followed: what another
// server would answer is not what was to be measured. What a server has surely not begun with (it
// refused the stream, or said before that it goes) net/http itself sends anew, a few times at most.
// An error is a *tried.
func (c *Client) try(ctx context.Context, method, path string, out *outgoing) (*http.Response, error) {
	t := &tried{}
	trace := &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			t.reused, t.began = got.Reused, time.Now()
			if out != nil {
				out.sent()
			}
		},
		GotFirstResponseByte: func() { t.answered.Store(true) },
	}
	to := *c.base
	to.Path += path
	r := &http.Request{Method: method, URL: &to, Host: to.Host, Header: c.header}
	if out != nil {
		body := out.body() // net/http knows a reader of bytes, and writes it together with the header
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body.Bytes())), int64(body.Len())
		var written sync.Once // thousands of streams wait for answers to long prompts
		trace.WroteRequest = func(httptrace.WroteRequestInfo) { written.Do(func() { bodies.Put(body) }) }
		r.GetBody = func() (io.ReadCloser, error) {
			written.Do(func() {}) // the try before may still read it
			out.again()
			return io.NopCloser(bytes.NewReader(out.body().Bytes())), nil
		}
	}
	response, err := c.transport.RoundTrip(r.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if err != nil {
		t.err = err
		if !t.began.IsZero() {
			t.took = time.Since(t.began)
		}
		return nil, t
	}
	c.spoken.Store(true)
	if response.Header.Get(simulatedHeader) != "" {
		c.simulated.Store(true)
	}
	return response, nil
}

// tried is what became of a request that got no answer.
type tried struct {
	err      error
	reused   bool // the connection had served another request
	began    time.Time
	took     time.Duration // from the connection to the failure
	answered atomic.Bool   // a byte of an answer came; the transport tells it from elsewhere
}

func (t *tried) Error() string { return t.err.Error() }
func (t *tried) Unwrap() error { return t.err }

// atOnce is how soon a kept connection fails that the server had closed before the request came. One
// that fails later was closed upon the request.
const atOnce = 50 * time.Millisecond

// lost tells of a request that was lost with the connection that was kept for it: a server may close
// that at the moment at which it is used again. This is no failure of the request.
func (c *Client) lost(err error) bool {
	t, ok := errors.AsType[*tried](err)
	return ok && t.reused && !t.answered.Load() && t.took <= c.atOnce && closed(t.err)
}

// answered tells whether an answer had begun.
func answered(err error) bool {
	t, ok := errors.AsType[*tried](err)
	return ok && t.answered.Load()
}
