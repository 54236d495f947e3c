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

	"servematrix/telemetry"
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
	page, err := metricsPage(ctx, url)
	if err != nil {
		return "", err
	}
	lines := tokenCounter.FindAll(page, -1)
	if len(lines) == 0 {
		return "", errors.New("GET " + url + " has none")
	}
	return string(bytes.Join(lines, []byte("\n"))), nil
}

// metricsPage gives an engine's page of metrics. The error is telemetry.ErrNoMetrics where
// the server has no such page.
func metricsPage(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := direct.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	switch {
	case missing(res.StatusCode):
		return nil, fmt.Errorf("GET %s answered %s: %w", url, res.Status, telemetry.ErrNoMetrics)
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("GET %s answered %s", url, res.Status)
	}
	page, err := io.ReadAll(io.LimitReader(res.Body, countersMax))
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", url, err)
	}
	return page, nil
}
