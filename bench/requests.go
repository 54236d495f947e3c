package bench

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"servematrix/bench/tally"
	"servematrix/bench/wire"
)

// request is a line of --output-requests. Times are as Options.Tally defines them.
type request struct {
	// Due is when the schedule wanted it sent and Start when it was, since the beginning of the run.
	Due   *float64 `json:"due_s,omitempty"`
	Start float64  `json:"start_s"`
	// The latencies; null where there is none, ITL in the order of arrival.
	TTFT *float64  `json:"ttft_ms"`
	TPOT *float64  `json:"tpot_ms"`
	E2E  *float64  `json:"e2e_latency_ms"`
	ITL  []float64 `json:"itl_ms"`
	// Input and Output are tokens, Chunks the events with text that brought them.
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	Chunks int `json:"chunks"`
	// Retries are the times it was sent anew because a kept connection had been closed.
	Retries int `json:"retries"`
	// Class and Error say why it failed; both are "" where it did not.
	Class string `json:"class"`
	Error string `json:"error"`
}

// requestFile writes requests while they end. The senders encode; one goroutine compresses and
// writes, so that a slow disk holds nobody up until the queue is full. A nil one writes nothing.
type requestFile struct {
	scheduled, stream bool
	path              string
	lines             chan []byte
	failed            chan error // one value, when all is written
}

const linesQueued = 4096

// openRequests makes the file in a folder that is there; "" is none.
func openRequests(path string, scheduled, stream bool) (*requestFile, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("cannot write --output-requests: %w", err)
	}
	f := &requestFile{scheduled: scheduled, stream: stream, path: path, lines: make(chan []byte, linesQueued), failed: make(chan error, 1)}
	go func() { f.failed <- f.write(file) }()
	return f, nil
}

// write empties the queue into the file until it is closed. After an error it goes on emptying it.
func (f *requestFile) write(file *os.File) error {
	out, err := packed(f.path, file)
	for line := range f.lines {
		if err == nil {
			_, err = out.Write(line)
		}
	}
	if err == nil {
		err = out.Close()
	}
	return errors.Join(err, file.Close())
}

// packed compresses as a file's name says.
func packed(path string, file io.Writer) (io.WriteCloser, error) {
	switch {
	case strings.HasSuffix(path, ".gz"):
		return gzip.NewWriter(file), nil
	case strings.HasSuffix(path, ".zst"):
		return zstd.NewWriter(file, zstd.WithEncoderConcurrency(1))
	}
	return plain{bufio.NewWriterSize(file, 64<<10)}, nil
}

// plain is a buffered writer whose end writes what it holds.
type plain struct{ *bufio.Writer }

func (p plain) Close() error { return p.Flush() }

// add writes a request that has ended.
func (f *requestFile) add(r *wire.Record) {
	if f == nil {
		return
	}
	line, err := json.Marshal(f.request(r))
	if err != nil { // every field can be encoded
		panic(err)
	}
	f.lines <- append(line, '\n')
}

func (f *requestFile) request(r *wire.Record) request {
	out := request{Start: r.Start.Seconds(), ITL: []float64{}, Input: r.Input, Output: r.Output, Chunks: r.Chunks, Retries: r.Retries}
	if f.scheduled {
		due := r.Intended.Seconds()
		out.Due = &due
	}
	if r.Failed != nil {
		out.Class, out.Error = r.Failed.Class, r.Failed.Message
		return out
	}
	out.E2E = millis(r.E2E)
	if !f.stream {
		return out
	}
	out.TTFT = millis(r.TTFT)
	if tpot, ok := tally.TPOT(r); ok {
		out.TPOT = millis(tpot)
	}
	for _, gap := range r.Gaps {
		out.ITL = append(out.ITL, tally.Millis(gap))
	}
	return out
}

func millis(d time.Duration) *float64 {
	ms := tally.Millis(d)
	return &ms
}

// close writes what is queued and ends the file: whole lines, and what its compression ends with.
func (f *requestFile) close() error {
	if f == nil {
		return nil
	}
	close(f.lines)
	if err := <-f.failed; err != nil {
		return fmt.Errorf("cannot write --output-requests: %w", err)
	}
	return nil
}
