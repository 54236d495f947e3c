package readiness

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	probeLimit = 2 * time.Second        // of one try
	probeSlow  = 500 * time.Millisecond // longest pause between tries
	probeFirst = 50 * time.Millisecond  // first pause when nothing hints at readiness
	// probeSoon is the first pause once the ready line was seen: servers print
	// it up to 0.1 s before they accept. Each pause is half as long again as the
	// one before, so the wait is at most half as long again as it need be.
	probeSoon = 2 * time.Millisecond
)

// A prober tries until it succeeded so many times in a row.
type prober struct {
	name  string // "http" or "tcp"
	try   func(context.Context) error
	need  int
	first time.Duration

	mu   sync.Mutex
	done bool  // it has succeeded
	last error // of the last try; nil before one ended
}

// run sends the prober's name when it has succeeded, and ends.
func (p *prober) run(ctx context.Context, met chan<- string) {
	pause, row := p.first, 0
	for {
		once, cancel := context.WithTimeout(ctx, probeLimit)
		err := p.try(once)
		cancel()
		if ctx.Err() != nil {
			return
		}
		row++
		if err != nil {
			row = 0
		}
		p.mu.Lock()
		p.last, p.done = err, row >= p.need
		p.mu.Unlock()
		if row >= p.need {
			select {
			case met <- p.name:
			case <-ctx.Done():
			}
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(pause*3/2, probeSlow)
	}
}

// state says how the last try ended, for people; nothing once it is done.
func (p *prober) state() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.done:
		return ""
	case p.last == nil:
		return p.name + " has not answered yet"
	}
	return p.last.Error()
}

func tryTCP(addr string) func(context.Context) error {
	return func(ctx context.Context) error {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", addr)
		if err != nil {
			return fmt.Errorf("connecting to %s: %w", addr, err)
		}
		return conn.Close()
	}
}

// tryHTTP asks the server itself: through no proxy, whatever the environment
// says, on a connection of its own, and it takes no redirect for an answer.
func tryHTTP(url string) func(context.Context) error {
	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:             nil,
			DisableKeepAlives: true,
			// Whether the listener is ours is told by its process, not by its
			// certificate, which is self-signed where people test with TLS.
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		},
	}
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		res, err := client.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if _, err := io.CopyN(io.Discard, res.Body, 64<<10); err != nil && err != io.EOF {
			return fmt.Errorf("GET %s: reading the answer: %w", url, err)
		}
		if res.StatusCode < 200 || res.StatusCode > 299 {
			return fmt.Errorf("GET %s answered %s", url, res.Status)
		}
		return nil
	}
}
