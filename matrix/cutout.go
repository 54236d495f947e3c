package matrix

import (
	"errors"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
	"mvdan.cc/sh/v3/syntax"
)

// cutout is a command line or script with its ${{ … }} cut out: a mark stands in
// the place of each, so that the shell parser sees an ordinary word and what
// will be put in is never split or expanded.
type cutout struct {
	nm    *names
	node  *yaml.Node
	text  string // with marks
	mark  rune   // begins and ends a mark, with the number of its part between
	parts []part // what the marks stand for
	spans []span
}

// span says which byte of the scalar a byte of the text comes from.
type span struct{ text, value int }

// cutOut compiles the expressions of a scalar and marks their places; nil after
// reporting what is wrong.
func (nm *names) cutOut(n *yaml.Node) *cutout {
	c := &cutout{nm: nm, node: n, mark: '\ue000'}
	for strings.ContainsRune(n.Value, c.mark) {
		c.mark++
	}
	segs, err := segments(n.Value)
	if err != nil {
		nm.src.reportUnclosed(n, err)
		return nil
	}
	var b strings.Builder
	put := func(p part, off int) {
		c.spans = append(c.spans, span{b.Len(), off})
		b.WriteString(string(c.mark) + strconv.Itoa(len(c.parts)) + string(c.mark))
		c.parts = append(c.parts, p)
	}
	ok := true
	for _, seg := range segs {
		if seg.isExpr {
			ex := nm.compile(n, seg.off, seg.text)
			ok = ok && ex != nil
			put(part{ex: ex}, seg.off-len(opener))
			continue
		}
		text, literal := strings.CutSuffix(seg.text, opener)
		c.spans = append(c.spans, span{b.Len(), seg.off})
		b.WriteString(text)
		if literal { // from $${{, which the shell parser must not see either
			put(part{text: escape(opener)}, seg.off+len(text))
		}
	}
	c.text = b.String()
	if !ok {
		return nil
	}
	return c
}

// valueOffset gives the byte of the scalar that a byte of the text comes from.
func (c *cutout) valueOffset(off int) int {
	at := span{}
	for _, s := range c.spans {
		if s.text > off {
			break
		}
		at = s
	}
	if strings.HasPrefix(c.text[at.text:], string(c.mark)) {
		return at.value
	}
	return at.value + off - at.text
}

// fail reports an error at a place of the text.
func (c *cutout) fail(at syntax.Pos, n int, rule, suggestion, message string) {
	c.nm.src.failAt(c.node, c.valueOffset(int(at.Offset())), n, rule, suggestion, message)
}

// parse parses the text as bash; nil after reporting what is wrong.
func (c *cutout) parse() *syntax.File {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(c.text), "")
	if err == nil {
		return f
	}
	message, at := err.Error(), syntax.Pos{}
	var pe syntax.ParseError
	var le syntax.LangError
	switch {
	case errors.As(err, &pe):
		message, at = pe.Text, pe.Pos
	case errors.As(err, &le):
		message, at = le.Feature+" is no part of bash", le.Pos
	}
	c.fail(at, 1, "shell-syntax", "", "the shell cannot read this: "+message)
	return nil
}

// split takes a text apart at its marks.
func (c *cutout) split(text string) []part {
	if !strings.ContainsRune(text, c.mark) {
		return []part{{text: escape(text)}}
	}
	var out []part
	for i, piece := range strings.Split(text, string(c.mark)) {
		if i%2 == 0 {
			if piece != "" {
				out = append(out, part{text: escape(piece)})
			}
			continue
		}
		k, err := strconv.Atoi(piece)
		if err != nil || k >= len(c.parts) {
			continue // the mark character never occurs but in marks
		}
		out = append(out, c.parts[k])
	}
	return out
}
