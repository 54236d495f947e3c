package chart

import (
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"servematrix/oneline"
)

// width estimates how wide a text is at the chart's font size, for the widest of the fonts
// that browsers take for sans-serif: a label may end up smaller than thought, never larger.
func width(s string) float64 {
	w := 0.0
	for _, r := range s {
		w += advance(r)
	}
	return w * font
}

// advance is the width of a character in em.
func advance(r rune) float64 {
	switch {
	case strings.ContainsRune("ijl.,:;'|!I /()[]ft-r", r):
		return 0.42
	case strings.ContainsRune("mwMW@%—…", r):
		return 1
	case strings.ContainsRune("+−=<>~×", r):
		return 0.86
	case r >= 'A' && r <= 'Z':
		return 0.72
	case r < 0x80:
		return 0.64
	}
	switch runewidth.RuneWidth(r) {
	case 0:
		return 0
	case 2:
		return 1.1 // emoji are wider than their em
	}
	return 0.75
}

// shorten cuts a text that is wider than room. An ellipsis stands for its middle: names of
// cells differ at both ends.
func shorten(s string, room float64) string {
	if width(s) <= room {
		return s
	}
	runes := []rune(s)
	left := room - width("…")
	if left < 0 {
		return ""
	}
	head, tail := 0, len(runes)
	for front := true; head < tail; front = !front {
		r := runes[head]
		if !front {
			r = runes[tail-1]
		}
		if left -= advance(r) * font; left < 0 {
			break
		}
		if front {
			head++
		} else {
			tail--
		}
	}
	return strings.TrimRight(string(runes[:head]), " ") + "…" + strings.TrimLeft(string(runes[tail:]), " ")
}

// label writes a text that has only so much room. What was cut off is in its title.
func (p *picture) label(class markup, x, y float64, anchor markup, s string, room float64) {
	s = oneline.Of(s)
	short := shorten(s, room)
	p.put(`<text class="%" x="%" y="%"`, class, x, y)
	if anchor != "start" {
		p.put(` text-anchor="%"`, anchor)
	}
	p.put(">")
	if short != s {
		p.put("<title>%</title>", s)
	}
	p.put("%</text>", short)
}

// wrap breaks a text into lines no wider than room, at spaces, and between the characters of
// writing without spaces.
func wrap(s string, room float64) []string {
	var lines []string
	line, broken := "", 0 // broken: where the line may break
	for _, r := range s {
		line += string(r)
		if r == ' ' || runewidth.RuneWidth(r) == 2 {
			broken = len(line)
		}
		for width(line) > room && len(line) > utf8.RuneLen(r) {
			if broken == 0 || broken == len(line) {
				broken = len(line) - utf8.RuneLen(r)
			}
			lines = append(lines, strings.TrimSpace(line[:broken]))
			line, broken = line[broken:], 0
		}
	}
	return append(lines, strings.TrimSpace(line))
}
