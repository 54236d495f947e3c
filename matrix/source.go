package matrix

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"servematrix/secret"
)

// source is one sweep file while it is read: its text and what is wrong with it.
// Everything that loads a part of the sweep reports to it and goes on, so that
// all problems are found in one pass.
type source struct {
	file     string
	text     []byte
	lines    []string
	opt      Options
	problems Problems
	reported map[string]bool
	errors   int // how many of the problems are errors

	secretNames []string        // further names that the sweep calls secret
	secret      map[string]bool // which names are secret, once asked: every variant asks again
}

func newSource(file string, text []byte, opt Options) *source {
	return &source{file: file, text: text, lines: splitLines(text), opt: opt, reported: map[string]bool{}, secret: map[string]bool{}}
}

// report keeps a problem, once: an alias meets the same mistake again.
func (s *source) report(p Problem) { s.reportOnce(p, p.Message) }

// reportRow keeps a problem of an expanded row, once for each place and rule: a
// thousand rows meet the same mistake, each with words of its own.
func (s *source) reportRow(p Problem) { s.reportOnce(p, "") }

func (s *source) reportOnce(p Problem, what string) {
	if p.Severity == "" {
		p.Severity = Error
	}
	key := p.Pos.String() + " " + p.Rule + " " + what
	if s.reported[key] {
		return
	}
	s.reported[key] = true
	if p.Severity == Error {
		s.errors++
	}
	s.problems = append(s.problems, p)
}

// isSecret tells whether the value of a variable of this name is a secret.
func (s *source) isSecret(name string) bool {
	is, known := s.secret[name]
	if !known {
		is = secret.IsSecretName(name, s.secretNames)
		s.secret[name] = is
	}
	return is
}

// fail reports an error at a node.
func (s *source) fail(n *yaml.Node, rule, suggestion, format string, args ...any) {
	s.report(Problem{Pos: s.pos(n), Len: s.width(n), Rule: rule, Message: fmt.Sprintf(format, args...), Suggestion: suggestion})
}

// warn reports a warning at a node.
func (s *source) warn(n *yaml.Node, rule, suggestion, format string, args ...any) {
	s.report(Problem{Pos: s.pos(n), Len: s.width(n), Severity: Warning, Rule: rule, Message: fmt.Sprintf(format, args...), Suggestion: suggestion})
}

func (s *source) pos(n *yaml.Node) Pos { return Pos{s.file, max(n.Line, 1), max(n.Column, 1)} }

// width is the number of characters to underline for a node.
func (s *source) width(n *yaml.Node) int {
	if n.Kind != yaml.ScalarNode || strings.Contains(n.Value, "\n") {
		return 1
	}
	if p := s.align(n); len(p) > 0 {
		if first, last := p[0], p[len(p)-1]; first.Line == last.Line {
			return last.Col - max(n.Column, 1) + 1
		}
		return len([]rune(s.line(n.Line))) - n.Column + 1
	}
	return 1
}

// line is the text of a line, counted from 1.
func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

// parse reads the one document of the sweep; nil after reporting what is wrong.
func (s *source) parse() *yaml.Node {
	if !utf8.Valid(s.text) && !bytes.HasPrefix(s.text, []byte("\xff\xfe")) && !bytes.HasPrefix(s.text, []byte("\xfe\xff")) {
		for i, line := range bytes.Split(s.text, []byte("\n")) {
			if good := bytes.ToValidUTF8(line, nil); len(good) != len(line) {
				col := 1
				for len(line) > 0 {
					r, size := utf8.DecodeRune(line)
					if r == utf8.RuneError && size == 1 {
						break
					}
					line, col = line[size:], col+1
				}
				s.report(Problem{Pos: Pos{s.file, i + 1, col}, Rule: "yaml", Message: "this is not UTF-8 text", Suggestion: "save the file as UTF-8"})
				return nil
			}
		}
	}
	dec := yaml.NewDecoder(bytes.NewReader(s.text))
	doc, err := decode(dec)
	if errors.Is(err, io.EOF) || err == nil && (len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null") {
		s.report(Problem{Pos: Pos{s.file, 1, 1}, Rule: "empty-file", Message: "the sweep is empty",
			Suggestion: "a sweep has at least version: 1, server: and client:; `servematrix init` writes one"})
		return nil
	}
	if err != nil {
		s.report(s.yamlProblem(err))
		return nil
	}
	if second, err := decode(dec); err == nil {
		s.report(Problem{Pos: Pos{s.file, max(second.Line, 1), 1}, Rule: "documents", Message: "a second YAML document begins here; a sweep is one document",
			Suggestion: "put it into a file of its own"})
		return nil
	} else if !errors.Is(err, io.EOF) {
		s.report(s.yamlProblem(err))
		return nil
	}
	root := doc.Content[0]
	if _, ok := s.expandedSize(root, map[*yaml.Node]int{}); !ok {
		return nil
	}
	return root
}

