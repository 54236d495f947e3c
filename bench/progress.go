package bench

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// progress draws one line in tqdm's form, at most twice a second and after the last request:
//
//	42%|████▏     | 27/64 [00:03<00:04,  8.90it/s]
//
// A nil progress draws nothing.
type progress struct {
	w     io.Writer
	total int
	began time.Time

	mu    sync.Mutex
	count int
	drawn time.Time
}

const redrawEvery = 500 * time.Millisecond

func newProgress(w io.Writer, total int) *progress {
	p := &progress{w: w, total: total, began: time.Now()}
	p.draw(p.began)
	return p
}

// add counts a request that has ended.
func (p *progress) add() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	if now := time.Now(); now.Sub(p.drawn) >= redrawEvery {
		p.draw(now)
	}
}

// finish draws the last state and ends the line.
func (p *progress) finish() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw(time.Now())
	_, _ = io.WriteString(p.w, "\n") // nobody need look at the progress
}

func (p *progress) draw(now time.Time) {
	p.drawn = now
	_, _ = io.WriteString(p.w, "\r"+progressLine(p.count, p.total, now.Sub(p.began)))
}

// progressLine is one state of the bar: share, bar of ten cells in eighths, count, time gone and
// time to go, rate.
func progressLine(count, total int, elapsed time.Duration) string {
	const cells = 10
	eighths := count * cells * 8 / max(total, 1)
	bar := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		bar += string([]rune(" ▏▎▍▌▋▊▉")[part])
	}
	bar += strings.Repeat(" ", cells-len([]rune(bar)))
	left, rate := "?", "?it/s"
	if count > 0 && elapsed > 0 {
		perSecond := float64(count) / elapsed.Seconds()
		left = clock(time.Duration(float64(total-count) / perSecond * float64(time.Second)))
		rate = fmt.Sprintf("%5.2fit/s", perSecond)
		if perSecond < 1 {
			rate = fmt.Sprintf("%5.2fs/it", 1/perSecond)
		}
	}
	return fmt.Sprintf("%3.0f%%|%s| %d/%d [%s<%s, %s]", 100*float64(count)/float64(max(total, 1)), bar, count, total, clock(elapsed), left, rate)
}

// clock writes a duration as tqdm does: 00:03, 1:02:03.
func clock(d time.Duration) string {
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}
