package report

import (
	"unicode/utf8"

	"servematrix/oneline"
)

// Visible is what reports make of text that somebody else wrote, for messages of others.
func Visible(s string) string { return visible(s) }

func visible(s string) string { return oneline.Of(s) }

// clip shortens a line that nobody would read to its end.
func clip(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
