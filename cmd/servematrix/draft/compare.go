package draft

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"servematrix/command"
)

// part is a piece of a command that is compared as a whole: one of the words
// before the first flag, a flag with its values, or a variable.
type part struct {
	key   string   // "0", "1" … for words, the flag's name, "env:NAME"
	words []string // as they stand in the command; of a variable its value
}

// parts takes a command apart.
func parts(c Command) []part {
	var out []part
	for _, a := range c.Env {
		out = append(out, part{"env:" + a.Name, []string{a.Value}})
	}
	seen := map[string]int{}
	inFlag, ended := false, false // ended: behind "--" nothing is a flag
	for i, w := range c.Argv {
		ended = ended || w == "--"
		switch {
		case command.IsFlag(w) && !ended:
			key, _, _ := strings.Cut(w, "=")
			if seen[key]++; seen[key] > 1 {
				key += "#" + strconv.Itoa(seen[key])
			}
			out = append(out, part{key, []string{w}})
			inFlag = true
		case inFlag:
			last := &out[len(out)-1]
			last.words = append(last.words, w)
		default:
			out = append(out, part{strconv.Itoa(i), []string{w}})
		}
	}
	return out
}

// value gives the one value of a part that has one: of --flag value, --flag=value,
// a word or a variable.
func (p part) value() (string, bool) {
	switch {
	case !command.IsFlag(p.words[0]) || strings.HasPrefix(p.key, "env:"):
		return p.words[0], true
	case len(p.words) == 2 && !strings.Contains(p.words[0], "="):
		return p.words[1], true
	case len(p.words) == 1:
		_, v, ok := strings.Cut(p.words[0], "=")
		return v, ok
	}
	return "", false
}

// with gives the part's words with its value replaced.
func (p part) with(value string) []string {
	if flag, _, ok := strings.Cut(p.words[0], "="); ok && command.IsFlag(p.words[0]) {
		return []string{flag + "=" + value}
	}
	if len(p.words) == 2 {
		return []string{p.words[0], value}
	}
	return []string{value}
}

func (p part) String() string { return strings.Join(p.words, "\x00") }

// table holds commands part by part.
type table struct {
	keys []string          // in the order of the first command, then of the later ones
	rows []map[string]part // one a command
}

// compare lines the commands up. False: they are too different to have a common form.
func compare(commands []Command) (*table, bool) {
	t := &table{}
	for _, c := range commands {
		row := map[string]part{}
		at := -1
		for _, p := range parts(c) {
			row[p.key] = p
			if i := slices.Index(t.keys, p.key); i >= 0 {
				at = max(at, i)
				continue
			}
			at++
			t.keys = slices.Insert(t.keys, at, p.key)
		}
		t.rows = append(t.rows, row)
	}
	for _, key := range t.keys {
		_, err := strconv.Atoi(key)
		if (err == nil && !t.everywhere(key)) || (key == "0" || key == "-m") && t.distinct(key) > 1 {
			return nil, false // another program
		}
	}
	return t, true
}

// everywhere tells whether every command has the part.
func (t *table) everywhere(key string) bool {
	for _, row := range t.rows {
		if _, ok := row[key]; !ok {
			return false
		}
	}
	return true
}

// distinct counts the forms of a part; its absence is one.
func (t *table) distinct(key string) int {
	forms := map[string]bool{}
	for _, row := range t.rows {
		p, ok := row[key]
		forms[fmt.Sprint(ok, p)] = true
	}
	return len(forms)
}

// single tells whether the part has exactly one value in every command.
func (t *table) single(key string) bool {
	for _, row := range t.rows {
		p, ok := row[key]
		if !ok {
			return false
		}
		if _, ok := p.value(); !ok {
			return false
		}
	}
	return true
}

// differing lists the parts that are not the same everywhere.
func (t *table) differing() []string {
	var out []string
	for _, key := range t.keys {
		if t.distinct(key) > 1 {
			out = append(out, key)
		}
	}
	return out
}

// product tells whether the commands are every combination of the differing parts.
func (t *table) product(keys []string) bool {
	n := 1
	for _, key := range keys {
		n *= t.distinct(key)
	}
	return n == len(t.rows)
}

// unique drops commands that were there before, also those that have the same flags in another order.
func unique(commands []Command) []Command {
	var out []Command
	seen := map[string]bool{}
	for _, c := range commands {
		if form := c.form(); !seen[form] {
			seen[form] = true
			out = append(out, c)
		}
	}
	return out
}

// form is the same for commands that differ in the order of their flags only.
func (c Command) form() string {
	var all []string
	for _, p := range parts(c) {
		all = append(all, p.key+"\x00"+p.String())
	}
	slices.Sort(all)
	return strings.Join(all, "\x01")
}

var (
	notName = regexp.MustCompile(`[^A-Za-z0-9_]+`)
	notID   = regexp.MustCompile(`[^A-Za-z0-9._]+`)
	taken   = []string{"server", "client", "vars", "env", "late", "id", "in", "not", "and", "or", "let", "if", "else", "true", "false", "nil", "matches", "contains"}
)

// axisName makes a name for an axis or a field from a part's key.
func axisName(key string) string {
	key = strings.TrimPrefix(key, "env:")
	name := strings.Trim(notName.ReplaceAllString(strings.TrimLeft(key, "-"), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "word" + name
	}
	if slices.Contains(taken, name) {
		name += "_"
	}
	return name
}

// longestID keeps names of cells readable.
const longestID = 40

// idOf makes an id from words: flags lose their dashes, paths all but their end.
func idOf(words []string) string {
	var out []string
	for _, w := range words {
		w = strings.TrimRight(marks2.ReplaceAllString(w, "$1"), "/")
		if i := strings.LastIndex(w, "/"); i >= 0 {
			w = w[i+1:]
		}
		if w = strings.Trim(notID.ReplaceAllString(w, "-"), "-."); w != "" {
			out = append(out, w)
		}
	}
	id := strings.Join(out, "-")
	if len(id) > longestID {
		id = strings.TrimRight(id[:longestID], "-.")
	}
	return id
}

var marks2 = regexp.MustCompile(`\$\{\{ (?:vars|env)\.(\w+) \}\}`)

// distinctIDs makes ids unique by numbers, and names the empty one.
func distinctIDs(ids []string, empty string) []string {
	taken := map[string]bool{}
	out := make([]string, len(ids))
	for i, id := range ids {
		if id == "" {
			id = empty
		}
		out[i] = id
		for n := 2; taken[out[i]] || out[i] != id && slices.Contains(ids, out[i]); n++ {
			out[i] = fmt.Sprintf("%s-%d", id, n)
		}
		taken[out[i]] = true
	}
	return out
}
