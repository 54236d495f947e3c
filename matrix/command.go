package matrix

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a command before the row is known.
type word struct {
	node  *yaml.Node
	parts []part
}

// assignment is a NAME=value before a command.
type assignment struct {
	name  string
	key   *yaml.Node
	value *tree
}

const useShell = "where a shell is needed, write `shell:` in place of `command:`"

// loadCommand reads a command: a list of words, or one text that is split into
// words as a shell would, without running one. NAME=value before the first word
// of a text is environment. nil after reporting what is wrong.
func (nm *names) loadCommand(n *yaml.Node, what string) ([]word, []assignment) {
	s := nm.src
	if !s.checkTag(n) {
		return nil, nil
	}
	switch n.Kind {
	case yaml.SequenceNode:
		var words []word
		ok := true
		for _, item := range n.Content {
			item = deref(item)
			if item.Kind != yaml.ScalarNode || item.ShortTag() == "!!null" {
				s.fail(item, "wrong-type", "leave it out, or put it in quotes", "a word of a command must be a text or a number, this is %s", nodeKind(item))
				ok = false
				continue
			}
			parts, good := nm.compileScalar(item)
			ok = ok && good
			words = append(words, word{item, parts})
		}
		if ok && len(words) == 0 {
			s.fail(n, "empty", "", "%s has no words", what)
		}
		if !ok {
			return nil, nil
		}
		nm.warnJoinedWords(words)
		return words, nil
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" || strings.TrimSpace(n.Value) == "" {
			s.fail(n, "empty", "", "%s is empty", what)
			return nil, nil
		}
		c := nm.cutOut(n)
		if c == nil {
			return nil, nil
		}
		return c.words(what)
	}
	s.wrongType(n, what, "one text or a list of words")
	return nil, nil
}

// warnJoinedWords points out items of a list that are several words, as in
// [python3 -m sglang.launch_server, --tp 8].
func (nm *names) warnJoinedWords(words []word) {
	for i, w := range words {
		if text := w.parts[0].text; severalFlags.MatchString(text) || i == 0 && strings.Contains(text, " ") {
			nm.src.warn(w.node, "several-words", "write one item for each word, or the whole command as one text", "this item is one word of the command, spaces included")
		}
	}
}

// words splits a command line.
func (c *cutout) words(what string) ([]word, []assignment) {
	f := c.parse()
	if f == nil {
		return nil, nil
	}
	if len(f.Stmts) == 0 {
		c.nm.src.fail(c.node, "empty", "", "%s is empty", what)
		return nil, nil
	}
	if len(f.Stmts) > 1 {
		c.fail(f.Stmts[1].Pos(), 1, "shell-syntax", "join the lines with \\ at their ends or write `command: >`; "+useShell,
			what+" is one program with its words; a second one begins here")
		return nil, nil
	}
	call := c.simple(f.Stmts[0])
	if call == nil {
		return nil, nil
	}
	var words []word
	var env []assignment
	ok := true
	for _, a := range call.Assigns {
		if a.Append || a.Index != nil || a.Array != nil || a.Naked {
			c.fail(a.Pos(), len(a.Name.Value), "shell-syntax", useShell, "only NAME=value can stand before a command")
			ok = false
			continue
		}
		parts := []part{{}}
		if a.Value != nil {
			var good bool
			parts, good = c.word(a.Value)
			ok = ok && good
		}
		at := *c.node
		env = append(env, assignment{a.Name.Value, &at, c.nm.fold(&tree{node: textNode(c.node), parts: parts})})
	}
	for _, w := range call.Args {
		parts, good := c.word(w)
		ok = ok && good
		words = append(words, word{c.node, parts})
	}
	if !ok {
		return nil, nil
	}
	if len(words) == 0 {
		c.nm.src.fail(c.node, "empty", "put the variables under env:", "%s sets variables but runs nothing", what)
		return nil, nil
	}
	if first := call.Args[0].Lit(); isBuiltin(first) {
		suggestion := useShell
		switch first {
		case "exec":
			suggestion = "leave exec out: no shell runs"
		case "cd":
			suggestion = "write the folder under dir:"
		}
		c.fail(call.Args[0].Pos(), len(first), "shell-syntax", suggestion, first+" is a command of the shell, no program")
		return nil, nil
	}
	return words, env
}

func isBuiltin(name string) bool {
	switch name {
	case "exec", "cd", "source", ".", "ulimit", "set", "eval", "trap", "umask", "alias":
		return true
	}
	return false
}

// textNode is the node of a scalar whose value is always a text.
func textNode(n *yaml.Node) *yaml.Node {
	text := *n
	text.Tag = "!!str"
	return &text
}

