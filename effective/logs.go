package effective

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"servematrix/engine"
	"servematrix/logfile"
	"servematrix/pyliteral"
	"servematrix/readiness"
)

// Bounds of what is read of one log and kept of it.
const (
	logMost     = 8 << 20 // bytes from its begin: a configuration is printed early
	lineMost    = 1 << 20 // bytes of one line
	textMost    = 2000    // bytes of a value that is no literal, and of a quoted line
	changedMost = 50
	argsMost    = 2000
)

// Log is a log up to the moment at which the server was ready.
type Log struct {
	Path string
	Size int64 // bytes that were there then
}

// Logs reads what a server printed of its configuration before it was ready. asked is what its
// command asks for (see engine.ServerProfile.Asked); values that only the run knows are to hold
// "${{". A log that cannot be read is among the problems.
func Logs(p *engine.ServerProfile, asked map[string][]string, logs []Log) *Config {
	c := &Config{Engine: p.Name, Args: map[string]any{}, Varies: p.Effective.Varies, Names: p.Effective.Names}
	r := reader{c: c, what: &p.Effective}
	r.prepare()
	for _, l := range logs {
		if err := r.log(l); err != nil {
			c.Problems = append(c.Problems, err.Error())
		}
	}
	c.Varies = slices.DeleteFunc(slices.Clone(c.Varies), func(name string) bool { // asked for and known: it has to be what it is
		words, ok := asked[name]
		return ok && !late(words) && name != "port" && name != "host"
	})
	c.compare(asked, r.said)
	return c
}

// reader takes the lines of logs in.
type reader struct {
	c    *Config
	what *engine.Effective
	args []expression
	vers []expression
	choi []expression
	said []Change
}

// expression is a regular expression with a test that is quick on lines that do not match.
type expression struct {
	re    *regexp.Regexp
	quick func([]byte) bool
	flag  string
}

func (r *reader) prepare() {
	of := func(re engine.Regexp, flag string) expression {
		return expression{re.Regexp, readiness.Matching(re.Regexp), flag}
	}
	for _, re := range r.what.Args {
		r.args = append(r.args, of(re, ""))
	}
	for _, re := range r.what.Version {
		r.vers = append(r.vers, of(re, ""))
	}
	for _, ch := range r.what.Changed {
		r.choi = append(r.choi, of(ch.Log, ch.Flag))
	}
}

// find gives what the first expression that matches is to be quoted with.
func find(all []expression, line []byte) (text, flag string, ok bool) {
	for _, e := range all {
		if !e.quick(line) {
			continue
		}
		m := e.re.FindSubmatch(line)
		found := m[0]
		for _, group := range m[1:] {
			if group != nil {
				found = group
				break
			}
		}
		return strings.ToValidUTF8(string(found), "\uFFFD"), e.flag, true
	}
	return "", "", false
}

