package orchestrator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"
)

const (
	countersTimeout = 2 * time.Second // an engine that hangs may not answer at all
	countersMax     = 8 << 20         // bytes of an answer that are read
)

// tokenCounter is a line of Prometheus' text that moves only when tokens are
// computed: counters of tokens, and SGLang's tokens in use, since it counts the
// generated ones only when a request is done. Rates are left out: some say how much
// there was since they were last asked.
var tokenCounter = regexp.MustCompile(`(?m)^[\w:]*(?:token\w*_total|num_used_tokens)(?:\{.*\})? .*$`)

// tokenCounters gives the engine's token counters as one text, to be compared. It
// asks through no proxy; the servers measured are on this host.
func tokenCounters(ctx context.Context, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, countersTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	res, err := direct.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("GET %s answered %s", url, res.Status)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, countersMax))
	if err != nil {
		return "", fmt.Errorf("GET %s: %w", url, err)
	}
	lines := tokenCounter.FindAll(body, -1)
	if len(lines) == 0 {
		return "", errors.New("GET " + url + " has none")
	}
	return string(bytes.Join(lines, []byte("\n"))), nil
}
