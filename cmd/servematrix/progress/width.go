package progress

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// columns is the most that a line takes on a terminal. Terminals disagree on emoji
// that are put together of several, so each part counts; colours count nothing.
func columns(s string) int {
	n := 0
	for s != "" {
		if after, ok := escape(s); ok {
			s = after
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		n += runewidth.RuneWidth(r)
		s = s[size:]
	}
	return n
}

// escape gives what follows the colour that s begins with.
func escape(s string) (after string, ok bool) {
	if !strings.HasPrefix(s, "\x1b[") {
		return s, false
	}
	end := strings.IndexByte(s, 'm')
	return s[end+1:], end > 0
}

// cut shortens a line, which has no colours, to so many columns.
func cut(s string, width int) string {
	if columns(s) <= width {
		return s
	}
	const more = "…"
	n, room := 0, width-columns(more)
	for i, r := range s {
		if n += runewidth.RuneWidth(r); n > room {
			return strings.TrimRight(s[:i], " ") + more
		}
	}
	return s
}

// pick gives the first text that fits, or as much of the last as does.
func pick(width int, texts ...string) string {
	for _, s := range texts {
		if columns(s) <= width {
			return s
		}
	}
	return cut(texts[len(texts)-1], width)
}

// flow puts items into lines, as many as fit into each.
func flow(width int, items []string) (lines []string) {
	for _, s := range items {
		if last := len(lines) - 1; last >= 0 && columns(lines[last])+3+columns(s) <= width {
			lines[last] += "   " + s
			continue
		}
		lines = append(lines, cut(s, width))
	}
	return lines
}

// fold breaks a line at its spaces where it is wider than the terminal, what follows
// under the first line's text.
func fold(line string, width int) (lines []string) {
	const enough = 24 // columns of text
	under := indent
	if width-len(indent) < enough {
		under = under[:width/4]
	}
	if text := strings.TrimLeft(line, " "); columns(line) > width && text != line {
		line = under + text
	}
	for columns(line) > width {
		at := breakAt(line, width, true)
		lines = append(lines, strings.TrimRight(line[:at], " "))
		rest := strings.TrimLeft(line[at:], " ")
		if rest == "" {
			return lines
		}
		line = under + rest
	}
	return append(lines, line)
}

// breakAt finds where the first columns of a line end: all of it, or with atSpace the last
// space in their right half.
func breakAt(line string, width int, atSpace bool) int {
	n, space, at := 0, 0, 0
	for at < len(line) {
		if after, ok := escape(line[at:]); ok {
			at = len(line) - len(after)
			continue
		}
		r, size := utf8.DecodeRuneInString(line[at:])
		if n += runewidth.RuneWidth(r); n > width {
			break
		}
		if atSpace && r == ' ' && n > width/2 {
			space = at
		}
		at += size
	}
	if space > 0 {
		return space
	}
	return max(at, 1)
}

// visible drops what a terminal does not show by itself, but by which it can move the
// cursor, turn text around or put characters together.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r):
			return -1
		}
		return r
	}, s)
}
