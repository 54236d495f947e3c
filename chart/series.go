package chart

import "servematrix/oneline"

// Series is a set of points that belong together: those of one server variant. Its place in
// the list gives it colour, shape and dashes; keep the place in all charts of a page, and
// leave a series without points where a chart has none of it.
type Series struct {
	Name   string
	Points []Point
	// Apart leaves the points of a curve without a line that joins them.
	Apart bool
}

// Point is one measurement. A value that is not finite leaves a gap; it is never drawn as 0.
type Point struct {
	Mark
	X, Y float64
	// XRange and YRange are intervals, drawn as whiskers; nil for none.
	XRange, YRange *Range
	// Label is written beside a point that stands out, where there is room.
	Label string
}

// colours is how many series colours the palette has.
const colours = 8

// outlines are the shapes of the points, as paths relative to their centre. Each covers about
// the same area, so that no series looks more important than another.
var outlines = [...]markup{
	"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",                  // circle
	"m-3.5-3.5h7v7h-7z",                                   // square
	"m0-4.8l4.7 8.1h-9.4z",                                // triangle
	"m0-5l5 5-5 5-5-5z",                                   // diamond
	"m0 4.8l4.7-8.1h-9.4z",                                // triangle, point down
	"m-1.5-4.7h3v3.2h3.2v3h-3.2v3.2h-3v-3.2h-3.2v-3h3.2z", // plus
	"m-2.1-4.5l2.1 2.4 2.1-2.4 2.4 2.1-2.4 2.4 2.4 2.1-2.4 2.4-2.1-2.4-2.1 2.4-2.4-2.1 2.4-2.4-2.4-2.4z", // cross
	"m0-5l4.8 3.5-1.8 5.6h-6l-1.8-5.6z", // pentagon
}

// dashes are the patterns of the lines; the first is solid.
var dashes = [...]markup{"", "6 3", "2 3", "8 3 2 3", "12 4"}

// hue gives the class of the i-th series' colour.
func hue(i int) markup { return hues[i%colours] }

var hues = [colours]markup{"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"}

// outline gives the i-th series' shape. Colour and shape together repeat after 64 series.
func outline(i int) markup { return outlines[(i+i/colours)%len(outlines)] }

// dash gives the i-th series' line its pattern. Traces have too many corners for dashes:
// only those whose colour stands already for another one are dashed.
func (p *picture) dash(i int, class markup) {
	if class == "trace" {
		i /= colours
	}
	if d := dashes[i%len(dashes)]; d != "" {
		p.put(` stroke-dasharray="%"`, d)
	}
}

// count tells how many points the series have.
func count(series []Series) (n int) {
	for _, s := range series {
		n += len(s.Points)
	}
	return n
}

// whiskers draws the intervals of a point, clipped at the plot's edges.
func (p *picture) whiskers(pt Point, x, y scale) {
	if r := pt.YRange; r.known() {
		p.put(`<path class="mark whisker"`)
		p.owner(pt)
		low, high := y.span(r)
		p.put(` d="M% %V%"/>`, x.at(pt.X), low, high)
	}
	if r := pt.XRange; r.known() {
		p.put(`<path class="mark whisker"`)
		p.owner(pt)
		low, high := x.span(r)
		p.put(` d="M% %H%"/>`, low, y.at(pt.Y), high)
	}
}

// owner says whose a mark is that goes with another one.
func (p *picture) owner(pt Point) {
	if pt.Cell != "" {
		p.put(` data-cell="%"`, oneline.Of(pt.Cell))
	}
}

// specks are the same shapes for points so many that they must be small.
var specks = [...]markup{
	"m0-2a2 2 0 1 1-.1 0z", // a circle but for a tenth
	"m-2-2h4v4h-4z",
	"m0-3l3 5h-6z",
	"m0-3l3 3-3 3-3-3z",
	"m0 3l3-5h-6z",
	"m-1-3h2v2h2v2h-2v2h-2v-2h-2v-2h2z",
	"m-1-3l1 2 1-2 2 1-2 2 2 2-2 1-1-2-1 2-2-1 2-2-2-2z",
	"m0-3l3 2-1 4h-4l-1-4z",
}