func (r *reader) log(l Log) error {
	if len(r.args)+len(r.vers)+len(r.choi) == 0 {
		return nil
	}
	f, err := os.Open(l.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines, err := logfile.NewReader(f, 0, logfile.Break)
	if err != nil {
		return err
	}
	s := bufio.NewScanner(io.LimitReader(lines, min(l.Size, logMost)))
	s.Buffer(nil, lineMost+utf8.UTFMax)
	no := 1
	s.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		if i := bytes.IndexAny(data, "\r\n"); i >= 0 {
			return i + 1, data[:i+1], nil
		}
		if len(data) >= lineMost || atEOF && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	for s.Scan() {
		ended := bytes.HasSuffix(s.Bytes(), []byte("\n"))
		r.line(readiness.Clean(s.Bytes()), fmt.Sprintf("%s:%d", filepath.Base(l.Path), no))
		if ended {
			no++
		}
	}
	return s.Err()
}

// line takes one in.
func (r *reader) line(line []byte, at string) {
	if len(line) == 0 {
		return
	}
	if text, _, ok := find(r.args, line); ok {
		if r.arguments(text) {
			r.c.From = append(r.c.From, at)
		}
	}
	if r.c.Version == "" {
		if text, _, ok := find(r.vers, line); ok {
			r.c.Version = clip(text)
		}
	}
	text, flag, ok := find(r.choi, line)
	if !ok || len(r.said) == changedMost {
		return
	}
	said := Change{Flag: flag, Said: clip(strings.TrimSpace(text)), At: at}
	if !slices.ContainsFunc(r.said, func(old Change) bool { return old.Said == said.Said }) { // each rank says it
		r.said = append(r.said, said)
	}
}

// arguments reads `a=1, b='x')`, with or without the end, or a dict.
func (r *reader) arguments(text string) bool {
	fields, ok := pyliteral.Entries(text)
	if !ok {
		fields = pyliteral.Arguments(text + ")")
	}
	for _, f := range fields {
		if len(r.c.Args) == argsMost {
			break
		}
		r.c.Args[f.Name] = value(f.Text)
	}
	return len(fields) > 0
}

// address is where an object lies, which is elsewhere in each process.
var address = regexp.MustCompile(` at 0x[0-9a-fA-F]+`)

// value reads a Python expression: a literal, JSON, a dict or call of such, else its text.
func value(text string) any {
	if v, ok := pyliteral.Parse(text); ok {
		return v
	}
	if strings.HasPrefix(text, "{") {
		var v map[string]any
		if json.Unmarshal([]byte(text), &v) == nil {
			return v
		}
		fields, _ := pyliteral.Entries(text)
		return members(fields)
	}
	if name, body, ok := strings.Cut(text, "("); ok && strings.HasSuffix(text, ")") && isName(name) {
		if fields := pyliteral.Arguments(body); len(fields) > 0 {
			return members(fields)
		}
	}
	return clip(address.ReplaceAllString(text, ""))
}

func members(fields []pyliteral.Field) map[string]any {
	out := make(map[string]any, len(fields))
	for _, f := range fields {
		out[f.Name] = value(f.Text)
	}
	return out
}

var name = regexp.MustCompile(`^[A-Za-z_][\w.]*$`)

func isName(s string) bool { return name.MatchString(s) }

// clip bounds a text, at a whole character.
func clip(s string) string {
	if len(s) <= textMost {
		return s
	}
	cut := textMost
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// late tells whether a value is known to the run only, or to the shell of a script.
func late(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "$`") })
}

// compare finds the flags that the engine sets otherwise than asked, and puts what it said beside
// them; then what it said of others.
func (c *Config) compare(asked map[string][]string, said []Change) {
	agreed := map[string]bool{}
	for _, flag := range sorted(asked) {
		arg, turned, ok := c.argument(flag)
		if !ok {
			continue
		}
		words := asked[flag]
		if late(words) || agrees(words, c.Args[arg], turned) {
			agreed[arg] = true
			continue
		}
		text := strings.Join(words, " ")
		if text == "" {
			text = written(!turned)
		}
		ch := Change{Flag: arg, Asked: clip(text), Is: clip(written(c.Args[arg]))}
		if i := slices.IndexFunc(said, func(s Change) bool { return s.Flag == arg }); i >= 0 {
			ch.Said, ch.At = said[i].Said, said[i].At
			said = slices.Delete(slices.Clone(said), i, i+1)
		}
		c.Changed = append(c.Changed, ch)
	}
	for _, s := range said {
		if agreed[s.Flag] { // "Enforce eager set": as it was told
			continue
		}
		if v, ok := c.Args[s.Flag]; ok {
			s.Is = clip(written(v))
		}
		c.Changed = append(c.Changed, s)
	}
}

// argument finds the argument that a flag sets: its own name, the one that the profile knows, the
// only one that begins with it (argparse takes prefixes), or the one that "no_" turns off.
func (c *Config) argument(flag string) (arg string, turned, ok bool) {
	if arg, ok := c.Names[flag]; ok {
		if _, known := c.Args[arg]; known {
			return arg, false, true
		}
	}
	if _, ok := c.Args[flag]; ok {
		return flag, false, true
	}
	if rest, no := strings.CutPrefix(flag, "no_"); no {
		if _, ok := c.Args[rest]; ok {
			return rest, true, true
		}
	}
	if len(flag) < 2 {
		return "", false, false
	}
	for name := range c.Args {
		if strings.HasPrefix(name, flag) {
			if arg != "" {
				return "", false, false
			}
			arg = name
		}
	}
	return arg, false, arg != ""
}
