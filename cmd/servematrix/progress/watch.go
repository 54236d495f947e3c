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
	logged      time.Time // newest change of the server's logs
	aged        time.Time
}

// client gives the last "n/total" that the client printed, "" where there is none.
func (w *watch) client(now time.Time, path string) string {
	if path != w.path {
		*w = watch{path: path, aged: w.aged, logged: w.logged}
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
		w.aged, w.logged = now, time.Time{}
		for _, p := range logs {
			if info, err := os.Stat(p); err == nil && info.ModTime().After(w.logged) {
				w.logged = info.ModTime()
			}
		}
	}
	if w.logged.IsZero() {
		return "", false
	}
	return running(now.Sub(w.logged)), true
}
