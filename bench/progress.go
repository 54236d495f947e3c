package bench

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"
)

// progress draws one line in tqdm's form, twice a second and after the last request, with what is
// neither done nor to come behind it:
//
//	42%|████▏     | 27/64 [00:03<00:04,  8.90it/s, running=8, failed=1]
//
// Senders only count; one goroutine draws, and leaves a state out while nobody reads the one before.
// A nil progress draws nothing.
type progress struct {
	w                  *console
	total              int
	began              time.Time
	begun, done, fails atomic.Int64
	end, drawn         chan struct{} // closed by finish, and after the last state
}

// counts are numbers of requests.
type counts struct{ done, total, running, failed int }

const redrawEvery = 500 * time.Millisecond

func newProgress(w *console, total int) *progress {
	p := &progress{w: w, total: total, began: time.Now(), end: make(chan struct{}), drawn: make(chan struct{})}
	go p.run(p.line())
	return p
}

// sent counts a request that has begun.
func (p *progress) sent() {
	if p != nil {
		p.begun.Add(1)
	}
}

// ended counts a request that has ended.
func (p *progress) ended(failed bool) {
	if p == nil {
		return
	}
	if failed {
		p.fails.Add(1)
	}
	p.done.Add(1)
}

// finish draws the last state and ends the line.
func (p *progress) finish() {
	if p == nil {
		return
	}
	close(p.end)
	<-p.drawn
}

// run draws a state, and those after it until finish.
func (p *progress) run(line string) {
	defer close(p.drawn)
	ticker := time.NewTicker(redrawEvery)
	defer ticker.Stop()
	for {
		if !p.w.busy() {
			_, _ = io.WriteString(p.w, line)
		}
		select {
		case <-p.end:
			p.begun.Store(p.done.Load()) // those that an interrupt has cut short do not run any more
			_, _ = io.WriteString(p.w, p.line()+"\n")
			return
		case <-ticker.C:
			line = p.line()
		}
	}
}

// line is the present state, to be drawn over the one before.
func (p *progress) line() string {
	done, failed := int(p.done.Load()), int(p.fails.Load())
	state := counts{done: done, total: p.total, running: int(p.begun.Load()) - done, failed: failed}
	return "\r" + progressLine(state, time.Since(p.began))
}

// progressLine is one state of the bar: share, bar of ten cells in eighths, count, time gone and
// time to go, rate.
func progressLine(c counts, elapsed time.Duration) string {
	const cells = 10
	eighths := c.done * cells * 8 / max(c.total, 1)
	bar := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		bar += string([]rune(" ▏▎▍▌▋▊▉")[part])
	}
	bar += strings.Repeat(" ", cells-len([]rune(bar)))
	left, rate := "?", "?it/s"
	if c.done > 0 && elapsed > 0 {
		perSecond := float64(c.done) / elapsed.Seconds()
		left = clock(time.Duration(float64(c.total-c.done) / perSecond * float64(time.Second)))
		rate = fmt.Sprintf("%5.2fit/s", perSecond)
		if perSecond < 1 {
			rate = fmt.Sprintf("%5.2fs/it", 1/perSecond)
		}
	}
	if c.running > 0 {
		rate += fmt.Sprintf(", running=%d", c.running)
	}
	if c.failed > 0 {
		rate += fmt.Sprintf(", failed=%d", c.failed)
	}
	return fmt.Sprintf("%3.0f%%|%s| %d/%d [%s<%s, %s]", 100*float64(c.done)/float64(max(c.total, 1)), bar, c.done, c.total, clock(elapsed), left, rate)
}

// clock writes a duration as tqdm does: 00:03, 1:02:03.
func clock(d time.Duration) string {
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}
