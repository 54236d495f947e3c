package report

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// flagValue matches --flag=value: only the value is quoted, as a person would.
var flagValue = regexp.MustCompile(`^(--?[A-Za-z0-9][A-Za-z0-9_.-]*=)(.*)$`)

// commandLine writes a command so that it can be pasted into a shell: what is unset, the
// environment in the order of its names, the words. Unprintable characters are spelt out.
func commandLine(unset []string, env map[string]string, argv []string) string {
	var line strings.Builder
	size := 0
	for _, word := range argv {
		size += len(word) + 1
	}
	line.Grow(size)
	add := func(parts ...string) {
		if line.Len() > 0 {
			line.WriteByte(' ')
		}
		for _, part := range parts {
			line.WriteString(part)
		}
	}
	if len(unset) > 0 {
		add("env")
		for _, name := range unset {
			add("-u ", quote(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		add(visible(name), "=", quoteValue(env[name]))
	}
	for _, word := range argv {
		if strings.HasPrefix(word, "-") && strings.Contains(word, "=") { // few do, and the expression takes its time
			if m := flagValue.FindStringSubmatch(word); m != nil {
				add(m[1], quoteValue(m[2]))
				continue
			}
		}
		add(quote(word))
	}
	return line.String()
}

// quoteValue is quote for what follows a "=", where nothing needs no quotes.
func quoteValue(s string) string {
	if s == "" {
		return ""
	}
	return quote(s)
}

// safe are the characters that mean nothing to a shell wherever they stand.
const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+"

// isSafe tells which bytes these are.
var isSafe = func() (is [256]bool) {
	for _, b := range []byte(safe) {
		is[b] = true
	}
	return is
}()

func harmless(word string) bool {
	for i := range len(word) {
		if !isSafe[word[i]] {
			return false
		}
	}
	return word != ""
}

func quote(s string) string {
	if harmless(s) { // as most words are; the library takes its time
		return s
	}
	quoted, err := syntax.Quote(s, syntax.LangBash)
	if strings.Contains(s, "!") && !strings.HasPrefix(quoted, "$") { // an interactive shell looks for it in its history
		quoted = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	if err != nil { // a zero byte: no shell could take it, but the report must show it
		quoted = "'" + s + "'"
	}
	return visible(quoted)
}
