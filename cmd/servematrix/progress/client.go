package progress

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"servematrix/journal"
)

const (
	// tailBytes is the most of a client's output that is searched for its last state.
	tailBytes = 8 << 10
	// countBytes is the most of it that one look counts requests in.
	countBytes = 8 << 20
)

// tqdm matches a progress bar's state, such as " 13%|█▎ | 33/256 [01:06<06:22,  1.71s/it]".
var tqdm = regexp.MustCompile(`\|\s*(\d+)/(\d+) \[`)

// signs say how a client shows how far it is.
type signs struct {
	state   *regexp.Regexp // a line with group 1 of group 2 done
	request *regexp.Regexp // a line that is printed once for each request; nil: there is none
	asked   int            // requests; 0: unknown
}

// shows gives the signs of a client by its profile.
func (v *View) shows(id string) signs {
	s := signs{state: tqdm}
	c := v.track.clients[id]
	if c == nil || v.opt.Catalog == nil {
		return s
	}
	if p := v.opt.Catalog.Client(c.Profile); p != nil {
		s.state, s.request = p.Progress.Expression(), p.Request.Expression()
		s.asked, _ = p.NumPrompts(c.Argv)
	}
	return s
}

// clientOutput watches how far the client in hand is, by what it prints.
type clientOutput struct {
	folder string
	looked time.Time
	state  string
	counts map[string]*requests // by file
}

// requests counts the lines of a file that tell of a request.
type requests struct {
	offset int64
	seen   int
}

// look gives what the client that writes into folder printed last, "" where it tells nothing.
func (w *clientOutput) look(now time.Time, folder string, by signs) string {
	if folder != w.folder {
		*w = clientOutput{folder: folder, counts: map[string]*requests{}}
	}
	if now.Sub(w.looked) < lookEvery {
		return w.state
	}
	w.looked = now
	for _, name := range []string{journal.ClientOut, journal.ClientErr} {
		if s := lastState(filepath.Join(folder, name), by); s != "" {
			w.state = s
			return s
		}
	}
	if n := w.count(by.request); n > 0 {
		if w.state = fmt.Sprintf("%d req", n); by.asked > 0 {
			w.state = fmt.Sprintf("%d/%d req", n, by.asked)
		}
	}
	return w.state
}

// lastState finds the newest "n/total" near a file's end.
func lastState(path string, by signs) string {
	if by.state == nil {
		return ""
	}
	tail := tailOf(path, tailBytes)
	lines := bytes.FieldsFunc(tail, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		m := by.state.FindSubmatch(lines[i])
		if len(m) < 3 {
			continue
		}
		if total, err := strconv.Atoi(string(m[2])); err == nil && total == by.asked {
			return fmt.Sprintf("%s/%s req", m[1], m[2])
		}
		return fmt.Sprintf("%s/%s", m[1], m[2])
	}
	return ""
}

// count adds up the requests that the client's output tells of, one line each.
func (w *clientOutput) count(request *regexp.Regexp) (n int) {
	if request == nil {
		return 0
	}
	for _, name := range []string{journal.ClientOut, journal.ClientErr} {
		r := w.counts[name]
		if r == nil {
			r = &requests{}
			w.counts[name] = r
		}
		r.read(filepath.Join(w.folder, name), request)
		n += r.seen
	}
	return n
}

// read goes on where it ended, over whole lines.
func (r *requests) read(path string, request *regexp.Regexp) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	buf := make([]byte, min(max(info.Size()-r.offset, 0), countBytes))
	n, err := f.ReadAt(buf, r.offset)
	if err != nil && err != io.EOF {
		return
	}
	whole := bytes.LastIndexByte(buf[:n], '\n') + 1
	if whole == 0 && n == countBytes { // no line at all
		whole = n
	}
	r.offset += int64(whole)
	for line := range bytes.Lines(buf[:whole]) {
		if request.Match(bytes.TrimRight(line, "\r\n")) {
			r.seen++
		}
	}
}

// tailOf gives the last bytes of a file, none where it cannot be read.
func tailOf(path string, most int64) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	buf := make([]byte, min(info.Size(), most))
	n, err := f.ReadAt(buf, info.Size()-int64(len(buf)))
	if err != nil && err != io.EOF {
		return nil
	}
	return buf[:n]
}
