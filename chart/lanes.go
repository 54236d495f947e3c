package chart

import "math"

// lanes says how the rows of a timeline lie.
type lanes struct {
	lines      int
	pitch, bar float64 // from line to line, and of it the bar
	shared     int     // rows on one line
	slice      float64 // seconds on one line where time runs on in the next one; 0: all
	thin       float64 // units up to which a span joins its neighbour
	dense      bool    // marks are many: no room for hatching
}

const (
	listed  = 120   // rows that all get a line of their own
	lines   = 400   // more cannot be told apart
	tallest = 900.0 // units that a timeline may be high
)

// stairs puts every row on its own line, or several where there are too many.
func stairs(n int) lanes {
	l := lanes{pitch: math.Min(20, math.Max(tallest/float64(n), tallest/lines)), thin: 1}
	l.shared = max(1, int(math.Ceil(float64(n)*l.pitch/tallest)))
	if l.pitch > 14 {
		l.shared = 1
	}
	l.lines = (n + l.shared - 1) / l.shared
	l.bar = math.Max(l.pitch*.7, 1)
	l.dense = l.pitch < 6
	return l
}

// wrapped breaks the time of n rows that follow one another into lines, each of a calm number
// of seconds, so many that a row is about five units long.
func wrapped(n int, seen extent, width float64) lanes {
	want := math.Min(math.Max(float64(n)*5/width, 12), 80)
	l := lanes{slice: roundTime((seen.hi - seen.lo) / want), pitch: 14, bar: 8, shared: 1, thin: 1, dense: true}
	if n > crowd {
		l.thin = 2
	}
	l.lines = max(1, int(math.Ceil((seen.hi-seen.lo)/l.slice-1e-9)))
	return l
}

// part is what of a span lies on one line.
type part struct {
	line     int
	from, to float64
}

// parts breaks a span where the line ends. began is the time at the left end of the first.
func (l lanes) parts(line int, s Span, began float64) []part {
	if l.slice == 0 {
		return []part{{line, s.From, s.To}}
	}
	var out []part
	for line = int((s.From - began) / l.slice); ; line++ {
		shift := float64(line) * l.slice
		out = append(out, part{line, math.Max(s.From-shift, began), math.Min(s.To-shift, began+l.slice)})
		if line+1 >= l.lines || s.To-shift <= began+l.slice {
			return out
		}
	}
}

// merged gives the spans that can be drawn: one that is thinner than thin joins its neighbour
// of the same cell, and both look like the longer one. A failure is never swallowed. Unit is
// how long a second is drawn.
func merged(spans []Span, unit, thin float64) []Span {
	var out []Span
	longest := 0.0
	for _, s := range spans {
		if !s.ends() {
			continue
		}
		length := s.To - s.From
		if n := len(out); n > 0 {
			last := &out[n-1]
			short := math.Min(last.To-last.From, length)*unit < thin && (s.From-last.To)*unit < thin
			if short && last.Cell == s.Cell && !last.Failed && !s.Failed {
				if length > longest {
					longest, last.Phase = length, s.Phase
				}
				last.To = math.Max(last.To, s.To)
				continue
			}
		}
		out, longest = append(out, s), length
	}
	return out
}
