package chart

import "math"

// Timeline draws what happened when: a row for each launch or cell, with its phases.
type Timeline struct {
	Frame
	X      Axis     // seconds since the start of the run; Format is Duration
	Phases []string // their names; a phase's place gives it its colour
	Failed string   // what a failed span is called in the legend
	Rows   []TimelineRow
}

// TimelineRow is one launch or cell. Where its spans stand for cells of their own, its Mark
// stays empty.
type TimelineRow struct {
	Mark
	Name  string
	Spans []Span
}

// Span is one phase, in the axis's seconds.
type Span struct {
	Mark
	Phase    int // place in Phases
	From, To float64
	Failed   bool // it ended in a failure
}

// ends tells whether a span has a beginning and an end.
func (s Span) ends() bool { return finite(s.From) && finite(s.To) && s.To >= s.From }

const (
	named   = 60    // rows up to this number have all their names
	tallest = 900.0 // units; beyond it rows are drawn thinner
	lines   = 400   // beyond it several rows share a line
)

// SVG draws the rows from top to bottom. Of many rows only some are named; of very many
// several that follow one another share a line, and a span too short to be seen joins the
// one before.
func (c Timeline) SVG() []byte {
	var seen extent
	failed, spans := false, 0
	for _, r := range c.Rows {
		for _, s := range r.Spans {
			if s.ends() {
				seen.add(s.From, s.To)
				failed = failed || s.Failed
				spans++
			}
		}
	}
	if !seen.any {
		return c.vacant("timeline")
	}
	n := len(c.Rows)
	names := 0.0
	for _, r := range c.Rows {
		names = math.Max(names, width(visible(r.Name)))
	}
	w := or(c.Width, 960)
	names = math.Min(names, 240)
	pitch := 20.0 // from row to row
	if n > named {
		pitch = math.Max(tallest/float64(n), tallest/lines)
	}
	shared := max(1, int(math.Ceil(float64(n)*pitch/tallest))) // rows on a line
	if n <= named {
		shared = 1
	}
	height := pitch * math.Ceil(float64(n)/float64(shared))

	p := c.begin("timeline", w, 0, spans <= focusable)
	in := plot{left: names + 16, right: w - 24}
	in.top = p.phases(c.ID, c.Phases, c.Failed, failed, 4, 4, w-4) + 16
	in.bottom = in.top + height
	p.height(in.bottom + 48)
	x := c.X.scale(seen, in.left, in.right, 90)
	p.across(in, x, c.X.heading())
	bar := math.Max(pitch*.7, 1)
	lastName := math.Inf(-1)
	for i, r := range c.Rows {
		y := in.top + pitch*float64(i/shared) + (pitch-bar)/2
		if middle := y + bar/2; middle-lastName >= 15 && (n <= named || middle-lastName >= 60) {
			p.label("label", names+4, middle+4, "end", r.Name, names)
			lastName = middle
		}
		c.row(p, r, x, y, bar, spans)
	}
	return p.end()
}

// row draws the spans of one row; those that belong to the same cell and are too short to be
// seen become one.
func (c Timeline) row(p *picture, r TimelineRow, x scale, y, bar float64, n int) {
	grouped := r.Cell != "" || r.Tip != ""
	if grouped {
		p.put("<g%>", r.Mark.as("", n))
	}
	for _, s := range merged(r.Spans, x) {
		from, to := x.at(s.From), x.at(s.To)
		if least := 1.0; s.Failed && to-from < 3 {
			to = from + 3
		} else if to-from < least {
			to = from + least
		}
		class := phases[s.Phase%len(phases)]
		if grouped {
			p.put(`<path class="%"`, class+s.class())
		} else {
			p.put(`<path%`, s.Mark.as(" "+class+s.class(), n))
		}
		p.put(` d="M% %h%v%h%z"`, from, y, to-from, bar, from-to)
		if s.Failed && bar >= 6 {
			p.put(` fill="url(#%-hatch)"`, c.ID)
		}
		p.put("/>")
	}
	if grouped {
		p.put("</g>")
	}
	p.put("\n")
}

// class marks a span that failed.
func (s Span) class() markup {
	if s.Failed {
		return " broken"
	}
	return ""
}

// merged gives the spans that can be drawn: of neighbours of one cell that together are
// thinner than a unit only the longest, at the length of all. A failure is never swallowed.
func merged(spans []Span, x scale) []Span {
	var out []Span
	longest := 0.0
	for _, s := range spans {
		if !s.ends() {
			continue
		}
		if n := len(out); n > 0 {
			last := &out[n-1]
			thin := x.at(s.To)-x.at(last.From) < 1
			if thin && last.Cell == s.Cell && !last.Failed && !s.Failed {
				if s.To-s.From > longest {
					longest, last.Phase = s.To-s.From, s.Phase
				}
				last.To = math.Max(last.To, s.To)
				continue
			}
		}
		out, longest = append(out, s), s.To-s.From
	}
	return out
}