// simple gives the one simple command of a statement; nil after reporting that
// it is something that only a shell can run.
func (c *cutout) simple(st *syntax.Stmt) *syntax.CallExpr {
	report := func(at syntax.Pos, token, message string) *syntax.CallExpr {
		c.fail(at, len(token), "shell-syntax", useShell, message)
		return nil
	}
	switch {
	case st.Negated:
		return report(st.Pos(), "!", "! means something to a shell only")
	case st.Background || st.Coprocess:
		return report(st.Semicolon, "&", "& would send the command to the background, where nobody watches it; put the word in quotes if it is meant")
	case st.Semicolon.IsValid():
		return report(st.Semicolon, ";", "; means something to a shell only")
	case len(st.Redirs) > 0:
		r := st.Redirs[0]
		return report(r.OpPos, r.Op.String(), "the output is kept in the run folder by itself; "+r.Op.String()+" means something to a shell only")
	}
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		return cmd
	case *syntax.BinaryCmd:
		return report(cmd.OpPos, cmd.Op.String(), cmd.Op.String()+" means something to a shell only")
	case nil:
		return report(st.Pos(), " ", "there is no command here")
	}
	return report(st.Pos(), " ", "this can be run by a shell only")
}

// word gives the parts of one word with its quotes taken off; false after
// reporting what a shell would have expanded.
func (c *cutout) word(w *syntax.Word) ([]part, bool) {
	braces := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if syntax.SplitBraces(braces); slices.ContainsFunc(braces.Parts, isBraceExpansion) {
		c.fail(w.Pos(), 1, "shell-syntax", "put quotes around the word: '…'; "+useShell, "a shell would expand the braces of this word")
		return nil, false
	}
	var b strings.Builder
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if !c.unquoted(&b, p, i == 0) {
				return nil, false
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return nil, c.expands(p.Pos(), "$'", "write the characters themselves in plain quotes")
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if p.Dollar {
				return nil, c.expands(p.Pos(), "$\"", "write plain quotes")
			}
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return nil, c.expansion(inner)
				}
				b.WriteString(unescapeDouble(lit.Value))
			}
		default:
			return nil, c.expansion(p)
		}
	}
	parts := c.split(b.String())
	if len(parts) == 0 {
		parts = []part{{}}
	}
	return parts, true
}

// isBraceExpansion tells whether bash makes several words of a part: {a,b} and {1..3}, not {a} and {}.
func isBraceExpansion(p syntax.WordPart) bool {
	b, ok := p.(*syntax.BraceExp)
	return ok && (b.Sequence || len(b.Elems) > 1)
}

// unquoted adds literal text that stands outside of quotes.
func (c *cutout) unquoted(b *strings.Builder, lit *syntax.Lit, first bool) bool {
	v := lit.Value
	at := func(i int) syntax.Pos { return syntax.NewPos(lit.Pos().Offset()+uint(i), 1, 1) }
	if first && (strings.HasPrefix(v, `\ `) || strings.HasPrefix(v, "\\\t")) {
		c.fail(at(0), 1, "shell-syntax", "take the backslashes out, or keep the lines with `command: |`",
			"YAML has joined the lines, so this backslash no longer continues a line: it makes the space after it a part of the word")
		return false
	}
	for i := 0; i < len(v); i++ {
		switch ch := v[i]; {
		case ch == '\\' && i+1 < len(v):
			i++
			if v[i] != '\n' {
				b.WriteByte(v[i])
			}
			continue
		case ch == '~' && first && (i == 0 || v[i-1] == '=' && isIdentifier(v[:i-1])):
			return c.expands(at(i), "~", "write ${{ env.HOME }}, or put the word in quotes if it is meant")
		case ch == '*' || ch == '?' || ch == '[' && strings.Contains(v[i:], "]"):
			return c.expands(at(i), string(ch), "put quotes around the word if it is meant: '…'")
		}
		b.WriteByte(v[i])
	}
	return true
}

// unescapeDouble takes off the backslashes that mean something between double quotes.
func unescapeDouble(v string) string {
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		if v[i] == '\\' && i+1 < len(v) && strings.IndexByte("\\\"$`\n", v[i+1]) >= 0 {
			i++
			if v[i] == '\n' {
				continue
			}
		}
		b.WriteByte(v[i])
	}
	return b.String()
}

// expands reports what a shell would expand; it gives false.
func (c *cutout) expands(at syntax.Pos, token, instead string) bool {
	c.fail(at, len(token), "shell-expansion", instead+"; "+useShell, fmt.Sprintf("no shell runs, so %s stays as it is", token))
	return false
}

func (c *cutout) expansion(p syntax.WordPart) bool {
	switch p := p.(type) {
	case *syntax.ParamExp:
		if p.Param != nil && p.Exp == nil && isIdentifier(p.Param.Value) {
			n := int(p.End().Offset() - p.Pos().Offset())
			token := c.text[p.Pos().Offset() : int(p.Pos().Offset())+n]
			return c.expands(p.Pos(), token, "write ${{ env."+p.Param.Value+" }}")
		}
		return c.expands(p.Pos(), "${…}", "write ${{ … }}")
	case *syntax.CmdSubst:
		return c.expands(p.Pos(), "$(", "run it before and hand its result in by ${{ env.NAME }}")
	case *syntax.ArithmExp:
		return c.expands(p.Pos(), "$((", "write ${{ … }}, which can calculate")
	}
	return c.expands(p.Pos(), "this", "put quotes around it if it is meant")
}