// decode reads one document; a panic of the library on a broken text is an error too.
func decode(dec *yaml.Decoder) (doc *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	doc = &yaml.Node{}
	return doc, dec.Decode(doc)
}

// maxExpanded bounds the nodes that aliases may stand for, against a small file
// that expands into a huge one.
const maxExpanded = 1_000_000

// expandedSize counts nodes with every alias written out; false after reporting
// an alias that stands inside its own anchor, or too many nodes.
func (s *source) expandedSize(n *yaml.Node, known map[*yaml.Node]int) (int, bool) {
	const inProgress = -1
	if size, ok := known[n]; ok {
		if size == inProgress {
			s.fail(n, "alias", "", "this anchor holds an alias of itself")
			return 0, false
		}
		return size, true
	}
	known[n] = inProgress
	size := 1
	parts := n.Content
	if n.Kind == yaml.AliasNode {
		parts = []*yaml.Node{n.Alias}
	}
	for _, c := range parts {
		add, ok := s.expandedSize(c, known)
		if !ok {
			return 0, false
		}
		if size += add; size > maxExpanded {
			s.fail(n, "alias", "", "with its aliases written out the sweep has more than %d values", maxExpanded)
			return 0, false
		}
	}
	known[n] = size
	return size, true
}

var yamlLine = regexp.MustCompile(`^(yaml: )?(line \d+: )?`)

// yamlProblem turns an error of the YAML parser into a problem. Its line is the
// start of what it was reading, or missing; the place where the text goes wrong
// is found by parsing ever smaller beginnings of it.
func (s *source) yamlProblem(err error) Problem {
	message := yamlLine.ReplaceAllString(err.Error(), "")
	text := strings.Join(s.lines, "\n")
	if name, ok := strings.CutPrefix(message, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		p := Problem{Rule: "alias", Message: fmt.Sprintf("no anchor &%s stands before this alias", name), Len: len(name) + 1}
		p.Pos = s.offsetPos(text, max(strings.Index(text, "*"+name), 0))
		return p
	}
	runes := []rune(text)
	n := sort.Search(len(runes), func(n int) bool {
		_, err := decode(yaml.NewDecoder(strings.NewReader(string(runes[:n+1]))))
		return err != nil && yamlLine.ReplaceAllString(err.Error(), "") == message
	})
	p := Problem{Rule: "yaml", Message: "broken YAML: " + message}
	p.Pos = s.offsetPos(text, len(string(runes[:min(n, max(len(runes)-1, 0))])))
	line := s.line(p.Line)
	switch indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]; {
	case strings.Contains(indent, "\t"):
		p.Col, p.Suggestion = strings.Index(indent, "\t")+1, "YAML is indented with spaces, never with tabs"
	case strings.Contains(line, "${{") && strings.HasPrefix(message, "did not find expected ','"):
		p.Col, p.Len = len([]rune(line[:strings.Index(line, "${{")]))+1, 3
		p.Suggestion = `inside [ ] and { } a text with ${{ … }} needs quotes around it: "${{ … }}"`
	case message == "did not find expected key" || strings.HasPrefix(message, "did not find expected '-'"):
		p.Col, p.Suggestion = len(indent)+1, "its neighbours are indented otherwise, or a quote ends too early"
	case strings.HasPrefix(message, "mapping values are not allowed"):
		p.Suggestion = `a text that holds ": " needs quotes around it`
	case strings.HasPrefix(message, "found character that cannot start any token"):
		p.Suggestion = "a text that begins with @, ` or % needs quotes around it"
	case strings.HasPrefix(message, "found unexpected end of stream"):
		p.Suggestion = "a quote that is opened must be closed"
	}
	return p
}

// offsetPos is the place of a byte of the text.
func (s *source) offsetPos(text string, off int) Pos {
	before := text[:off]
	start := strings.LastIndexByte(before, '\n') + 1
	return Pos{s.file, strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1}
}
