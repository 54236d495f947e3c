package progress

import (
	"io"
	"os"
	"regexp"
	"time"
)

// tailBytes is the most of a client's stderr that is read to see how far it is.
const tailBytes = 4 << 10

// lookEvery is how often the files are looked at.
const lookEvery = time.Second

// tqdm matches a progress bar's state, such as " 13%|█▎ | 33/256 [01:06<06:22,  1.71s/it]".
var tqdm = regexp.MustCompile(`(\d+)/(\d+) \[`)

// watch reads the files of the unit in hand, each at most once a second.
type watch struct {
	path, state string
	looked      time.Time
	logged      time.Time // when the server's logs last grew
	aged        time.Time
	log         string // the first of the logs
	size        int64  // of all
}

// client gives the last "n/total" that the client printed, "" where there is none.
func (w *watch) client(now time.Time, path string) string {
	if path != w.path {
		w.path, w.state, w.looked = path, "", time.Time{}
	}
	if path == "" || now.Sub(w.looked) < lookEvery {
		return w.state
	}
	w.looked = now
	tail, err := tailOf(path)
	if err != nil {
		return w.state
	}
	if all := tqdm.FindAllSubmatch(tail, -1); len(all) > 0 {
		m := all[len(all)-1]
		w.state = string(m[1]) + "/" + string(m[2])
	}
	return w.state
}

func tailOf(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	buf := make([]byte, min(info.Size(), tailBytes))
	n, err := f.ReadAt(buf, info.Size()-int64(len(buf)))
	if err == io.EOF {
		err = nil
	}
	return buf[:n], err
}

// age tells how long ago something was written to one of the logs.
func (w *watch) age(now time.Time, logs []string) (string, bool) {
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
		switch first := len(logs) > 0 && logs[0] != w.log; {
		case newest.IsZero():
			w.logged = time.Time{}
		case first: // what went before the first look, only the files' times know
			w.log, w.logged = logs[0], now.Add(-max(now.Sub(newest), 0))
		case size != w.size:
			w.logged = now
		}
		w.size = size
	}
	if w.logged.IsZero() {
		return "", false
	}
	return running(now.Sub(w.logged)), true
}
