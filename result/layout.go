package result

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitRow takes "Mean TTFT (ms):      98.30" apart; column is where the value begins.
func splitRow(line string) (label, value string, column int, ok bool) {
	line = strings.TrimRightFunc(line, unicode.IsSpace)
	for i := 0; i < len(line); i++ {
		if line[i] != ':' || (i+1 < len(line) && line[i+1] != ' ' && line[i+1] != '\t') {
			continue
		}
		label = strings.TrimSpace(line[:i])
		first, _ := utf8.DecodeRuneInString(label)
		if label == "" || utf8.RuneCountInString(label) > maxLabel || !unicode.IsLetter(first) {
			return "", "", 0, false
		}
		value = strings.TrimLeft(line[i+1:], " \t")
		return label, value, utf8.RuneCountInString(line[:len(line)-len(value)]), true
	}
	return "", "", 0, false
}

// framed gives the title of a heading that is centred in a line of = or -.
func framed(text string, frame byte) (string, bool) {
	title := strings.Trim(text, string(frame))
	lead := strings.Index(text, title)
	if title == "" || lead < 3 || len(text)-lead-len(title) < 3 || len(text) > maxLabel {
		return "", false
	}
	return strings.TrimSpace(title), strings.TrimSpace(title) != ""
}

func isRule(text string) bool {
	return len(text) >= minRule && strings.Trim(text, "=") == ""
}
