package pyliteral

import (
	"fmt"
	"strings"
)

// Bounds of what is read out of one text. The longest that engines print (ServerArgs, 17 kB)
// stay far below them; a text beyond them is damaged or hostile, and the parser is recursive.
const (
	maxText  = 1 << 20
	maxValue = 64 << 10
	maxDepth = 40
)

// Field is one NAME=TEXT argument of a call, or one entry of a dict; Text is a Python
// expression, for Parse or, where it is no literal, for Entries or a reader's own eyes.
type Field struct{ Name, Text string }

// Call gives the arguments of the first call of name in the text, and whether there is one. It
// stands alone, or after "=" or a space, as in "server_args=ServerArgs(". An argument that the
// end of the text cut off is left out.
func Call(text, name string) ([]Field, bool) {
	at := Find(text, name)
	if at < 0 {
		return nil, false
	}
	return Arguments(text[at+len(name)+1:]), true
}

// Find gives the place where a call of name begins in the text, or -1.
func Find(text, name string) int {
	i := strings.Index(text, name+"(")
	if i > 0 && text[i-1] != '=' && text[i-1] != ' ' {
		return -1
	}
	return i
}

// Arguments reads "a=1, b=[2], c='x')…": what follows the opening parenthesis of a call, up to
// the parenthesis that closes it. Positional arguments are left out.
func Arguments(body string) []Field {
	var fields []Field
	for _, text := range split(body, ')') {
		name, value, ok := strings.Cut(text, "=")
		if name = strings.TrimSpace(name); ok && name != "" {
			fields = append(fields, Field{name, strings.TrimSpace(value)})
		}
	}
	return fields
}

// Entries reads a dict, "{'a': 1, 'b': <X: 0>}", of which values need not be literals. ok is
// false where the text begins with no brace. A key that is no string gets the text of its value.
func Entries(text string) (fields []Field, ok bool) {
	body, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	if !ok {
		return nil, false
	}
	for _, entry := range split(body, '}') {
		at := colon(entry)
		if at < 0 {
			continue
		}
		if key, ok := Parse(entry[:at]); ok {
			fields = append(fields, Field{fmt.Sprint(key), strings.TrimSpace(entry[at+1:])})
		}
	}
	return fields, true
}

// split cuts a text at its top-level commas and ends at the bracket that closes it. A part that
// the end of the text cut off is left out, and so is one nested too deeply for the parser.
func split(body string, closing byte) []string {
	if len(body) > maxText {
		body = body[:maxText]
	}
	var parts []string
	var open []byte // brackets that are open
	start, tooDeep := 0, false
	flush := func(end int) {
		if !tooDeep {
			parts = append(parts, body[start:end])
		}
		start, tooDeep = end+1, false
	}
	for i := 0; i < len(body); i++ {
		switch c := body[i]; c {
		case '\'', '"':
			end := stringEnd(body, i)
			if end < 0 {
				return parts
			}
			i = end
		case '(', '[', '{', '<':
			open = append(open, c)
			tooDeep = tooDeep || len(open) > maxDepth
		case ')', ']', '}', '>':
			if len(open) == 0 {
				if c == closing {
					flush(i)
					return parts
				}
				continue
			}
			open = open[:len(open)-1]
		case ',':
			if len(open) == 0 {
				flush(i)
			}
		}
	}
	return parts
}

// colon gives the place of the colon after a dict entry's key, or -1.
func colon(entry string) int {
	depth := 0
	for i := 0; i < len(entry); i++ {
		switch entry[i] {
		case '\'', '"':
			if i = stringEnd(entry, i); i < 0 {
				return -1
			}
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		case ':':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// stringEnd gives the place of the quote that ends the string literal beginning at i, or -1.
func stringEnd(s string, i int) int {
	quote := s[i]
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case quote:
			return j
		}
	}
	return -1
}
