package matrix

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// opener begins an expression or a run-time placeholder; closer ends it. An
// opener after a further $ is literal.
const (
	opener = "${{"
	closer = "}}"
)

// segment is a part of a template: literal text, or the inside of one ${{ … }}.
type segment struct {
	text   string
	isExpr bool
	off    int // byte where text begins in the template
}

// syntaxError is a mistake at a byte of a template.
type syntaxError struct {
	off     int
	message string
}

func (e *syntaxError) Error() string { return e.message }

// segments takes a template apart. Neighbouring literal parts can occur.
func segments(s string) ([]segment, error) {
	var out []segment
	for pos := 0; pos < len(s); {
		i := strings.Index(s[pos:], opener)
		if i < 0 {
			out = append(out, segment{text: s[pos:], off: pos})
			break
		}
		start := pos + i
		if start > pos && s[start-1] == '$' { // $${{ is a literal ${{
			out = append(out, segment{text: s[pos:start-1] + opener, off: pos})
			pos = start + len(opener)
			continue
		}
		if start > pos {
			out = append(out, segment{text: s[pos:start], off: pos})
		}
		inside := start + len(opener)
		n := expressionEnd(s[inside:])
		if n < 0 {
			return nil, &syntaxError{start, "this ${{ is never closed by }}"}
		}
		out = append(out, segment{text: s[inside : inside+n], isExpr: true, off: inside})
		pos = inside + n + len(closer)
	}
	return out, nil
}

// expressionEnd finds the }} that ends an expression: outside of its strings
// and of its own braces; -1 if there is none.
func expressionEnd(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\'', '"', '`':
			for i++; i < len(s) && s[i] != c; i++ {
				if s[i] == '\\' && c != '`' {
					i++
				}
			}
		case '{':
			depth++
		case '}':
			if depth > 0 {
				depth--
			} else if strings.HasPrefix(s[i:], closer) {
				return i
			}
		}
	}
	return -1
}

// escape writes a text as a template that yields it.
func escape(s string) string {
	if !strings.Contains(s, opener) {
		return s
	}
	return strings.ReplaceAll(s, opener, "$"+opener)
}

// unescape is the text that a template without placeholders yields.
func unescape(s string) string {
	if !strings.Contains(s, opener) {
		return s
	}
	return strings.ReplaceAll(s, "$"+opener, opener)
}

// hasPlaceholder tells whether a template of the run time has anything to fill in.
func hasPlaceholder(s string) bool {
	if !strings.Contains(s, opener) {
		return false
	}
	segs, err := segments(s)
	for _, seg := range segs {
		if seg.isExpr {
			return true
		}
	}
	return err != nil
}

// concat joins templates of the run time into one. Joining could make a ${{ that
// neither part had; that one is literal and becomes $${{.
func concat(parts ...string) (string, error) {
	joined := strings.Join(parts, "")
	if !strings.Contains(joined, opener) {
		return joined, nil
	}
	var b, literal strings.Builder
	flush := func(before string) error {
		if strings.HasSuffix(literal.String(), "$") && before != "" {
			return fmt.Errorf("a $ directly before a value of the run time cannot be written; put something between them")
		}
		b.WriteString(escape(literal.String()))
		literal.Reset()
		b.WriteString(before)
		return nil
	}
	for _, p := range parts {
		segs, err := segments(p)
		if err != nil {
			return "", err
		}
		for _, seg := range segs {
			if !seg.isExpr {
				literal.WriteString(seg.text)
			} else if err := flush(opener + seg.text + closer); err != nil {
				return "", err
			}
		}
	}
	if err := flush(""); err != nil {
		return "", err
	}
	return b.String(), nil
}

// quoted marks a placeholder in a shell script whose value is put in as one
// quoted shell word, because it can hold characters that mean something there.
func quoted(name string) string { return "quote(" + name + ")" }

// Part is a piece of a template of the run time: a text, or the name of a value that is put in.
type Part struct {
	Text   string
	Name   string // empty: Text stands as it is
	Quoted bool   // in a script: the value is put in as one quoted shell word
}

// Parts takes a template from Argv, Env or Port apart; $${{ becomes ${{.
func Parts(s string) ([]Part, error) {
	if !strings.Contains(s, opener) {
		return []Part{{Text: s}}, nil
	}
	segs, err := segments(s)
	if err != nil {
		return nil, fmt.Errorf("filling %q: %w", s, err)
	}
	parts := make([]Part, 0, len(segs))
	for _, seg := range segs {
		if !seg.isExpr {
			parts = append(parts, Part{Text: seg.text})
			continue
		}
		name := strings.TrimSpace(seg.text)
		inner, isQuoted := strings.CutPrefix(name, "quote(")
		if isQuoted {
			name = strings.TrimSuffix(inner, ")")
		}
		parts = append(parts, Part{Name: name, Quoted: isQuoted})
	}
	return parts, nil
}

// Fill puts the values of the run time into a template from Argv, Env or Port:
// ${{ NAME }} becomes lookup's value, $${{ becomes ${{. Names are late.port,
// late.dir, late.devices, late.seed, server.url, server.port, env.NAME and
// secret.NAME. In scripts (Shell) ${{ quote(NAME) }} becomes the value as one
// quoted shell word. A name without a value is an error.
func Fill(s string, lookup func(name string) (string, bool)) (string, error) {
	if !strings.Contains(s, opener) {
		return s, nil
	}
	parts, err := Parts(s)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Name == "" {
			b.WriteString(p.Text)
			continue
		}
		v, ok := lookup(p.Name)
		if !ok {
			return "", fmt.Errorf("no value for ${{ %s }}", p.Name)
		}
		if p.Quoted {
			if v, err = syntax.Quote(v, syntax.LangBash); err != nil {
				return "", fmt.Errorf("quoting the value of ${{ %s }}: %w", p.Name, err)
			}
		}
		b.WriteString(v)
	}
	return b.String(), nil
}
