package cli

import (
	"bufio"
	"io"

	"servematrix/result"
)

// sampleWriter writes samples as JSON lines, in their order, while the next ones are read: that is
// work for two cores. Few batches are under way at a time, however long the file.
type sampleWriter struct {
	batch   []result.Sample
	batches chan []result.Sample
	broken  chan struct{} // closed when nothing more can be written
	err     error         // why; to be read when broken or done is closed
	done    chan struct{}
}

const (
	batchSize = 32
	maxAhead  = 4 // batches
)

func newSampleWriter(to io.Writer) *sampleWriter {
	w := &sampleWriter{batches: make(chan []result.Sample, maxAhead), broken: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		if w.err = w.write(bufio.NewWriterSize(to, 64<<10)); w.err != nil {
			close(w.broken)
		}
	}()
	return w
}

func (w *sampleWriter) write(to *bufio.Writer) error {
	var line []byte
	for batch := range w.batches {
		for i := range batch {
			var err error
			if line, err = batch[i].AppendJSON(line[:0]); err != nil {
				return err
			}
			if _, err = to.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return to.Flush()
}

// add takes the next sample. Its error is that of writing one before it.
func (w *sampleWriter) add(s result.Sample) error {
	if w.batch == nil {
		w.batch = make([]result.Sample, 0, batchSize)
	}
	if w.batch = append(w.batch, s); len(w.batch) < batchSize {
		return nil
	}
	return w.hand()
}

func (w *sampleWriter) hand() error {
	select {
	case w.batches <- w.batch:
		w.batch = nil
		return nil
	case <-w.broken:
		return w.err
	}
}

// close waits until all is written.
func (w *sampleWriter) close() error {
	w.hand()
	close(w.batches)
	<-w.done
	return w.err
}
