package draft

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// most bounds the commands of a script: a loop in a loop in a loop is no sweep to begin with.
const most = 1000

// longest bounds the statements and rounds that are followed: loops in loops can be endless without a command.
const longest = 50_000

// widest bounds the bytes of the words of one statement, dearest those of all that are followed:
// x=$x$x in a loop doubles, and {1..99}{1..99}{1..99} is short to write.
const (
	widest  = 1 << 20
	dearest = 1 << 24
)

// nodeCost is what a piece of a word costs beside its bytes.
const nodeCost = 16

// tired tells whether enough of the script was followed, and says so.
func (w *walker) tired(n syntax.Node) bool {
	if len(w.commands) < most && w.followed <= longest && w.spent <= dearest {
		return false
	}
	if !w.gaveUp {
		w.gaveUp = true
		w.note(n, "the script goes on for longer than servematrix follows it; what is behind is left out")
	}
	return true
}

// errWide is a word that is longer than any command line.
var errWide = errors.New("words without end")

// afford takes from what may be spent what the words will cost.
func (w *walker) afford(words []*syntax.Word) error {
	cost := 0.0
	for _, word := range words {
		cost += w.cost(word) * expansions(word)
	}
	if cost > widest {
		return errWide
	}
	if w.spent += int(cost); w.spent > dearest {
		return errWide
	}
	return nil
}

// cost is an upper bound, in bytes, of what a word becomes but for its braces.
func (w *walker) cost(n syntax.Node) float64 {
	cost := 0.0
	syntax.Walk(n, func(n syntax.Node) bool {
		cost += nodeCost
		switch n := n.(type) {
		case *syntax.Lit:
			cost += float64(len(n.Value))
		case *syntax.SglQuoted:
			cost += float64(len(n.Value))
		case *syntax.ParamExp:
			held := w.held(n)
			cost += held
			if n.Repl == nil && n.Exp == nil {
				break
			}
			// Its words are looked at once, here: walked into as well, they would cost twice at each depth.
			times := held + 1 // a pattern is looked for, or put in, at each byte
			if n.Exp != nil && defaults[n.Exp.Op] {
				times = 1 // a default
			}
			for _, word := range inside(n) {
				cost += w.cost(word) * times
			}
			return false
		}
		return true
	})
	return cost
}

var defaults = map[syntax.ParExpOperator]bool{syntax.DefaultUnset: true, syntax.DefaultUnsetOrNull: true, syntax.AssignUnset: true, syntax.AssignUnsetOrNull: true,
	syntax.AlternateUnset: true, syntax.AlternateUnsetOrNull: true, syntax.ErrorUnset: true, syntax.ErrorUnsetOrNull: true}

// inside are the words of an expansion's operator.
func inside(p *syntax.ParamExp) (words []*syntax.Word) {
	if p.Exp != nil {
		words = append(words, p.Exp.Word)
	}
	if p.Repl != nil {
		words = append(words, p.Repl.Orig, p.Repl.With)
	}
	return slices.DeleteFunc(words, func(w *syntax.Word) bool { return w == nil })
}

// held is how long the value of a variable is; of one that another one names, the longest that there is.
func (w *walker) held(p *syntax.ParamExp) float64 {
	if p.Param == nil {
		return 0
	}
	if !p.Excl {
		return length(w.vars[p.Param.Value])
	}
	longest := 0.0
	for _, v := range w.vars {
		longest = math.Max(longest, length(v))
	}
	return longest
}

func length(v expand.Variable) float64 {
	n := len(v.Str)
	for _, s := range v.List {
		n += len(s) + nodeCost
	}
	return float64(n)
}

// expansions tells how many words the braces of a word make.
func expansions(word *syntax.Word) float64 {
	split := *word
	if !syntax.SplitBraces(&split) {
		return 1
	}
	return combined(&split)
}

func combined(word *syntax.Word) float64 {
	words := 1.0
	for _, part := range word.Parts {
		b, ok := part.(*syntax.BraceExp)
		switch {
		case !ok:
		case b.Sequence:
			words *= between(b.Elems[0].Lit(), b.Elems[1].Lit())
		default:
			sum := 0.0
			for _, e := range b.Elems {
				sum += combined(e)
			}
			words *= sum
		}
	}
	return words
}

// between counts from one number or letter to another.
func between(from, to string) float64 {
	a, err1 := strconv.ParseFloat(from, 64)
	b, err2 := strconv.ParseFloat(to, 64)
	if err1 == nil && err2 == nil {
		return math.Abs(a-b) + 1
	}
	if len(from) == 1 && len(to) == 1 && !strings.ContainsAny(from+to, "0123456789") {
		return math.Abs(float64(from[0])-float64(to[0])) + 1
	}
	return math.Inf(1)
}
