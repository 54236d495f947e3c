package bench

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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// simulatedHeader is how servematrix's simulated server labels its answers.
const simulatedHeader = "X-Servematrix-Simulated"

// client sends requests to one server.
type client struct {
	opt       Options
	endpoint  endpoint
	http      *http.Client
	header    http.Header
	extra     map[string]json.RawMessage
	simulated atomic.Bool
	readers   sync.Pool // of *bufio.Reader
}

func newClient(opt Options) *client {
	transport := &http.Transport{
		Proxy:               proxy,
		DialContext:         (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		MaxIdleConns:        0,
		MaxIdleConnsPerHost: 1 << 20, // a connection for each request in flight, kept for the next
		IdleConnTimeout:     time.Minute,
		DisableCompression:  true,
		TLSHandshakeTimeout: 30 * time.Second,
	}
	c := &client{
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

// body encodes a request.
func (c *client) body(p prompt) []byte {
	fields := map[string]any{"stream": !c.opt.DisableStream}
	switch c.endpoint {
	case native:
		fields["input_ids"] = idList(p.ids)
		fields["sampling_params"] = map[string]any{"temperature": 0, "max_new_tokens": p.output, "ignore_eos": !c.opt.DisableIgnoreEOS}
	default:
		fields["model"], fields["temperature"] = c.opt.Model, 0
		if !c.opt.DisableIgnoreEOS {
			fields["ignore_eos"] = true
		}
		if !c.opt.DisableStream {
			fields["stream_options"] = map[string]any{"include_usage": true}
		}
		if c.endpoint == chat {
			fields["messages"] = []any{map[string]any{"role": "user", "content": chatText(p.ids)}}
			fields["max_completion_tokens"] = p.output
		} else {
			fields["prompt"] = idList(p.ids)
			fields["max_tokens"] = p.output
		}
	}
	for name, value := range c.extra {
		fields[name] = value
	}
	body, err := json.Marshal(fields)
	if err != nil { // every value above can be encoded; extra was valid JSON
		panic(err)
	}
	return body
}

// idList writes token ids as a JSON list; encoding/json takes ten times as long.
func idList(ids []int32) json.RawMessage {
	b := make([]byte, 0, len(ids)*6+2)
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return append(b, ']')
}

// chatText writes one short word for each token id, since chat messages are text; how many
// tokens that is only the server's tokenizer knows.
func chatText(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteByte(' ')
		for n, i := int(id), 0; i < 4; i++ {
			b.WriteByte(byte('a' + n%26))
			n /= 26
		}
	}
	return b.String()
}

// send sends one prompt and measures the answer. began is the beginning of the run.
func (c *client) send(ctx context.Context, p prompt, began time.Time) record {
	body := c.body(p)
	r := record{input: len(p.ids), gaps: make([]time.Duration, 0, p.output)}
	ctx, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	start := time.Now()
	r.start = start.Sub(began)
	response, err := c.do(ctx, http.MethodPost, c.endpoint.path(), body)
	if err != nil {
		r.failed = classify(err, false)
		return r
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		r.failed = statusFailure(response)
		return r
	}
	if c.opt.DisableStream {
		c.readWhole(response.Body, start, p, &r)
	} else {
		c.readStream(response.Body, start, p, &r)
	}
	return r
}

// do sends a request. A server may close a connection that it kept at the moment
// at which it is used again; that is no failure of the request, which goes once
// more, at the latest over a connection of its own.
func (c *client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
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
func statusFailure(response *http.Response) *failure {
	text, _ := io.ReadAll(io.LimitReader(response.Body, 512)) // an unreadable explanation is an empty one
	class := HTTP4xx
	if response.StatusCode >= 500 {
		class = HTTP5xx
	}
	return failf(class, "%s: %s", response.Status, bytes.TrimSpace(text))
}
