package result

import (
	"maps"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"servematrix/command"
	"servematrix/secret"
)

// splitCommand takes a command line of a report apart: leading NAME=value words become the
// environment, quotes are resolved, variables stay as they are written. What is more than one
// simple command becomes bash -c, as the sweep's shell key does. Credentials are masked.
func splitCommand(line string) (argv []string, env map[string]string) {
	line = strings.TrimSpace(line)
	if line == "" {
		return nil, nil
	}
	call := simpleCommand(line)
	if call == nil {
		return []string{"bash", "-c", redactor.String(line)}, nil
	}
	config := &expand.Config{Env: expand.FuncEnviron(asWritten)}
	words, err := expand.Fields(config, call.Args...)
	if err != nil {
		return []string{"bash", "-c", redactor.String(line)}, nil
	}
	env = map[string]string{}
	for _, a := range call.Assigns {
		text := ""
		if a.Value != nil {
			if text, err = expand.Literal(config, a.Value); err != nil {
				return []string{"bash", "-c", redactor.String(line)}, nil
			}
		}
		if secret.IsSecretName(a.Name.Value, nil) {
			text = secret.Mask
		}
		env[a.Name.Value] = redactor.String(text)
	}
	if len(words) == 0 {
		return nil, env
	}
	return redactor.Strings(throughEnv(words, env)), env
}

// throughEnv takes the words of env(1) off that only set and unset variables: our own reports
// write a command so that it can be pasted.
func throughEnv(words []string, env map[string]string) []string {
	if words[0] != "env" {
		return words
	}
	set := map[string]string{}
	for i := 1; i < len(words); i++ {
		if words[i] == "-u" {
			i++
			continue
		}
		name, text, ok := strings.Cut(words[i], "=")
		if !ok || !syntax.ValidName(name) {
			if strings.HasPrefix(words[i], "-") {
				return words // an option of env that means something else
			}
			maps.Copy(env, set)
			return words[i:]
		}
		if secret.IsSecretName(name, nil) {
			text = secret.Mask
		}
		set[name] = redactor.String(text)
	}
	return words
}

// asWritten stands in for the environment that nobody knows any more: a variable's value is its
// own name. IFS is asked for by the library, to split words.
func asWritten(name string) string {
	if name == "IFS" {
		return " \t\n"
	}
	return "$" + name
}

// simpleCommand parses a line that is one plain command, or gives nil.
func simpleCommand(line string) *syntax.CallExpr {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) != 1 {
		return nil
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(s.Redirs) > 0 || s.Background || s.Negated || s.Coprocess {
		return nil
	}
	for _, a := range call.Assigns {
		if a.Append || a.Index != nil || a.Array != nil || a.Naked {
			return nil
		}
	}
	return call
}

// promptsAsked gives the value of --num-prompts in a client's command; both clients also take
// the abbreviation --num-prompt. 0 when the command has none.
func promptsAsked(argv []string) int {
	if len(argv) == 0 {
		return 0
	}
	text, _ := command.Read(argv).Args().Value("--num-prompts|--num-prompt")
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return 0
}
