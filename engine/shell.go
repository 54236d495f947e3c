package engine

import (
	"fmt"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// late is a value that only the run knows. To a shell parser it is nonsense.
var late = regexp.MustCompile(`\$\{\{.*?\}\}`)

// scriptCommands gives the words of every simple command in a bash script, the
// last first: a script sets things up and ends with the command it is about.
// A word that only the shell could expand stays as it is written. A script
// that does not parse has none.
func scriptCommands(script string) [][]string {
	var kept []string
	script = late.ReplaceAllStringFunc(script, func(s string) string {
		kept = append(kept, s)
		return fmt.Sprintf("SMXLATE%dX", len(kept)-1)
	})
	restore := func(s string) string {
		for i, k := range kept {
			s = strings.ReplaceAll(s, fmt.Sprintf("SMXLATE%dX", i), k)
		}
		return s
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil
	}
	var all [][]string
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			var words []string
			for _, w := range call.Args {
				words = append(words, restore(wordText(w)))
			}
			all = append([][]string{words}, all...)
		}
		return true
	})
	return all
}

// wordText is a word as its command sees it, or its source where the shell must expand it.
func wordText(w *syntax.Word) string {
	plain := true
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst, *syntax.ExtGlob:
			plain = false
		}
		return plain
	})
	if plain {
		if s, err := expand.Literal(&expand.Config{}, w); err == nil { // nil is one for all goroutines, and written to
			return s
		}
	}
	var b strings.Builder
	if syntax.NewPrinter().Print(&b, w) != nil {
		return ""
	}
	return b.String()
}

// script gives the script of a command of the form `bash [options] -c SCRIPT`.
func script(argv []string) (string, bool) {
	dashC := false
	for i := 1; i < len(argv); i++ {
		switch arg := argv[i]; {
		case arg == "-o" || arg == "-O" || arg == "+o" || arg == "+O":
			i++
		case strings.HasPrefix(arg, "--"):
		case strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "+"):
			dashC = dashC || strings.HasPrefix(arg, "-") && strings.Contains(arg, "c")
			if strings.HasSuffix(arg, "o") && arg[0] == '-' && len(arg) > 2 { // -euo pipefail
				i++
			}
		default:
			return arg, dashC
		}
	}
	return "", false
}
