package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"servematrix/result"
)

func TestSamplesAreWrittenInTheirOrder(t *testing.T) {
	var out bytes.Buffer
	w := newSampleWriter(&out)
	const n = 3*batchSize*maxAhead + 5
	for i := range n {
		if err := w.add(result.Sample{Block: i + 1, Status: result.StatusOK}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&out)
	for i := range n {
		var s result.Sample
		if err := d.Decode(&s); err != nil || s.Block != i+1 {
			t.Fatalf("sample %d: block %d, %v", i+1, s.Block, err)
		}
	}
	if err := d.Decode(&result.Sample{}); !errors.Is(err, io.EOF) {
		t.Errorf("then %v", err)
	}
}

type fullDisk struct{ error }

func (w fullDisk) Write([]byte) (int, error) { return 0, w.error }

// Whoever reads is told that nothing more can be written, and need not read to the end.
func TestWritingThatFailsEndsReading(t *testing.T) {
	full := errors.New("no space left on device")
	w := newSampleWriter(fullDisk{full})
	long := result.Sample{Status: result.StatusOK, Run: string(bytes.Repeat([]byte("x"), 64<<10))}
	var err error
	for range 2 * batchSize * (maxAhead + 2) {
		if err = w.add(long); err != nil {
			break
		}
	}
	if !errors.Is(err, full) {
		t.Errorf("adding: %v", err)
	}
	if err := w.close(); !errors.Is(err, full) {
		t.Errorf("closing: %v", err)
	}
}
