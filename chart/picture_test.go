package chart_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"servematrix/chart"
)

// all are the pictures of every composition.
func all() []picture {
	return append([]picture{
		{"interval", intervals().SVG()}, {"pareto", pareto().SVG()}, {"heatmap", heatmap().SVG()}, {"ratios", ratios().SVG()},
		{"curves", curves().SVG()}, {"timeline", timeline(20).SVG()}, {"bands", bands(2).SVG()}, {"standalone", chart.Standalone(pareto().SVG(), hostile[0]+" "+hostile[9])},
	}, odds()...)
}

func TestGolden(t *testing.T) {
	few := curves()
	few.Series = few.Series[:2]
	golden(t, "curves", few.SVG())
	golden(t, "interval", intervals().SVG())
	golden(t, "small", bytes.Join(intervals().Small()[:1], nil))
	two := pareto()
	two.Series = two.Series[1:3]
	golden(t, "pareto", two.SVG())
	golden(t, "heatmap", heatmap().SVG())
	golden(t, "ratios", ratios().SVG())
	golden(t, "timeline", timeline(6).SVG())
	short := bands(2)
	for i := range short.Panels {
		for k := range short.Panels[i].Lines {
			l := &short.Panels[i].Lines[k]
			l.Times, l.Values = l.Times[280:360], l.Values[280:360]
		}
	}
	golden(t, "bands", short.SVG())
	golden(t, "vacant", chart.Curves{Frame: frame("none", "Nothing")}.SVG())
}

func TestEverythingIsWellFormedAndTame(t *testing.T) {
	for _, p := range all() {
		for dec := xml.NewDecoder(bytes.NewReader(p.svg)); ; {
			token, err := dec.Token()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			e, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			if !slices.Contains([]string{"svg", "title", "desc", "defs", "pattern", "rect", "path", "g", "text", "style"}, e.Name.Local) {
				t.Errorf("%s: an element %s", p.name, e.Name.Local)
			}
			for _, a := range e.Attr {
				name := a.Name.Local
				if strings.HasPrefix(name, "on") || name == "style" || name == "href" || strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s: %s=%q", p.name, name, a.Value)
				}
			}
		}
	}
}

func TestNamesStayWhatTheyAre(t *testing.T) {
	svg := string(hostileIntervals().SVG())
	for _, forbidden := range []string{"<script", "\x00", "\x1b", "[31m", "\u202e", "\ufffe"} {
		if strings.Contains(svg, forbidden) {
			t.Errorf("%q is in the picture", forbidden)
		}
	}
	for _, want := range []string{"&lt;/script&gt;&lt;script&gt;alert(1)", "a&#39; b&#34; &amp; &lt;c&gt;", `\u202eevil\u202c`, "👩‍👩‍👧‍👦🚀 emoji", "<title>" + strings.Repeat("long-name/", 30) + "</title>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is not in the picture", want)
		}
	}
}

// box is where a text lies, as wide as the fonts of browsers make it at most.
type box struct {
	text                     string
	left, top, right, bottom float64
}

// texts gives the places of the texts of a picture that are not turned.
func texts(t *testing.T, svg []byte) (boxes []box, w, h float64) {
	t.Helper()
	var turned []bool
	for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := dec.Token()
		if err == io.EOF {
			return boxes, w, h
		} else if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			at := map[string]string{}
			for _, a := range e.Attr {
				at[a.Name.Local] = a.Value
			}
			turned = append(turned, at["transform"] != "" || len(turned) > 0 && turned[len(turned)-1])
			switch e.Name.Local {
			case "svg":
				fmt.Sscanf(at["viewBox"], "0 0 %g %g", &w, &h)
			case "text":
				var x, y float64
				fmt.Sscan(at["x"]+" "+at["y"], &x, &y)
				var content struct {
					Text string `xml:",chardata"`
				}
				if err := dec.DecodeElement(&content, &e); err != nil {
					t.Fatal(err)
				}
				skew := turned[len(turned)-1]
				turned = turned[:len(turned)-1]
				if skew {
					continue
				}
				long := chart.Width(content.Text)
				switch at["text-anchor"] {
				case "middle":
					x -= long / 2
				case "end":
					x -= long
				}
				boxes = append(boxes, box{content.Text, x, y - 9, x + long, y + 3})
			}
		case xml.EndElement:
			turned = turned[:len(turned)-1]
		}
	}
}

func TestTextsKeepApartAndInside(t *testing.T) {
	for _, p := range all() {
		boxes, w, h := texts(t, p.svg)
		if len(boxes) == 0 {
			t.Errorf("%s has no text", p.name)
		}
		for i, b := range boxes {
			if b.left < 0 || b.top < 0 || b.right > w || b.bottom > h {
				t.Errorf("%s: %q lies at %.0f,%.0f to %.0f,%.0f, the picture is %.0f × %.0f", p.name, b.text, b.left, b.top, b.right, b.bottom, w, h)
			}
			for _, o := range boxes[:i] {
				if b.text != "" && o.text != "" && b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom {
					t.Errorf("%s: %q and %q touch", p.name, b.text, o.text)
				}
			}
		}
	}
}

