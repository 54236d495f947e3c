package oneline

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// colour matches the terminal sequences that only colour text: they say nothing on paper.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Of makes one line out of text that somebody else wrote: what would move a terminal's
// cursor, break the line or turn the direction of writing is spelt out.
func Of(s string) string {
	if printable(s) {
		return s
	}
	s = colour.ReplaceAllString(s, "")
	if plain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\t':
			b.WriteString("    ")
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case !hidden(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// printable tells of the texts that nearly all are, and that need no second look.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func plain(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, hidden)
}

// hidden tells of characters that do something instead of showing something: controls, line
// separators and format characters such as the bidirectional overrides. Joiners are shown: emoji,
// Persian and Indic scripts are made with them.
func hidden(r rune) bool {
	return r != '\u200c' && r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
