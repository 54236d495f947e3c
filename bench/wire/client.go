package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
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
	http      *http.Client
	header    http.Header
	extra     map[string]json.RawMessage
	simulated atomic.Bool
	readers   sync.Pool // of *bufio.Reader
}

// New makes the client that resolved options describe. It connects when the first request is sent.
func New(opt Options) *Client {
	transport := &http.Transport{
		Proxy:               proxy,
		DialContext:         (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		MaxIdleConns:        0,
		MaxIdleConnsPerHost: 1 << 20, // a connection for each request in flight, kept for the next
		IdleConnTimeout:     time.Minute,
		DisableCompression:  true,
		TLSHandshakeTimeout: 30 * time.Second,
	}
	c := &Client{
		opt: opt, endpoint: endpoints[opt.Backend], http: &http.Client{Transport: transport},
		header: http.Header{"Content-Type": {"application/json"}},
	}
	c.readers.New = func() any { return bufio.NewReaderSize(nil, 64<<10) }
	for _, h := range opt.Headers {
		name, value, _ := strings.Cut(h, "=")
		c.header.Set(name, value)
	}
	if key := os.Getenv("OPENAI_API_KEY"); key != "" && c.header.Get("Authorization") == "" {
		c.header.Set("Authorization", "Bearer "+key)
	}
	if opt.ExtraRequestBody != "" {
		_ = json.Unmarshal([]byte(opt.ExtraRequestBody), &c.extra) // resolve has checked it
	}
	return c
}

// proxy follows the environment, but never for this host: loopback, and 0.0.0.0, which
// sglang.bench_serving uses for it and which http.ProxyFromEnvironment would send to a proxy.
func proxy(r *http.Request) (*url.URL, error) {
	host := r.URL.Hostname()
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// Close gives idle connections up.
func (c *Client) Close() { c.http.CloseIdleConnections() }

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
	response, err := c.do(ctx, http.MethodPost, c.endpoint.path(), body)
	if err != nil {
		r.Failed = classify(err, false)
		return r
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		r.Failed = statusFailure(response)
		return r
	}
	if c.opt.DisableStream {
		c.readWhole(response.Body, start, p, r)
	} else {
		c.readStream(response.Body, start, p, r)
	}
	return r
}

// do sends a request. A server may close a connection that it kept at the moment
// at which it is used again; that is no failure of the request, which goes once
// more, at the latest over a connection of its own.
func (c *Client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	reused := false
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) { reused = got.Reused }})
	for {
		request, err := http.NewRequestWithContext(traced, method, c.opt.BaseURL+path, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.Header = c.header.Clone()
		response, err := c.http.Do(request)
		if err != nil && reused && ctx.Err() == nil {
			reused = false
			continue
		}
		if err == nil && response.Header.Get(simulatedHeader) != "" {
			c.simulated.Store(true)
		}
		return response, err
	}
}

// statusFailure reads the beginning of an error's body.
func statusFailure(response *http.Response) *Failure {
	text, _ := io.ReadAll(io.LimitReader(response.Body, 512)) // an unreadable explanation is an empty one
	class := HTTP4xx
	if response.StatusCode >= 500 {
		class = HTTP5xx
	}
	return failf(class, "%s: %s", response.Status, bytes.TrimSpace(text))
}
