package report

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"servematrix/matrix"
)

// scratch is the shell variable of a folder for what a command that is tried by hand writes: the
// folders of the run stay as they are.
const scratch = "TRY"

// byHand writes a command so that bash, given the line, does what the run did: in the folder, with
// the environment that the sweep sets, with the values of the run time. A secret stands as "$NAME",
// and has to be in the environment of the shell.
func byHand(v *matrix.Variant, dir string, late map[string]string) string {
	h := hand{late: late}
	var words []string
	env := map[string]string{}
	maps.Copy(env, v.Added.Env)
	maps.Copy(env, v.Env)
	names := slices.Sorted(maps.Keys(env))
	if len(v.Unset) > 0 || slices.ContainsFunc(names, func(name string) bool { return !variable.MatchString(name) }) {
		words = append(words, "env")
	}
	for _, name := range v.Unset {
		words = append(words, "-u", quote(name))
	}
	for _, name := range names {
		value := h.word(env[name])
		if value == "''" {
			value = ""
		}
		if !variable.MatchString(name) {
			name = quote(name)
		}
		words = append(words, name+"="+value)
	}
	for i, word := range slices.Concat(v.Argv, v.Added.Argv) {
		word := h.word(word)
		if i == 0 && len(words) == 0 && syntax.IsKeyword(word) {
			word = `\` + word
		}
		words = append(words, word)
	}
	line := strings.Join(words, " ")
	if h.writes {
		line = scratch + "=$(mktemp -d) && " + line
	}
	if dir != "" {
		line = "cd " + quote(dir) + " && " + line
	}
	return line
}

var (
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	strange  = regexp.MustCompile(`[^A-Za-z0-9_]`)
	flagHead = regexp.MustCompile(`^--?[A-Za-z0-9][A-Za-z0-9_.-]*=`)
)

// hand fills templates of the run time for a shell.
type hand struct {
	late   map[string]string
	writes bool // the scratch folder is used
}

// word gives a template as one word of a shell.
func (h *hand) word(template string) string {
	parts, err := matrix.Parts(template)
	if err != nil {
		return quote(template) // not of this version
	}
	var word, text strings.Builder
	flush := func() {
		s := text.String()
		text.Reset()
		if head := flagHead.FindString(s); word.Len() == 0 && head != "" { // as a person writes it
			word.WriteString(head)
			s = s[len(head):]
		}
		if s != "" {
			word.WriteString(quote(s))
		}
	}
	for _, p := range parts {
		value, known := h.late[p.Name]
		switch {
		case p.Name == "":
			text.WriteString(p.Text)
		case known && p.Quoted:
			text.WriteString(quote(value))
		case known:
			text.WriteString(value)
		default:
			flush()
			word.WriteString(`"` + h.variable(p) + `"`)
		}
	}
	flush()
	if word.Len() == 0 {
		return "''"
	}
	return word.String()
}

// variable names the shell's variable that stands for a value that the report does not know.
func (h *hand) variable(p matrix.Part) string {
	_, name, _ := strings.Cut(p.Name, ".") // env.NAME, secret.NAME
	if p.Name == "late.dir" {
		name, h.writes = scratch, true
	}
	name = strange.ReplaceAllString(name, "_")
	if !variable.MatchString(name) {
		name = "_" + name
	}
	if p.Quoted { // inside a script it is one quoted word there
		return "${" + name + "@Q}"
	}
	return "$" + name
}

// folderOf is the working folder of a command: a relative one lies in the folder where the run was
// started.
func folderOf(v *matrix.Variant, started string) string {
	if filepath.IsAbs(v.Dir) || started == "" {
		return v.Dir
	}
	return filepath.Join(started, v.Dir)
}
