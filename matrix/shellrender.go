package matrix

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
	"mvdan.cc/sh/v3/syntax"
)

// render gives the script for a row, as a template of the run time.
func (sh *script) render(in rows, keep func(name, value string, n *yaml.Node) string) (string, *evalError) {
	var texts []string
	for _, p := range sh.pieces {
		if p.value == nil {
			texts = append(texts, p.text)
			continue
		}
		if p.value.ex == nil && p.secret == "" { // a literal ${{ of the script itself
			texts = append(texts, p.value.text)
			continue
		}
		quotedText, failed := sh.quote(p, in, keep)
		if failed != nil {
			return "", failed
		}
		texts = append(texts, p.around, quotedText, p.around)
	}
	text, err := concat(texts...)
	if err != nil {
		return "", &evalError{node: sh.node, n: 1, rule: "late-value", message: err.Error()}
	}
	return text, nil
}

// quote gives the value of a piece as shell words.
func (sh *script) quote(p piece, in rows, keep func(name, value string, n *yaml.Node) string) (string, *evalError) {
	v := &value{kind: scalar, text: p.value.text}
	if ex := p.value.ex; ex != nil {
		var failed *evalError
		if v, failed = ex.eval(in); failed != nil {
			return "", failed
		}
		if v.kind == list && !p.alone || v.kind == null || v.kind == object || slices.ContainsFunc(v.items, func(x *value) bool { return x.kind != scalar }) {
			f := ex.failed(0, len([]rune(ex.src)), "list-in-word", fmt.Sprintf("this yields %s, which cannot be put into a script here", v.kind))
			f.suggestion = "a list can only stand alone as words of its own, outside of quotes"
			return "", f
		}
	}
	words := v.items
	if v.kind == scalar {
		words = []*value{v}
	}
	var out []string
	for _, w := range words {
		text := w.text
		if p.secret != "" && !hasPlaceholder(text) && !isHarmless(unescape(text)) {
			text = keep(p.secret, unescape(text), sh.node)
		}
		q, err := quoteTemplate(text)
		if err != nil {
			return "", &evalError{node: sh.node, n: 1, rule: "shell-syntax", message: "cannot be quoted for the shell: " + err.Error()}
		}
		out = append(out, q)
	}
	return strings.Join(out, " "), nil
}

// bareAtRunTime are the placeholders whose values have no character that means
// something to a shell: numbers, device lists and URLs.
var bareAtRunTime = []string{"late.port", "late.devices", "late.seed", "server.port", "server.url"}

// quoteTemplate quotes a template of the run time as one shell word: its text
// now, the values of its placeholders when they are filled in.
func quoteTemplate(t string) (string, error) {
	segs, err := segments(t)
	if err != nil {
		return "", err
	}
	if len(segs) == 0 {
		return "''", nil
	}
	var b, literal strings.Builder
	flush := func() error {
		if literal.Len() == 0 {
			return nil
		}
		q, err := syntax.Quote(literal.String(), syntax.LangBash)
		literal.Reset()
		b.WriteString(escape(q))
		return err
	}
	for _, seg := range segs {
		if !seg.isExpr {
			literal.WriteString(seg.text)
			continue
		}
		if err := flush(); err != nil {
			return "", err
		}
		name := strings.TrimSpace(seg.text)
		if !slices.Contains(bareAtRunTime, name) {
			name = quoted(name)
		}
		b.WriteString("${{ " + name + " }}")
	}
	if err := flush(); err != nil {
		return "", err
	}
	return b.String(), nil
}
