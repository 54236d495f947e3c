package live

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"servematrix/journal"
)

func TestStreamTellsWhatHappens(t *testing.T) {
	r := newRun(t, 3)
	s := serve(t, r, quick).enter()
	page := s.get(s.client, s.base+"/")
	if !strings.Contains(page.text, "const drawn = 1;") {
		t.Fatal("the page does not say that it was drawn up to event 1")
	}
	l := s.listen("?have=1")
	if m := l.next(); m != "retry: 3000" {
		t.Errorf("the stream begins with %q", m)
	}
	if m := l.next(); !strings.HasPrefix(m, `event: now|data: {"phase":"",`) {
		t.Errorf("then comes %q", m)
	}
	r.start("</script>\x1b[2J radix")
	if m := l.until(`event: now|data: {"phase":"start"`); !strings.Contains(m, `\u003c/script\u003e`) || strings.ContainsRune(m, 0x1b) || !strings.Contains(m, `"done":0`) {
		t.Errorf("the start is told as %q", m)
	}
	seq := r.sample()
	if m, want := l.until("event: newer"), fmt.Sprintf("event: newer|id: %d|data: %d", seq, seq); m != want {
		t.Errorf("a sample is told as %q, not %q", m, want)
	}
	main := s.get(s.client, s.base+"/main")
	if !strings.Contains(main.text, "101.0") || strings.Contains(main.text, "<!doctype") {
		t.Error("what the page gets then has not the sample, or is more than its inside")
	}
	r.sample()
	l.until("event: newer")
	end := r.end()
	if m := l.until("event: newer"); !strings.Contains(m, fmt.Sprint("id: ", end)) {
		t.Errorf("the end is told as %q", m)
	}
	if m := l.next(); m != "event: over|data: ended" {
		t.Errorf("behind it comes %q", m)
	}
}

// A page that comes again is told of what it has not seen, and of nothing else.
func TestReplay(t *testing.T) {
	r := newRun(t, 3)
	s := serve(t, r, quick).enter()
	seq := r.sample()
	for _, c := range []struct {
		query  string
		header []string
		newer  bool
	}{
		{"", nil, true}, {"?have=0", nil, true}, {"?have=1", nil, true}, {"?have=x", nil, true}, {"?have=-5", nil, true},
		{"", []string{"Last-Event-ID", "1"}, true},
		{fmt.Sprint("?have=", seq), nil, false},
		{"?have=1", []string{"Last-Event-ID", fmt.Sprint(seq)}, false},
	} {
		l := s.listen(c.query, c.header...)
		newer := false
		for m := l.next(); ; m = l.next() {
			newer = newer || m == fmt.Sprintf("event: newer|id: %d|data: %d", seq, seq)
			if strings.HasPrefix(m, "event: newer") || strings.Contains(m, `"phase":"stop"`) {
				break
			}
			if strings.HasPrefix(m, "event: now") && !c.newer {
				r.n-- // of the sample's server
				r.event(r.at(0), journal.LaunchStopping, journal.Stopping{Why: "done"})
				r.n++
			}
		}
		if newer != c.newer {
			t.Errorf("%q with %v: newer is %v", c.query, c.header, newer)
		}
		l.body.Close()
	}
}

func TestHeartbeat(t *testing.T) {
	p := quick
	p.heartbeat = time.Millisecond
	s := serve(t, newRun(t, 1), p).enter()
	l := s.listen("?have=1")
	for range 3 {
		l.until(":")
	}
}

func TestStreamsAreBounded(t *testing.T) {
	s := serve(t, newRun(t, 1), quick).enter()
	var all []*listening
	for range streamsMost {
		all = append(all, s.listen("?have=1"))
	}
	a := s.get(s.client, s.base+"/events")
	if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
		t.Errorf("one more stream is %s", a.Status)
	}
	if a := s.get(s.client, s.base+"/main"); a.StatusCode != http.StatusOK {
		t.Errorf("beside as many streams as there can be the page is %s", a.Status)
	}
	all[0].body.Close()
	soon(t, "a closed stream makes room", func() bool { return s.streams.Load() < streamsMost })
	s.listen("")
}

// While no page is open nothing follows the journal.
func TestNobodyLooks(t *testing.T) {
	r := newRun(t, 2)
	s := serve(t, r, quick).enter()
	follows := func() bool {
		s.watch.mu.Lock()
		defer s.watch.mu.Unlock()
		return s.watch.stop != nil
	}
	if follows() || s.artist.drawn != nil {
		t.Fatal("it works before anybody looks")
	}
	l := s.listen("")
	l.until("event: newer")
	if !follows() {
		t.Fatal("it does not follow while somebody looks")
	}
	if s.artist.drawn != nil {
		t.Error("it draws though nobody asked for the page")
	}
	l.body.Close()
	soon(t, "the following ends with the last page", func() bool { return !follows() })
	seq := r.sample()
	l = s.listen("?have=1") // and begins again with the next
	if m := l.until("event: newer"); !strings.Contains(m, fmt.Sprint("id: ", seq)) {
		t.Errorf("who comes later hears %q", m)
	}
}

