package command

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// late is a value that only the run knows. To a shell parser it is nonsense.
var late = regexp.MustCompile(`\$\{\{.*?\}\}`)

// IsScript tells whether words appended to argv would not reach the command that it is about.
func IsScript(argv []string) bool {
	for i, word := range argv {
		base := path.Base(word)
		if slices.Contains(shells, base) {
			_, ok := script(argv[i:])
			return ok
		}
		if i == 0 && wrappers[base] == nil {
			return false
		}
	}
	return false
}

// scripted gives every simple command in the script of a shell's command, the last first: a
// script sets things up and ends with the command it is about. A word that only the shell could
// expand stays as it is written. A script that does not parse has none.
func scripted(argv []string) (all []Reading) {
	at, ok := script(argv)
	if !ok {
		return nil
	}
	var kept []string
	text := late.ReplaceAllStringFunc(argv[at], func(s string) string {
		kept = append(kept, s)
		return fmt.Sprintf("SMXLATE%dX", len(kept)-1)
	})
	restore := func(s string) string {
		for i, k := range kept {
			s = strings.ReplaceAll(s, fmt.Sprintf("SMXLATE%dX", i), k)
		}
		return s
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		r := Reading{Around: slices.Clone(argv[:at])}
		for _, rest := range []string{text[:call.Pos().Offset()], text[call.End().Offset():]} {
			if rest = strings.TrimSpace(restore(rest)); rest != "" {
				r.Around = append(r.Around, rest)
			}
		}
		r.Around = append(r.Around, argv[at+1:]...) // what its "$@" would be; whether it has one is not looked at
		for _, a := range call.Assigns {
			if a.Name == nil || a.Value == nil {
				continue
			}
			if r.Env == nil {
				r.Env = map[string]string{}
			}
			r.Env[a.Name.Value] = restore(wordText(a.Value))
		}
		for _, w := range call.Args {
			r.Words = append(r.Words, restore(wordText(w)))
		}
		all = append(all, r)
		return true
	})
	slices.Reverse(all)
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

// script gives the place of the script in a command of the form `bash [options] -c SCRIPT`.
func script(argv []string) (at int, ok bool) {
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
			return i, dashC
		}
	}
	return 0, false
}
