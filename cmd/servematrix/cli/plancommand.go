package cli

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"servematrix/command"
	"servematrix/engine"
	"servematrix/matrix"
)

// command writes a variant's command as one could type it; what profile or tool
// adds follows on a line of its own, marked.
func (t planText) command(v *matrix.Variant) {
	t.printf("  %s\n", t.line(v.Env, v.Argv))
	if len(v.Replaced) > 0 {
		t.printf("  in place of %s\n", t.line(nil, v.Replaced))
	}
	if len(v.Unset) > 0 {
		t.printf("  unset %s\n", strings.Join(v.Unset, " "))
	}
	if len(v.Added.Argv)+len(v.Added.Env) > 0 {
		t.printf("  + %s\n", t.line(v.Added.Env, v.Added.Argv))
	}
}

// line writes environment and words, quoted for a shell and redacted.
func (t planText) line(env map[string]string, argv []string) string {
	words := make([]string, 0, len(env)+len(argv))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		words = append(words, name+"="+quote(t.hide.String(env[name])))
	}
	for _, w := range t.hide.Strings(argv) {
		words = append(words, quote(w))
	}
	return strings.Join(words, " ")
}

// bare are words that mean themselves to every shell; late values never need quotes.
var bare = regexp.MustCompile(`^([A-Za-z0-9_@%+=:,./-]|\$\{\{[^}]*\}\})+$`)

// quote quotes a word for a shell where it must be.
func quote(word string) string {
	if bare.MatchString(word) {
		return word
	}
	q, err := syntax.Quote(word, syntax.LangBash)
	if err != nil {
		return fmt.Sprintf("%q", word) // a NUL, which no command line can hold
	}
	return q
}

// setting is one resolved value under the name that the sweep has for it.
type setting struct{ name, value string }

func serverSettings(s *matrix.Server) []setting {
	list := append(variantSettings(&s.Variant),
		setting{"port", s.Port}, setting{"isolation", s.Isolation},
		setting{"ready.log", s.Ready.Log}, setting{"ready.http", s.Ready.HTTP}, setting{"ready.tcp", yes(s.Ready.TCP)},
		setting{"ready.timeout", limitText(s.Ready.Timeout)}, setting{"ready.silence", limitText(s.Ready.Silence)},
		setting{"stop.signal", s.Stop.Signal}, setting{"stop.grace", s.Stop.Grace.String()})
	if s.Flush != nil {
		list = append(list, setting{"flush", strings.TrimSpace(s.Flush.Method + " " + s.Flush.Path)})
	}
	if n := len(s.Failure); n > 0 {
		list = append(list, setting{"failure", count(n, "pattern")})
	}
	return list
}

func clientSettings(c *matrix.Client) []setting {
	list := append(variantSettings(&c.Variant), setting{"silence", limitText(c.Silence)}, setting{"warmup", fmt.Sprint(c.Warmup)})
	for _, flag := range engine.FilledIn {
		if c.Origins[flag] != "" { // the embedded client's, which the sweep did not give
			value, _ := command.Args(c.Argv).Value("--" + flag)
			list = append(list, setting{flag, value})
		}
	}
	return list
}

func variantSettings(v *matrix.Variant) []setting {
	var env []string
	for _, name := range slices.Sorted(maps.Keys(v.Added.Env)) {
		env = append(env, name+"="+v.Added.Env[name])
	}
	return []setting{
		{"profile", v.Profile}, {"dir", cmp.Or(v.Dir, "where run is started")}, {"timeout", limitText(v.Timeout)},
		{"added.argv", strings.Join(v.Added.Argv, " ")}, {"added.env", strings.Join(env, " ")},
	}
}

func limitText(d matrix.Duration) string {
	if d == 0 {
		return "none"
	}
	return time.Duration(d).String()
}

func yes(b bool) string {
	if b {
		return "true"
	}
	return ""
}

// settings writes each setting that says something, with its origin, and the
// digests that make the identity.
func (t planText) settings(v *matrix.Variant, list []setting) {
	for _, s := range list {
		if s.value == "" {
			continue
		}
		t.printf("    %-14s %s   (%s)\n", s.name, t.hide.String(s.value), cmp.Or(v.Origins[s.name], "default"))
	}
	for _, note := range v.LeftOut {
		t.printf("    %-14s %s\n", "replaced", t.hide.String(note))
	}
	for _, part := range slices.Sorted(maps.Keys(v.Parts)) {
		t.printf("    %-14s %s\n", "id of "+part, v.Parts[part])
	}
	t.printf("    %-14s %s\n", "at", v.At)
}
