package matrix

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"servematrix/secret"
)

// harmless are values that stand where a secret is wanted but none is needed.
var harmless = map[string]bool{"": true, "empty": true, "none": true, "null": true, "dummy": true, "test": true, "fake": true,
	"unused": true, "no-key": true, "not-needed": true, "sk-dummy": true, "placeholder": true, "changeme": true, "-": true}

func isHarmless(v string) bool { return harmless[strings.ToLower(v)] }

// secretFlagName is the name for the value of a flag: API_KEY for --api-key.
func secretFlagName(flag string) string {
	return strings.ToUpper(strings.ReplaceAll(strings.TrimLeft(flag, "-"), "-", "_"))
}

// vault keeps the secrets that a sweep spells out, so that everything that is
// written holds a placeholder instead.
type vault struct {
	src      *source
	literals map[string]string
	isFlag   map[string]bool // answers of secret.IsSecretFlag: a sweep asks the same words again and again
}

func newVault(s *source) *vault {
	return &vault{src: s, literals: map[string]string{}, isFlag: map[string]bool{}}
}

// keep gives the placeholder for a literal secret, and warns about it once.
func (v *vault) keep(name, value string, n *yaml.Node) string {
	v.src.warn(n, "secret-literal", "hand it in by the environment: ${{ env."+name+" }}", "the value of %s is a secret that this file spells out; it is kept out of everything that is written", name)
	key := name
	for i := 2; ; i++ {
		if have, used := v.literals[key]; !used || have == value {
			break
		}
		key = name + "_" + strconv.Itoa(i)
	}
	v.literals[key] = value
	return "${{ secret." + key + " }}"
}

// env gives the value of a variable as it may be written.
func (v *vault) env(name, text string, n *yaml.Node) string {
	if !v.src.isSecret(name) || hasPlaceholder(text) || isHarmless(unescape(text)) {
		return v.shown(text, n)
	}
	if m := loneEnv.FindStringSubmatch(n.Value); m != nil { // handed in, under a name that does not say that it is secret
		return "${{ env." + m[1] + " }}"
	}
	return v.keep(name, unescape(text), n)
}

var loneEnv = regexp.MustCompile(`^\s*\$\{\{\s*env\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}\s*$`)

// shown replaces the literal secrets that show themselves in a text that by its
// place is none: in a header, a URL, a script.
func (v *vault) shown(text string, n *yaml.Node) string {
	var b strings.Builder
	at := 0
	for _, s := range secret.Shown(text) {
		value := text[s[0]:s[1]]
		if strings.Contains(value, opener) || isHarmless(unescape(value)) {
			continue
		}
		b.WriteString(text[at:s[0]])
		b.WriteString(v.keep("SECRET", unescape(value), n))
		at = s[1]
	}
	if at == 0 {
		return text
	}
	b.WriteString(text[at:])
	return b.String()
}

// argv replaces the literal values of secret flags, and those that show themselves, in place.
func (v *vault) argv(argv []string, n *yaml.Node) {
	defer func() {
		for i, w := range argv {
			argv[i] = v.shown(w, n)
		}
	}()
	for i, w := range argv {
		if !strings.HasPrefix(w, "-") || !v.secretFlag(w) {
			continue
		}
		flag, value, joined := strings.Cut(w, "=")
		switch {
		case joined && !hasPlaceholder(value) && !isHarmless(unescape(value)):
			argv[i] = flag + "=" + v.keep(secretFlagName(flag), unescape(value), n)
		case !joined && i+1 < len(argv) && !hasPlaceholder(argv[i+1]) && !isHarmless(unescape(argv[i+1])) && !strings.HasPrefix(argv[i+1], "--"):
			argv[i+1] = v.keep(secretFlagName(flag), unescape(argv[i+1]), n)
		}
	}
}

func (v *vault) secretFlag(word string) bool {
	is, known := v.isFlag[word]
	if !known {
		is = secret.IsSecretFlag(word)
		if len(v.isFlag) < 10_000 {
			v.isFlag[word] = is
		}
	}
	return is
}

// shortestLiteral is the length from which a secret's value is looked for in the
// other words of the sweep: a shorter one is too common a word.
const shortestLiteral = 3

// hideSecrets puts the placeholder of a secret also where its value stands in a
// word that by itself says nothing of a secret, such as a header.
func (p *Plan) hideSecrets(getenv func(string) (string, bool)) {
	var pairs []string
	hide := func(value, placeholder string) {
		if len(value) >= shortestLiteral {
			pairs = append(pairs, escape(value), "${{ "+placeholder+" }}")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Literals)) {
		hide(p.Literals[name], "secret."+name)
	}
	for _, name := range p.SecretVariables() {
		if value, ok := getenv(name); ok {
			hide(value, "env."+name)
		}
	}
	if len(pairs) == 0 {
		return
	}
	r := strings.NewReplacer(pairs...)
	put := func(v *Variant) {
		if v.Shell { // its values stand quoted in a script; nothing can be put in their place
			return
		}
		for i, w := range v.Argv {
			v.Argv[i] = r.Replace(w)
		}
		for name, w := range v.Env {
			v.Env[name] = r.Replace(w)
		}
	}
	for _, s := range p.Servers {
		put(&s.Variant)
	}
	for _, c := range p.Clients {
		put(&c.Variant)
	}
}

var envPlaceholder = regexp.MustCompile(`\$\{\{ (?:quote\()?env\.([A-Za-z_][A-Za-z0-9_]*)`)

// SecretVariables are the variables of the environment whose values are secret
// because the plan says so: those that stand in it as placeholders.
func (p *Plan) SecretVariables() []string {
	names := map[string]bool{}
	add := func(words []string) {
		for _, w := range words {
			for _, m := range envPlaceholder.FindAllStringSubmatch(w, -1) {
				names[m[1]] = true
			}
		}
	}
	for _, s := range p.Servers {
		add(s.Argv)
		add(slices.Collect(maps.Values(s.Env)))
	}
	for _, c := range p.Clients {
		add(c.Argv)
		add(slices.Collect(maps.Values(c.Env)))
	}
	for _, h := range p.Hooks {
		add(h.Argv)
	}
	return slices.Sorted(maps.Keys(names))
}
