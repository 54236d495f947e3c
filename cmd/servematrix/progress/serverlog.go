package progress

import (
	"os"
	"time"
)

// lookEvery is how often the files are looked at.
const lookEvery = time.Second

// serverLog watches the age of a server's logs.
type serverLog struct {
	grown time.Time // when they last grew
	aged  time.Time
	first string // the first of the logs
	size  int64  // of all
}

// age tells how long ago something was written to one of the logs.
func (w *serverLog) age(now time.Time, logs []string) (string, bool) {
	if now.Sub(w.aged) >= lookEvery {
		w.aged = now
		var size int64
		var newest time.Time
		for _, p := range logs {
			if info, err := os.Stat(p); err == nil {
				size += info.Size()
				if info.ModTime().After(newest) {
					newest = info.ModTime()
				}
			}
		}
		switch first := len(logs) > 0 && logs[0] != w.first; {
		case newest.IsZero():
			w.grown = time.Time{}
		case first: // what went before the first look, only the files' times know
			w.first, w.grown = logs[0], now.Add(-max(now.Sub(newest), 0))
		case size != w.size:
			w.grown = now
		}
		w.size = size
	}
	if w.grown.IsZero() {
		return "", false
	}
	return running(now.Sub(w.grown)), true
}
