package telemetry

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"sync"
	"time"
)

// fileMost is where a file ends: days of a client on a host with many devices.
const fileMost = 64 << 20

// Recorder appends readings to a file. It never fails: what cannot be written is lost,
// and what was written stays readable.
type Recorder struct {
	path  string
	began time.Time
	ctx   context.Context // of the looks; Close ends it
	close context.CancelFunc

	mu      sync.Mutex
	written int64
	torn    bool // the last line may be half there
}

// Record begins the clock of a file; the first reading makes it.
func Record(path string) *Recorder {
	r := &Recorder{path: path, began: time.Now()}
	r.ctx, r.close = context.WithCancel(context.Background())
	return r
}

// Watch looks after first and then every so often, until Close, and keeps what look gives.
// Nobody waits for a look: one that takes long delays its own next one and nothing else.
func (r *Recorder) Watch(first, every time.Duration, look func(context.Context) []Reading) {
	go func() {
		for wait := first; ; wait = every {
			t := time.NewTimer(wait)
			select {
			case <-r.ctx.Done():
				t.Stop()
				return
			case <-t.C:
			}
			at := time.Now()
			r.keep(at, look(r.ctx))
		}
	}()
}

// Close ends all looks and waits for none; what one sees from now on is dropped.
func (r *Recorder) Close() { r.close() }

func (r *Recorder) keep(at time.Time, readings []Reading) {
	var text []byte
	for _, one := range readings {
		one.Time, one.Seconds = at.UTC(), rounded(at.Sub(r.began).Seconds())
		if line, err := json.Marshal(one); err == nil { // not finite: such a number is none
			text = append(append(text, line...), '\n')
		}
	}
	if len(text) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil || r.written+int64(len(text)) > fileMost {
		return
	}
	f, err := os.OpenFile(r.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	if r.torn {
		text = append([]byte{'\n'}, text...)
	}
	n, err := f.Write(text)
	closed := f.Close()
	r.written += int64(n)
	r.torn = err != nil || closed != nil
}

// rounded keeps thousandths: the rest says nothing and takes room.
func rounded(v float64) float64 { return math.Round(v*1000) / 1000 }
