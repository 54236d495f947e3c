package live

import (
	"bytes"
	_ "embed"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"servematrix/page"
)

//go:embed live.js
var script string

//go:embed live.css
var style string

// answering counts an answer until it was taken.
func (s *Server) answering(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.answers.Add(1)
		defer s.answers.Add(-1)
		next(w, r)
		_ = http.NewResponseController(w).Flush() // what was not taken now is cut off by its deadline
	}
}

// page gives the whole page.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	d, ok := s.draw(w, r)
	if !ok {
		return
	}
	o := page.Options{Connect: true, Style: style, Script: fmt.Sprintf("const drawn = %d;\n%s", d.seq, script)}
	var b bytes.Buffer
	if err := d.HTML(&b, o); err != nil {
		fail(w, err)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", page.Policy(o)+"; "+unframed)
	if !takesGzip(r) {
		send(w, b.Bytes(), false)
		return
	}
	packed, err := compressed(b.Bytes())
	if err != nil {
		fail(w, err)
		return
	}
	send(w, packed, true)
}

// main gives what stands inside the page's <main>, the newest that there is to be.
func (s *Server) main(w http.ResponseWriter, r *http.Request) {
	d, ok := s.draw(w, r)
	if !ok {
		return
	}
	if takesGzip(r) {
		send(w, d.main, true)
		return
	}
	send(w, []byte(d.Main), false)
}

// draw gives the newest drawing; false: the answer was given, or nobody waits for one.
func (s *Server) draw(w http.ResponseWriter, r *http.Request) (*drawing, bool) {
	defer s.watch.join()()
	known, ok := s.watch.settled(r.Context())
	if !ok {
		return nil, false
	}
	d, err := s.artist.newest(known.seq, known.over != "")
	if err != nil {
		fail(w, err)
		return nil, false
	}
	return d, s.allow(w) // drawing took its time
}

func fail(w http.ResponseWriter, err error) {
	http.Error(w, "the page cannot be drawn: "+err.Error(), http.StatusInternalServerError)
}

func send(w http.ResponseWriter, body []byte, packed bool) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Vary", "Accept-Encoding")
	if packed {
		h.Set("Content-Encoding", "gzip")
	}
	_, _ = w.Write(body) // who does not take it is cut off
}

// takesGzip tells whether the browser takes compressed text.
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name == "gzip" {
			return strings.ReplaceAll(quality, " ", "") != "q=0"
		}
	}
	return false
}
