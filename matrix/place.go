package matrix

import (
	"errors"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// at is the place in the file of the character at byte off of a scalar's value;
// the scalar's own place where that cannot be told.
func (s *source) at(n *yaml.Node, off int) Pos {
	places := s.align(n)
	i := utf8.RuneCountInString(n.Value[:min(max(off, 0), len(n.Value))])
	switch {
	case i < len(places):
		return places[i]
	case len(places) > 0:
		p := places[len(places)-1]
		p.Col++
		return p
	}
	return s.pos(n)
}

// failAt reports an error at n characters from byte off of a scalar's value.
func (s *source) failAt(node *yaml.Node, off, n int, rule, suggestion, message string) {
	s.report(Problem{Pos: s.at(node, off), Len: n, Rule: rule, Message: message, Suggestion: suggestion})
}

// reportUnclosed reports a ${{ without its }}.
func (s *source) reportUnclosed(n *yaml.Node, err error) {
	var se *syntaxError
	if !errors.As(err, &se) {
		s.fail(n, "bad-expression", "", "%v", err)
		return
	}
	p := s.at(n, se.off)
	suggestion := ""
	if line := []rune(s.line(p.Line)); n.Style == 0 && strings.Contains(string(line[min(p.Col, len(line)):]), " #") {
		suggestion = "a # after a space begins a comment: put quotes around the whole text"
	}
	s.report(Problem{Pos: p, Len: len(opener), Rule: "bad-expression", Message: se.message, Suggestion: suggestion})
}

// align gives the place of each character of a scalar's value, nil where value
// and text do not match up. YAML changes only white space (folding, indentation)
// and, in quotes, escapes; so the value is found in the text by walking through
// both, and white space that differs is passed over.
func (s *source) align(n *yaml.Node) []Pos {
	c := cursor{lines: s.lines, line: n.Line - 1, col: n.Column - 1}
	c.skipProperties()
	block := n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	quote := rune(0)
	switch {
	case block:
		c.line, c.col = c.line+1, 0
	case n.Style&yaml.DoubleQuotedStyle != 0:
		quote = '"'
	case n.Style&yaml.SingleQuotedStyle != 0:
		quote = '\''
	}
	if quote != 0 {
		if c.peek() != quote {
			return nil
		}
		c.col++
	}
	var places []Pos
	for _, want := range n.Value {
		blank := want == ' ' || want == '\n' || want == '\t'
		for !blank && (isBlank(c.peek()) || quote == '"' && c.lineJoin()) {
			c.advance()
		}
		places = append(places, Pos{s.file, c.line + 1, c.col + 1})
		got := c.peek()
		switch {
		case got == '\\' && quote == '"':
			c.skipEscape()
		case got == want:
			c.advance()
			if quote == '\'' && want == '\'' && c.peek() == '\'' {
				c.advance()
			}
		case !blank:
			return nil
		}
	}
	return places
}

// cursor walks over the text of the file; the end of a line reads as '\n'.
type cursor struct {
	lines     []string
	line, col int
	at        int    // line that runes belongs to, plus 1
	runes     []rune // that line
}

func (c *cursor) peek() rune {
	if c.line < 0 || c.line >= len(c.lines) {
		return utf8.RuneError
	}
	if c.at != c.line+1 {
		c.at, c.runes = c.line+1, []rune(c.lines[c.line])
	}
	if c.col < 0 || c.col >= len(c.runes) {
		return '\n'
	}
	return c.runes[c.col]
}

func (c *cursor) advance() {
	if c.peek() == '\n' {
		c.line, c.col = c.line+1, 0
	} else {
		c.col++
	}
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

// lineJoin passes over a backslash at the end of a line in double quotes.
func (c *cursor) lineJoin() bool {
	if c.peek() != '\\' {
		return false
	}
	c.col++
	if c.peek() == '\n' {
		return true
	}
	c.col--
	return false
}

// skipEscape passes over one escape sequence of a double-quoted scalar.
func (c *cursor) skipEscape() {
	c.col++
	digits := strings.IndexRune("xuU", c.peek())
	c.advance()
	if digits >= 0 {
		c.col += 2 << digits
	}
}

// skipProperties passes over an anchor and a tag before a scalar.
func (c *cursor) skipProperties() {
	for c.peek() == '&' || c.peek() == '!' {
		for !isBlank(c.peek()) && c.peek() != utf8.RuneError {
			c.advance()
		}
		for isBlank(c.peek()) {
			c.advance()
		}
	}
}
