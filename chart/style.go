package chart

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
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
// reader's system is.
func Standalone(svg []byte) []byte {
	head, rest, _ := bytes.Cut(svg, []byte("<title"))
	return bytes.Join([][]byte{head, []byte("<style>\n" + CSS + "</style>\n<title"), rest}, nil)
}
