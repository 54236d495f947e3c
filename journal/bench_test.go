package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkDurableWrite measures a durable event and a bare write and fsync of a
// line of that length in turn, so that both meet the same disk. Its figures are medians.
func BenchmarkDurableWrite(b *testing.B) {
	f, lock, err := Create(b.TempDir(), "test", time.Now(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer lock.Release()
	w := open(b, f)
	bare, err := os.OpenFile(filepath.Join(b.TempDir(), "bare"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	line := append(bytes.Repeat([]byte("x"), 200), '\n')
	var events, writes []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := w.Write(Event{Type: SampleEnded, Cell: "cell"}, Ended{Status: "ok"}, true); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		if _, err := bare.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := bare.Sync(); err != nil {
			b.Fatal(err)
		}
		events, writes = append(events, between.Sub(began)), append(writes, time.Since(between))
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	if err := bare.Close(); err != nil {
		b.Fatal(err)
	}
	slices.Sort(events)
	slices.Sort(writes)
	event, write := events[len(events)/2], writes[len(writes)/2]
	b.ReportMetric(float64(event.Microseconds()), "µs/event")
	b.ReportMetric(float64(write.Microseconds()), "µs/bare")
	b.ReportMetric(float64(event)/float64(write), "event/bare")
}
