package chart

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"servematrix/oneline"
)

//go:embed chart.css
var rules string

// CSS is the one stylesheet of all charts. The colours are custom properties of :root, light
// or dark as the reader's system is, unless an attribute data-theme of :root ("light",
// "dark") says otherwise; paper is always light.
var CSS = sheet()

func sheet() string {
	light, dark := variables(0), variables(1)
	return ":root{" + light + "}\n" +
		"@media screen and (prefers-color-scheme:dark){:root{" + dark + "}}\n" +
		"@media screen{:root[data-theme=light]{" + light + "}:root[data-theme=dark]{" + dark + "}}\n" +
		classes() + rules
}

// variables gives the palette of a theme: 0 is light, 1 dark.
func variables(theme int) string {
	var b strings.Builder
	for _, c := range palette {
		fmt.Fprintf(&b, "--chart-%s:%s;", c.name, c.themes[theme])
	}
	return strings.TrimSuffix(b.String(), ";")
}

// classes gives the classes that only differ by a number their colours.
func classes() string {
	var b strings.Builder
	for _, h := range hues {
		fmt.Fprintf(&b, ".chart .%s{--hue:var(--chart-%s)}", h, h)
	}
	b.WriteByte('\n')
	for _, f := range phases {
		fmt.Fprintf(&b, ".chart .%s{fill:var(--chart-%s)}", f, f)
	}
	for i := range ramps {
		for _, q := range []markup{sequentials[i], divergings[i]} {
			fmt.Fprintf(&b, "\n.chart .%s{fill:var(--chart-%s)}.chart .%s text{fill:var(--chart-on-%s)}", q, q, q, q)
		}
	}
	return b.String() + "\n"
}

// Standalone makes a file of its own of a chart: with the stylesheet, light or dark as the
// reader's system is, and with a caption, because no page around it says what it is of.
func Standalone(svg []byte, caption string) []byte {
	box := viewBox.FindSubmatchIndex(svg)
	wide, _ := strconv.ParseFloat(string(svg[box[2]:box[3]]), 64)
	high, _ := strconv.ParseFloat(string(svg[box[4]:box[5]]), 64)
	lines := wrap(oneline.Of(caption), wide-8)
	p := &picture{}
	p.b = append(p.b, svg[:box[4]]...)
	p.number(high + lineHeight*float64(len(lines)) + 8)
	head, rest, _ := bytes.Cut(svg[box[5]:], []byte("<title"))
	p.b = append(p.b, head...)
	p.put("<style>\n%</style>\n<title", markup(CSS))
	p.b = append(p.b, bytes.TrimSuffix(rest, []byte("</svg>\n"))...)
	for i, line := range lines {
		p.put(`<text class="note" x="4" y="%">%</text>`+"\n", high+lineHeight*float64(i)+14, line)
	}
	return p.end()
}

// viewBox finds the size of a chart.
var viewBox = regexp.MustCompile(`viewBox="0 0 ([0-9.]+) ([0-9.]+)"`)
