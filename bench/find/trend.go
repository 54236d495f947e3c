package find

import (
	"math"
	"time"
)

// Trend tells whether something rises in the course of a probe: the line that lies nearest to
// points in time and durations (least squares). The zero Trend is empty.
type Trend struct {
	n, x, y, xx, xy, yy float64
}

// Add adds a point: what took so long, begun at a time. Both are taken in seconds.
func (t *Trend) Add(at, took time.Duration) {
	x, y := at.Seconds(), took.Seconds()
	t.n++
	t.x, t.y = t.x+x, t.y+y
	t.xx, t.xy, t.yy = t.xx+x*x, t.xy+x*y, t.yy+y*y
}

// Rise is the line's slope in seconds per second, less two of its standard errors: what it rises by
// at least, but for bad luck of one in forty. 0 where nothing can be told.
//
// Where a server takes in fewer requests than arrive, the queue makes each wait for longer than the
// one before: of arrivals at ρ times its capacity the wait rises by ρ − 1 seconds each second.
func (t *Trend) Rise() float64 {
	if t.n < 3 {
		return 0
	}
	xx, xy, yy := t.xx-t.x*t.x/t.n, t.xy-t.x*t.y/t.n, t.yy-t.y*t.y/t.n
	if xx <= 0 {
		return 0
	}
	slope := xy / xx
	deviation := math.Sqrt(max(yy-slope*xy, 0) / (t.n - 2) / xx)
	return slope - 2*deviation
}