func TestEndOfTheServer(t *testing.T) {
	s := serve(t, newRun(t, 1), quick).enter()
	l := s.listen("?have=1")
	l.until("event: now")
	if err := s.end(); err != nil {
		t.Errorf("Serve gave %v", err)
	}
	for l.next() != "" { // it ends
	}
	if _, err := s.client.Get(s.base); err == nil {
		t.Error("the port is still open")
	}
}

// Finish tells how it is even where the journal holds no end, and waits for those who look.
func TestFinish(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*run)
		want string
	}{
		"ended":  {func(r *run) { r.end() }, "ended"},
		"halted": {func(r *run) { r.event(journal.Event{}, journal.RunEnded, journal.Verdict{Missing: 1}) }, "halted"},
		"no end": {func(*run) {}, "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRun(t, 2)
			p := quick
			p.breath = time.Hour // who does not look again hears nothing
			s := serve(t, r, p).enter()
			l := s.listen("?have=1")
			l.until("event: now")
			c.end(r)
			finished := make(chan struct{})
			go func() { defer close(finished); s.Finish(t.Context()) }()
			if m := l.until("event: over"); m != "event: over|data: "+c.want {
				t.Errorf("the page hears %q", m)
			}
			l.body.Close()
			select {
			case <-finished:
			case <-time.After(patience):
				t.Error("it waits on though nobody looks")
			}
		})
	}
}

// The last page is waited for as long as it is drawn, however long pages have else.
func TestFinishWaitsForTheLastPage(t *testing.T) {
	r := newRun(t, 2)
	p := quick
	p.parting = 10 * time.Millisecond
	s := serve(t, r, p).enter()
	s.get(s.client, s.base+"/")
	s.artist.last = time.Hour // as if it had taken that
	l := s.listen("?have=1")
	l.until("event: now")
	s.artist.mu.Lock() // from now on it draws
	r.sample()
	l.until("event: newer")
	page := make(chan answer, 1)
	go func() { page <- s.get(s.client, s.base+"/main") }()
	soon(t, "the page is asked for", func() bool { return s.answers.Load() == 1 })
	r.end()
	finished := make(chan struct{})
	go func() { defer close(finished); s.Finish(t.Context()) }()
	l.until("event: over")
	select {
	case <-finished:
		t.Error("it does not wait for the last page")
	case <-time.After(10 * p.parting):
	}
	s.artist.mu.Unlock()
	if a := <-page; !strings.Contains(a.text, "101.0") {
		t.Error("the last page has not what came last")
	}
	select { // the stream is open still, but nothing more is asked for
	case <-finished:
	case <-time.After(patience):
		t.Error("it waits on for who asks for nothing")
	}
}

// However long a drawing goes on: the end of the run is put off by a bounded time.
func TestFinishIsBounded(t *testing.T) {
	r := newRun(t, 1)
	p := quick
	p.parting = time.Millisecond
	s := serve(t, r, p).enter()
	s.listen("?have=1").until("event: now")
	s.answers.Add(1) // and never ends
	s.Finish(t.Context())
	s.answers.Add(-1)
}

// The end of a run is read behind what was read of it already.
func TestFinishReadsOn(t *testing.T) {
	r := newRun(t, 2)
	p := quick
	p.breath = time.Hour
	s := serve(t, r, p).enter()
	l := s.listen("?have=1")
	l.until("event: now")
	following := func() chan struct{} {
		s.watch.mu.Lock()
		defer s.watch.mu.Unlock()
		return s.watch.stopped
	}
	began := following()
	end := r.end()
	go s.Finish(t.Context())
	if m := l.until("event: newer"); !strings.Contains(m, fmt.Sprint("id: ", end)) {
		t.Errorf("the end is told as %q", m)
	}
	if following() != began {
		t.Error("the journal is read again from its begin")
	}
}

// A run on which nobody works and that did not end.
func TestCrashedRun(t *testing.T) {
	r := newRun(t, 2)
	r.sample()
	r.lock.Release()
	s := serve(t, r, quick).enter()
	if m := s.listen("").until("event: over"); m != "event: over|data: gone" {
		t.Errorf("the page hears %q", m)
	}
}
