package live

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// events is the stream that a page listens to (server-sent events). Its messages are short:
//
//	now     what the run does, as JSON
//	newer   there is a newer page, which the page asks for; its id is an event of the journal
//	over    the run has ended, and nothing follows
//
// A page that comes again says with Last-Event-ID, or with have, which drawing it has.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	if s.streams.Add(1) > streamsMost {
		s.streams.Add(-1)
		w.Header().Set("Retry-After", "30")
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer s.streams.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	defer s.watch.join()()
	st := stream{server: s, w: w, have: have(r), seen: news{Done: -1}}
	if !st.say("retry: 3000\n\n") {
		return
	}
	st.run(r)
}

// have is the drawing that a page has.
func have(r *http.Request) int64 {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("have")
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0 // whatever there is, is newer
	}
	return n
}

// stream is what one page was told.
type stream struct {
	server *Server
	w      http.ResponseWriter
	have   int64
	seen   news // as it was told last; at first none that there can be
	over   bool
}

func (st *stream) run(r *http.Request) {
	heartbeat := time.NewTimer(st.server.pace.heartbeat)
	defer heartbeat.Stop()
	for {
		known, changed := st.server.watch.look()
		wait := st.server.pace.heartbeat
		if known.settled {
			if !st.tell(known) {
				return
			}
			if known.seq > st.have { // it may be drawn a little later
				wait = min(wait, max(time.Until(st.server.artist.due()), 10*time.Millisecond))
			}
		}
		heartbeat.Reset(wait)
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-heartbeat.C:
			if wait == st.server.pace.heartbeat && !st.say(":\n\n") {
				return
			}
		}
	}
}

// tell says what the page does not know; false: it can no longer be reached.
func (st *stream) tell(known standing) bool {
	if known.over == "" && known.news != st.seen {
		st.seen = known.news
		text, err := json.Marshal(known.news.aged(time.Now()))
		if err != nil || !st.say("event: now\ndata: %s\n\n", text) {
			return false
		}
	}
	if known.seq > st.have && (known.over != "" || !time.Now().Before(st.server.artist.due())) {
		st.have = known.seq
		if !st.say("event: newer\nid: %d\ndata: %d\n\n", known.seq, known.seq) {
			return false
		}
	}
	over := known.over != ""
	if over && !st.over && !st.say("event: over\ndata: %s\n\n", known.over) {
		return false
	}
	st.over = over
	return true
}

// say writes to the page, which has to take it in time.
func (st *stream) say(format string, args ...any) bool {
	if !st.server.allow(st.w) {
		return false
	}
	if _, err := io.WriteString(st.w, fmt.Sprintf(format, args...)); err != nil {
		return false
	}
	return http.NewResponseController(st.w).Flush() == nil
}
