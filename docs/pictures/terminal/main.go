// Command terminal draws a terminal's screen, as `tmux capture-pane -e -p` gives it, as SVG. It
// knows colours and bold text, no movements of the cursor. docs/pictures/make.sh calls it:
//
//	go run ./docs/pictures/terminal -title 'a title' < screen > screen.svg
package main

import (
	"bufio"
	"flag"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"

	"github.com/mattn/go-runewidth"
)

const (
	cellWidth, lineHeight = 8.4, 19.0
	margin, bar           = 14.0, 30.0
)

// stretches are words with single blanks between them.
var stretches = regexp.MustCompile(`\S+(?: \S+)*`)

// colours of SGR codes on a dark screen.
var colours = map[string]string{"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "36": "#76e3ea", "2": "#8b949e", "90": "#8b949e"}

func main() {
	title := flag.String("title", "", "text of the window's bar")
	flag.Parse()
	var lines []string
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		lines = append(lines, strings.TrimRight(in.Text(), " "))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	columns := 0
	var text strings.Builder
	for i, line := range lines {
		used := drawLine(&text, line, bar+margin+lineHeight*(float64(i)+0.75))
		columns = max(columns, used)
	}
	width, height := 2*margin+cellWidth*float64(columns), bar+2*margin+lineHeight*float64(len(lines))
	fmt.Printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s">
<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>
<path d="M8 0h%.0fa8 8 0 0 1 8 8v%.0fH0V8a8 8 0 0 1 8-8z" fill="#21262d"/>
<text x="50%%" y="20" text-anchor="middle" font-family="sans-serif" font-size="13" fill="#c9d1d9">%s</text>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#c9d1d9">
%s</g>
</svg>
`, width, height, width, height, html.EscapeString(*title), width-16, bar-8, html.EscapeString(*title), text.String())
}

// drawLine writes a line's stretches of one colour, each as wide as the cells that it takes, and
// gives the columns used.
func drawLine(w *strings.Builder, line string, y float64) (column int) {
	style := ""
	for line != "" {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			codes, after, _ := strings.Cut(rest, "m")
			line, style = after, styleOf(codes, style)
			continue
		}
		stretch, _, _ := strings.Cut(line, "\x1b")
		line = line[len(stretch):]
		for _, part := range stretches.FindAllStringIndex(stretch, -1) { // SVG draws several blanks as one
			words := stretch[part[0]:part[1]]
			x := column + runewidth.StringWidth(stretch[:part[0]])
			fmt.Fprintf(w, `<text x="%.1f" y="%.1f" textLength="%.1f"%s>%s</text>`+"\n",
				margin+cellWidth*float64(x), y, cellWidth*float64(runewidth.StringWidth(words)), style, html.EscapeString(words))
		}
		column += runewidth.StringWidth(stretch)
	}
	return column
}

func styleOf(codes, style string) string {
	for _, c := range strings.Split(codes, ";") {
		switch {
		case c == "0", c == "", c == "39":
			style = ""
		case c == "1":
			style += ` font-weight="bold"`
		case colours[c] != "":
			style += fmt.Sprintf(` fill="%s"`, colours[c])
		}
	}
	return style
}
