package matrix

import (
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
	"mvdan.cc/sh/v3/syntax"

	"servematrix/secret"
)

// hole is a part of the script's text that something is put in for.
type hole struct {
	from, to int
	piece    piece
}

// scanner finds where in a script values are put in, and in which quotes they stand.
type scanner struct {
	c       *cutout
	holes   []hole
	failed  bool
	alone   map[*syntax.Lit]bool       // literals that are whole words
	secret  map[syntax.WordPart]string // parts of words that are values of secrets
	hereDoc map[*syntax.Word]bool      // bodies of here-documents
	words   map[*syntax.Word]string    // words that are values of secrets
}

// inHereDoc is what stands for the quotes of a here-document.
const inHereDoc = "<<"

func (sc *scanner) scan(f *syntax.File) {
	sc.alone, sc.secret = map[*syntax.Lit]bool{}, map[syntax.WordPart]string{}
	sc.hereDoc, sc.words = map[*syntax.Word]bool{}, map[*syntax.Word]string{}
	around := []string{""} // quotes of the nodes that are open, innermost last
	syntax.Walk(f, func(n syntax.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		quote := around[len(around)-1]
		switch n := n.(type) {
		case *syntax.CallExpr:
			sc.markSecrets(n)
		case *syntax.Redirect:
			sc.hereDoc[n.Hdoc] = n.Hdoc != nil
		case *syntax.Word:
			if sc.hereDoc[n] {
				quote = inHereDoc
			}
			if name, ok := sc.words[n]; ok {
				if sc.literalSecret(n, name, 0) {
					return false
				}
				for _, p := range n.Parts {
					sc.secret[p] = name
				}
			}
			if lit, ok := n.Parts[0].(*syntax.Lit); ok && len(n.Parts) == 1 && quote == "" {
				sc.alone[lit] = true
			}
		case *syntax.DblQuoted:
			if quote != inHereDoc {
				quote = `"`
			}
			for _, p := range n.Parts {
				sc.secret[p] = sc.secret[n]
			}
		case *syntax.CmdSubst, *syntax.ProcSubst:
			quote = ""
		case *syntax.SglQuoted:
			if n.Dollar && strings.ContainsRune(n.Value, sc.c.mark) {
				sc.refuse(n.Pos(), "inside $'…'")
			}
			sc.marks(n.Value, int(n.Pos().Offset())+1, piece{around: "'", secret: sc.secret[n]})
		case *syntax.Lit:
			sc.marks(n.Value, int(n.Pos().Offset()), piece{around: quote, alone: sc.alone[n], secret: sc.secret[n]})
		}
		around = append(around, quote)
		return true
	})
}

// marks notes the marks in a literal text that begins at byte off of the script.
func (sc *scanner) marks(v string, off int, like piece) {
	mark := string(sc.c.mark)
	for pos := 0; ; {
		i := strings.Index(v[pos:], mark)
		if i < 0 {
			return
		}
		start := pos + i
		n := strings.Index(v[start+len(mark):], mark)
		if n < 0 {
			return
		}
		end := start + len(mark) + n + len(mark)
		if like.around == inHereDoc {
			sc.refuse(syntax.NewPos(uint(off+start), 1, 1), "inside a here-document")
			return
		}
		p := like
		p.value = &sc.c.split(v[start:end])[0]
		p.alone = like.alone && start == 0 && end == len(v)
		sc.holes = append(sc.holes, hole{off + start, off + end, p})
		pos = end
	}
}

func (sc *scanner) refuse(at syntax.Pos, where string) {
	sc.failed = true
	sc.c.fail(at, len(opener), "shell-syntax", "set a variable before (X=${{ … }}) and use \"$X\" here", "${{ … }} cannot be quoted safely "+where)
}

// markSecrets finds the words of a command that are values of secrets.
func (sc *scanner) markSecrets(call *syntax.CallExpr) {
	for _, a := range call.Assigns {
		if a.Name != nil && a.Value != nil && sc.c.nm.src.isSecret(a.Name.Value) {
			sc.words[a.Value] = a.Name.Value
		}
	}
	for i, w := range call.Args {
		lit, ok := w.Parts[0].(*syntax.Lit)
		if !ok || !secret.IsSecretFlag(lit.Value) {
			continue
		}
		flag, _, joined := strings.Cut(lit.Value, "=")
		switch {
		case joined && !sc.literalSecret(w, secretFlagName(flag), len(flag)+1):
			for _, p := range w.Parts {
				sc.secret[p] = secretFlagName(flag)
			}
		case !joined && i+1 < len(call.Args):
			sc.words[call.Args[i+1]] = secretFlagName(flag)
		}
	}
}

// literalSecret makes a hole of a secret that is spelled out in a word, from its
// byte skip on; false when the word is something else.
func (sc *scanner) literalSecret(w *syntax.Word, name string, skip int) bool {
	text, ok := staticText(w)
	if !ok || strings.ContainsRune(text, sc.c.mark) || isHarmless(text[skip:]) {
		return false
	}
	sc.holes = append(sc.holes, hole{int(w.Pos().Offset()) + skip, int(w.End().Offset()), piece{value: &part{text: escape(text[skip:])}, secret: name}})
	return true
}

// staticText is the text of a word in which nothing is expanded.
func staticText(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// script puts text and holes together.
func (sc *scanner) script(n *yaml.Node) *script {
	sort.SliceStable(sc.holes, func(i, j int) bool { return sc.holes[i].from < sc.holes[j].from })
	out := &script{node: n}
	pos := 0
	put := func(text string) {
		if text == "" {
			return
		}
		for _, p := range sc.c.split(text) { // marks in comments and the like
			if p.ex == nil {
				out.pieces = append(out.pieces, piece{text: p.text})
			} else {
				out.pieces = append(out.pieces, piece{value: &p})
			}
		}
	}
	for _, h := range sc.holes {
		if h.from < pos {
			continue // inside a hole that is filled as a whole
		}
		put(sc.c.text[pos:h.from])
		out.pieces = append(out.pieces, h.piece)
		pos = h.to
	}
	put(sc.c.text[pos:])
	return out
}