func TestAGapIsNoZero(t *testing.T) {
	c := curves()
	c.Series = c.Series[:1]
	pts := c.Series[0].Points
	pts[3].Y, pts[4].Y, pts[5].Y = math.NaN(), math.Inf(1), math.Inf(-1)
	svg := string(c.SVG())
	for _, gone := range []string{"c03", "c04", "c05"} {
		if strings.Contains(svg, `data-cell="`+gone+`"`) {
			t.Errorf("%s has a mark", gone)
		}
	}
	line := regexp.MustCompile(`class="line" d="([^"]*)"`).FindStringSubmatch(svg)
	if line == nil || strings.Count(line[1], "M") != 2 {
		t.Errorf("the line is not in two pieces: %v", line)
	}
}

func TestFailedAndNotRunDifferFromZero(t *testing.T) {
	h := heatmap()
	h.XNames, h.YNames = []string{"a", "b", "c", "d"}, []string{"row"}
	h.Cells = []chart.HeatCell{
		{Mark: mark("zero", ""), X: 0}, {Mark: chart.Mark{Cell: "failed", State: chart.Failed}, X: 1},
		{Mark: chart.Mark{Cell: "missing", State: chart.NotRun}, X: 2}, {Mark: mark("nan", ""), X: 3, Value: math.NaN()},
	}
	svg := string(h.SVG())
	for _, want := range []string{`class="mark q4" data-cell="zero"`, `class="mark failed" data-cell="failed"`, `class="mark notrun" data-cell="missing"`, `class="mark notrun" data-cell="nan"`, ">failed<", ">not run<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is not in\n%s", want, svg)
		}
	}
	if n := strings.Count(svg, `fill="url(#heat-hatch)"`); n != 2 {
		t.Errorf("%d hatched places, want the field and its key", n)
	}
}

// TestSizes states what pictures of large sweeps may weigh.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		svg  []byte
		most int
	}{
		{"10,000 points", cloud(10_000).SVG(), 850_000},
		{"10,000 fields", largeHeatmap(100).SVG(), 700_000},
		{"10,000 launches", timeline(10_000).SVG(), 900_000},
		{"16 lines of 1,300 samples", bands(8).SVG(), 140_000},
		{"a row of a table", intervals().Small()[0], 700},
	} {
		t.Logf("%s: %d bytes", c.name, len(c.svg))
		if len(c.svg) > c.most {
			t.Errorf("%s: %d bytes, at most %d were promised", c.name, len(c.svg), c.most)
		}
	}
}

func BenchmarkPareto10000(b *testing.B) {
	c := cloud(10_000)
	b.ReportAllocs()
	for b.Loop() {
		c.SVG()
	}
}

func BenchmarkHeatmap10000(b *testing.B) {
	h := largeHeatmap(100)
	b.ReportAllocs()
	for b.Loop() {
		h.SVG()
	}
}

func BenchmarkTimeline10000(b *testing.B) {
	c := timeline(10_000)
	b.ReportAllocs()
	for b.Loop() {
		c.SVG()
	}
}

// Of bars so many that none is a stop for the keyboard, those of a cell are one mark.
func TestManyBarsOfACellAreOneMark(t *testing.T) {
	const cells, starts = 300, 3
	c := chart.Timeline{Frame: chart.Frame{ID: "t", Title: "t"}, Phases: []string{"client"}}
	for i := range cells * starts {
		at := float64(i * 100)
		c.Rows = append(c.Rows, chart.TimelineRow{Mark: chart.Mark{Cell: strconv.Itoa(i % cells)}, Name: "n", Spans: []chart.Span{{From: at, To: at + 90, Failed: i < 2}}})
	}
	svg := string(c.SVG())
	failed := regexp.MustCompile(`class="mark broken" data-cell="(\d+)" d="([^"]+)"`).FindAllStringSubmatch(svg, -1)
	measured := regexp.MustCompile(`class="mark p0" data-cell="(\d+)" d="([^"]+)"`).FindAllStringSubmatch(svg, -1)
	bars, known := 0, map[string]bool{}
	for _, m := range measured {
		bars += strings.Count(m[2], "M")
		known[m[1]] = true
	}
	if len(failed) != 2 || len(measured) != cells || len(known) != cells || bars < cells*starts-2 {
		t.Errorf("%d failed marks, %d others of %d cells with %d bars", len(failed), len(measured), len(known), bars)
	}
}
