package orchestrator

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"servematrix/journal"
	"servematrix/readiness"
)

// pulse judges whether a client and its server get on. Signs of life are:
//
//   - the count of the client's progress bar changes;
//   - a client without a bar, or past the end of its last one, prints something;
//   - the server's log has a new line that its profile knows for work on requests;
//   - the engine's token counters move. They are asked only when all else has been
//     quiet for half of the limit, and then a few times.
//
// Output beside a bar that stands is no sign: a heartbeat says only that the client
// lives. Nor is an answer of /health, which is never asked. All times are of the
// monotonic clock.
//
// What it costs: once a second the size of four files (microseconds), and of those
// that have changed at most the last 64 KiB, from the page cache (about a millisecond).
// The server is asked nothing as long as there is another sign of life.
type pulse struct {
	limit    time.Duration // client.silence
	client   []*added
	server   []*added
	progress *regexp.Regexp                            // group 1 of group 2 are done; nil: unknown
	served   func(line []byte) bool                    // nil: unknown
	counters func(ctx context.Context) (string, error) // nil: the engine has none that are known

	sign    time.Time // last sign of life
	state   string    // "87/200", "" before the first
	done    bool      // the bar has reached its end
	moved   time.Time // when state last changed
	printed time.Time // when the client last printed
	worked  time.Time // when the server's log last told of work; zero: never
	asked   time.Time // when the counters were last asked for since the last sign; zero: not yet
	counted string    // what they were
	missing error     // why they cannot be had
}

// feelPulse judges the client in dir until stop is called, which waits for the last
// look; silent says why it is to be ended.
func (l *launch) feelPulse(ctx context.Context, a *attempt, dir string) (silent <-chan string, stop func()) {
	limit := time.Duration(a.client.Silence)
	if limit <= 0 {
		return nil, func() {}
	}
	p := &pulse{limit: limit, progress: a.profile.Progress.Expression()}
	if served := l.profile.Served.Expression(); served != nil {
		p.served = readiness.Matching(served)
	}
	for _, name := range []string{journal.ClientOut, journal.ClientErr} {
		p.client = append(p.client, &added{path: filepath.Join(dir, name)})
	}
	for _, path := range l.logs {
		p.server = append(p.server, &added{path: path})
	}
	if l.profile.Metrics != "" && l.late.url != "" {
		p.counters = func(ctx context.Context) (string, error) { return tokenCounters(ctx, l.late.url+l.profile.Metrics) }
	}
	ctx, cancel := context.WithCancel(ctx)
	said, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		if why := p.watch(ctx); why != "" {
			said <- why
		}
	}()
	return said, func() {
		cancel()
		<-ended
	}
}

// watch returns when nothing has moved for the limit, and says what stands still;
// "" means that ctx ended before.
func (p *pulse) watch(ctx context.Context) string {
	now := time.Now()
	p.sign, p.moved, p.printed = now, now, now
	for _, f := range p.server {
		f.look() // what is there was written before
	}
	t := time.NewTicker(min(time.Second, p.limit/4+1))
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return ""
		case <-t.C:
		}
		p.look(time.Now())
		p.ask(ctx)
		if quiet := time.Since(p.sign); quiet >= p.limit && ctx.Err() == nil {
			return p.verdict(quiet)
		}
	}
}

// alive notes a sign of life.
func (p *pulse) alive(now time.Time) { p.sign, p.asked, p.counted = now, time.Time{}, "" }

// look reads the files.
func (p *pulse) look(now time.Time) {
	for _, f := range p.client {
		lines, changed := f.look()
		if !changed {
			continue
		}
		p.printed = now
		if p.bar(lines) {
			p.moved = now
			p.alive(now)
		} else if p.state == "" || p.done {
			p.alive(now)
		}
	}
	for _, f := range p.server {
		if lines, _ := f.look(); p.works(lines) {
			p.worked = now
			p.alive(now)
		}
	}
}

// bar takes the newest state of a progress bar from the lines and tells whether
// it is another one.
func (p *pulse) bar(lines [][]byte) bool {
	if p.progress == nil {
		return false
	}
	for i := len(lines) - 1; i >= 0; i-- {
		m := p.progress.FindSubmatch(lines[i])
		if len(m) < 3 {
			continue
		}
		state := string(m[1]) + "/" + string(m[2])
		changed := state != p.state
		p.state, p.done = state, string(m[1]) == string(m[2])
		return changed
	}
	return false
}

// works tells whether one of the lines shows that requests are worked on; the
// newest first, for on a busy server they are many and nearly all do.
func (p *pulse) works(lines [][]byte) bool {
	if p.served == nil {
		return false
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if p.served(lines[i]) {
			return true
		}
	}
	return false
}

// ask compares the engine's counters with what they were, when it is time to.
func (p *pulse) ask(ctx context.Context) {
	now := time.Now()
	if p.counters == nil || now.Sub(p.sign) < p.limit/2 || !p.asked.IsZero() && now.Sub(p.asked) < p.limit/8 {
		return
	}
	before := p.counted
	var counted string
	counted, p.missing = p.counters(ctx)
	p.asked = time.Now()
	if p.missing != nil {
		return
	}
	if p.counted = counted; before != "" && before != counted {
		p.alive(p.asked)
	}
}

// verdict says what stands still, and since when.
func (p *pulse) verdict(quiet time.Duration) string {
	since := func(t time.Time) string { return time.Since(t).Round(time.Second).String() }
	var all []string
	switch {
	case p.state == "":
		all = append(all, "the client printed nothing for "+since(p.printed))
	case p.printed.After(p.moved):
		all = append(all, fmt.Sprintf("the client's progress stands at %s for %s, though it prints", p.state, since(p.moved)))
	default:
		all = append(all, fmt.Sprintf("the client's progress stands at %s for %s", p.state, since(p.moved)))
	}
	switch {
	case p.served == nil:
	case p.worked.IsZero():
		all = append(all, "the server's log told of no request that it worked on")
	default:
		all = append(all, "the server's log has told of no work for "+since(p.worked))
	}
	switch {
	case p.counters == nil:
	case p.missing != nil:
		all = append(all, "the engine's token counters cannot be had: "+p.missing.Error())
	default:
		all = append(all, "the engine's token counters stand still")
	}
	return fmt.Sprintf("nothing got on for %s (client.silence is %s): %s", quiet.Round(time.Second), p.limit, strings.Join(all, "; "))
}
