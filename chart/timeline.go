package chart

import (
	"math"

	"servematrix/oneline"
)

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

// class gives a span the colour of its phase; one that failed is hatched instead.
func (s Span) class() markup {
	if s.Failed {
		return "broken"
	}
	return phases[max(s.Phase, 0)%len(phases)]
}

// SVG draws the rows from top to bottom. Of many rows only some are named. More than can be
// told apart, if they follow one another, are written like text instead: from left to right
// and then in the next line.
func (c Timeline) SVG() []byte {
	var seen extent
	failed, busy := false, 0.0
	for _, r := range c.Rows {
		for _, s := range r.Spans {
			if s.ends() {
				seen.add(s.From, s.To)
				failed = failed || s.Failed
				busy += s.To - s.From
			}
		}
	}
	if !seen.any {
		return c.vacant("timeline")
	}
	seen.fromZero()
	w := or(c.Width, 960)
	names := 0.0
	for _, r := range c.Rows {
		names = math.Max(names, width(oneline.Of(r.Name)))
	}
	in := plot{left: math.Min(names, 240) + 16, right: w - 24}
	l := stairs(len(c.Rows))
	if len(c.Rows) > listed && busy <= 1.1*(seen.hi-seen.lo) {
		in.left = 80
		l = wrapped(len(c.Rows), seen, in.right-in.left)
	}
	stops := c.stops(l)
	p := c.begin("timeline", w, 0, stops <= focusable)
	in.top = p.phases("", c.ID, c.Phases, c.Failed, failed, 4, 4, w-4) + 16
	in.bottom = in.top + l.pitch*float64(l.lines)
	p.height(in.bottom + 48)
	first := extent{seen.lo, seen.lo + l.slice, true}
	if l.slice == 0 {
		first = seen
	}
	x := c.X.scale(first, in.left, in.right, 90).tight(first, 0)
	p.rules(in, x)
	p.across(in, x, c.X.heading())
	c.names(p, l, in, seen.lo)
	var many *alike
	if l.dense {
		p.put(`<g class="dense">` + "\n")
		if stops > focusable {
			many = &alike{known: map[Mark]*picture{}}
		}
	}
	for i, r := range c.Rows {
		c.row(p, l, i/l.shared, r, x, in.top, stops, many)
	}
	p.alike(many)
	if l.dense {
		p.put("</g>\n")
	}
	return p.end()
}

// names writes at the left whose rows these are, or where on the clock a line begins.
func (c Timeline) names(p *picture, l lanes, in plot, began float64) {
	every := max(1, int(math.Ceil(15/l.pitch)))
	if l.dense && l.slice == 0 || every > 1 {
		every = int(math.Ceil(60 / l.pitch))
	}
	for line := 0; line < l.lines; line += every {
		name := ""
		if l.slice > 0 {
			name = c.X.Format.written(began+float64(line)*l.slice, l.slice)
		} else {
			name = c.Rows[line*l.shared].Name
		}
		p.label("label", in.left-12, in.top+l.pitch*(float64(line)+.5)+4, "end", name, in.left-16)
	}
	p.put("\n")
}

// whole tells whether a row is one mark.
func (r TimelineRow) whole() bool { return r.Cell != "" || r.Tip != "" }

// stops counts the marks at which the keyboard could stop.
func (c Timeline) stops(l lanes) (n int) {
	for _, r := range c.Rows {
		if !l.dense && r.whole() {
			n++
		} else {
			n += len(r.Spans)
		}
	}
	return n
}

// row draws the spans of one row, or leaves them to many.
func (c Timeline) row(p *picture, l lanes, line int, r TimelineRow, x scale, top float64, n int, many *alike) {
	grouped := !l.dense && r.whole()
	if grouped {
		p.put("<g%>", r.Mark.as("", n))
	}
	unit := (x.to - x.from) / (x.hi - x.lo)
	for _, s := range merged(r.Spans, unit, l.thin) {
		for _, part := range l.parts(line, s, x.lo) {
			from, to := x.at(part.from), x.at(part.to)
			y, bar, least := top+l.pitch*float64(part.line)+(l.pitch-l.bar)/2, l.bar, 1.0
			if s.Failed {
				least = l.thin + 2
				if l.dense {
					y, bar = y-l.bar/6, l.bar*4/3
				}
			}
			to = math.Min(math.Max(to, from+least), math.Max(to, x.to))
			from = math.Min(from, to-least)
			of := s.Mark
			if s.Cell == "" && s.Tip == "" {
				of = r.Mark
			}
			of = of.as(" "+s.class(), n)
			if many != nil {
				many.of(of).whole(from, y, to-from, bar)
				continue
			}
			if grouped {
				p.put(`<path class="%"`, s.class())
			} else {
				p.put(`<path%`, of)
			}
			p.put(` d="`)
			p.bar(from, y, to-from, bar)
			p.put(`"`)
			if s.Failed && !l.dense {
				p.put(` fill="url(#%-hatch)"`, c.ID)
			}
			p.put("/>")
		}
	}
	if grouped {
		p.put("</g>")
	}
	if many == nil {
		p.put("\n")
	}
}
