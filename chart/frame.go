package chart

import (
	"bytes"
	"slices"
	"strings"

	"servematrix/oneline"
)

// Frame is what every chart has.
type Frame struct {
	// ID prefixes all ids of the chart, so that several live in one page. Letters and digits.
	ID string
	// Title says what is shown, Desc what somebody who does not see it should know.
	Title, Desc string
	// Lang is the language of the words: "en", "zh".
	Lang string
	// Empty is said in place of marks when there are none: what is missing, and why.
	Empty string
	// Width and Height are the viewBox's; 0 takes what suits the chart. Height grows with what
	// must be told beside the plot, such as a long legend.
	Width, Height float64
}

// font is the size of all text, in units of the viewBox.
const font = 12.0

// begin opens the picture: its names, its hatch, its paper. A chart with stops for the
// keyboard is a group, because what is inside an img is hidden from screen readers.
func (f *Frame) begin(kind markup, width, height float64, stops bool) *picture {
	f.ID = identifier(f.ID)
	p := &picture{b: make([]byte, 0, 1<<14), wide: width}
	role := markup("img")
	if stops {
		role = "group"
	}
	p.put(`<svg xmlns="http://www.w3.org/2000/svg" id="%" class="chart %" viewBox="0 0 % `, f.ID, kind, width)
	p.tall = len(p.b)
	p.put(`%" role="%" aria-labelledby="%-t %-d"`,
		height, role, f.ID, f.ID)
	if f.Lang != "" {
		p.put(` lang="%" xml:lang="%"`, f.Lang, f.Lang)
	}
	p.put(`><title id="%-t">%</title><desc id="%-d">%</desc>`, f.ID, oneline.Of(f.Title), f.ID, oneline.Of(f.Desc))
	p.put("\n"+`<defs><pattern id="%-hatch" class="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">`+
		`<rect width="5" height="5"/><path d="M1 0v5"/></pattern></defs>`+"\n", f.ID)
	return p
}

// height sets the picture's height where it is known only when the picture is drawn.
func (p *picture) height(h float64) {
	size := &picture{}
	size.number(h)
	p.b = slices.Replace(p.b, p.tall, p.tall+bytes.IndexByte(p.b[p.tall:], '"'), size.b...)
}

func (p *picture) end() []byte {
	p.put("</svg>\n")
	return p.b
}

// vacant is the picture of a chart without marks: a frame that says what is missing.
func (f *Frame) vacant(kind markup) []byte {
	w := or(f.Width, 960)
	const height = 96.0
	p := f.begin(kind, w, height, false)
	p.put(`<rect class="vacant" x=".5" y=".5" width="%" height="%" rx="6"/>`, w-1, height-1)
	lines := wrap(oneline.Of(f.Empty), w-48)
	y := height/2 + 4 - float64(len(lines)-1)*9
	for _, line := range lines {
		p.put(`<text class="label" x="%" y="%" text-anchor="middle">%</text>`, w/2, y, line)
		y += 18
	}
	return p.end()
}

// identifier keeps of an id what may stand in a selector and in url(#…) unquoted.
func identifier(s string) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, s)
	if id == "" || id[0] == '-' || id[0] >= '0' && id[0] <= '9' {
		return "c" + id
	}
	return id
}

func or(v, otherwise float64) float64 {
	if v > 0 {
		return v
	}
	return otherwise
}
