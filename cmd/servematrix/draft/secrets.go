package draft

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"servematrix/secret"
)

// Secrets takes the secrets out of commands: a sweep is a file that others may read, so it
// names a variable that whoever runs it exports. One value has one name in all commands.
type Secrets struct {
	names  map[string]string // by value
	taken  []string          // names, in order
	values map[string]string // by name
	hide   secret.Redactor
}

// placeholders stand where a client wants a key and the server asks for none.
var placeholders = []string{"", "-", "empty", "none", "null", "dummy", "fake", "test"}

// oneReference is a value that the environment gives already.
var oneReference = regexp.MustCompile(`^\$\{\{ (?:vars|env)\.\w+ \}\}$`)

// TakeOut puts references in the place of the values of variables and flags that hold secrets,
// and of words that show themselves as secrets; the command's notes name those that are new.
func (s *Secrets) TakeOut(c *Command) {
	known := len(s.taken)
	named := func(name, value string) string {
		if slices.Contains(placeholders, strings.ToLower(value)) || oneReference.MatchString(value) {
			return value
		}
		return "${{ env." + s.name(name, value) + " }}"
	}
	env, argv := slices.Clone(c.Env), slices.Clone(c.Argv)
	for i, a := range env {
		if secret.IsSecretName(a.Name, nil) {
			env[i].Value = named(a.Name, a.Value)
		} else {
			env[i].Value = s.within(a.Value, named)
		}
	}
	for i, w := range argv {
		flag, value, joined := strings.Cut(w, "=")
		name := axisName(strings.ToUpper(flag))
		switch {
		case secret.IsSecretFlag(w) && joined:
			argv[i] = flag + "=" + named(name, value)
		case i > 0 && secret.IsSecretFlag(argv[i-1]) && !strings.Contains(argv[i-1], "="):
			if !strings.HasPrefix(w, "--") {
				argv[i] = named(axisName(strings.ToUpper(argv[i-1])), w)
			}
		default:
			argv[i] = s.within(w, named)
		}
	}
	c.Env, c.Argv = env, argv
	for _, name := range s.taken[known:] {
		c.Notes = append(slices.Clone(c.Notes), fmt.Sprintf("line %d: the value of %s is a secret and is not written here; export %[2]s before servematrix plan and run", c.Line, name))
	}
}

// Hidden hides in a text what was taken out, and what shows itself as a secret.
func (s *Secrets) Hidden(text string) string { return s.hide.String(text) }

// name is the variable that stands for a value: its own name, numbered where another value has it.
func (s *Secrets) name(wanted, value string) string {
	if name, ok := s.names[value]; ok {
		return name
	}
	name := wanted
	for n := 2; slices.Contains(s.taken, name); n++ {
		name = fmt.Sprintf("%s_%d", wanted, n)
	}
	if s.names == nil {
		s.names, s.values = map[string]string{}, map[string]string{}
	}
	s.names[value], s.values[name] = name, value
	s.taken = append(s.taken, name)
	s.hide.Add(value)
	return name
}

// searched is the length from which a value is looked for in other words.
const searched = 6

// within replaces in a word the values that have a name already, and the parts that show
// themselves as secrets, such as those of headers and URLs.
func (s *Secrets) within(word string, named func(name, value string) string) string {
	for _, name := range s.taken {
		if value := s.values[name]; len(value) >= searched {
			word = strings.ReplaceAll(word, value, "${{ env."+name+" }}")
		}
	}
	var b strings.Builder
	at := 0
	for _, part := range secret.Shown(word) {
		b.WriteString(word[at:part[0]])
		b.WriteString(named("SECRET", word[part[0]:part[1]]))
		at = part[1]
	}
	b.WriteString(word[at:])
	return b.String()
}
