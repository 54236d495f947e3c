package result

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the text form. Both Python clients rule their blocks at 50 columns, vLLM's Rust
// client at 60; a combined report rules its sections at 100, which ends a block that was cut.
const (
	minRule, maxRule = 20, 90
	maxLabel         = 120
	valueColumn      = 38  // labels are padded to 40 columns
	maxNoise         = 100 // other lines within a block, before it counts as cut
)

var expectedTokens = regexp.MustCompile(`^#(Input|Output) tokens:\s*(\d+)$`)

// ParseText gives every result block found in a client's output, in order. A block that ends
// before its closing rule is Partial; a last row that may be cut off within its number is left
// out. The configuration of a block is what the Namespace(...) lines before it say.
func ParseText(r io.Reader) ([]*Measurement, error) {
	var p textParser
	return p.read(r, p.line)
}

// read hands each line of a client's output to take and gives what was found.
func (p *textParser) read(r io.Reader, take func(line string, ended bool)) ([]*Measurement, error) {
	lines := newLineReader(r)
	for {
		line, ended, err := lines.next()
		if errors.Is(err, io.EOF) {
			return p.end(), nil
		}
		if err != nil {
			return p.end(), fmt.Errorf("read client output: %w", err)
		}
		take(line, ended)
	}
}

// textParser takes lines one by one, so that the reader of combined reports can share it.
type textParser struct {
	found  []*Measurement
	config map[string]any // of Namespace lines since the last block
	block  *textBlock     // the block being read
}

// textBlock is a block under way. After its closing rule it stays open for the steady-state
// section that vLLM's Rust client appends.
type textBlock struct {
	m       *Measurement
	section string
	parent  string // the last label without indent
	closed  bool
	partial bool // the client says itself that it was interrupted
	steady  bool // within the appended section
	noise   int  // lines since the last row that belong to no block
	marks   map[string]bool
}

func (p *textParser) end() []*Measurement {
	p.finish()
	return p.found
}

func (p *textParser) finish() {
	b := p.block
	p.block = nil
	if b == nil || len(b.m.Metrics) == 0 {
		return
	}
	b.m.Partial = !b.closed || b.partial
	b.m.Client = b.client()
	b.m.complete()
	p.found = append(p.found, b.m)
}

func (p *textParser) line(line string, ended bool) {
	text := strings.TrimSpace(line)
	if title, ok := framed(text, '='); ok && strings.Contains(strings.ToLower(title), "benchmark result") {
		p.finish()
		p.block = newTextBlock(p.config)
		p.config = nil
		return
	}
	if findNamespace(text) >= 0 {
		p.namespace(text)
		return
	}
	if p.block == nil {
		p.outside(text)
		return
	}
	if !p.block.line(line, text, ended) {
		p.finish()
		p.outside(text)
	}
}

// namespace remembers the arguments that a client says it was started with. The second line,
// as resolved, corrects the first. Within an open block it means that another client began.
func (p *textParser) namespace(text string) {
	p.finish()
	config, err := parseNamespace(text)
	if err != nil {
		return
	}
	if p.config == nil {
		p.config = map[string]any{}
	}
	maps.Copy(p.config, config)
}

// outside reads what SGLang prints before its block: how many tokens the run will ask for.
func (p *textParser) outside(text string) {
	m := expectedTokens.FindStringSubmatch(text)
	if m == nil {
		return
	}
	if n, err := strconv.ParseInt(m[2], 10, 64); err == nil {
		if p.config == nil {
			p.config = map[string]any{}
		}
		p.config["expected_"+strings.ToLower(m[1])+"_tokens"] = n
	}
}

func newTextBlock(config map[string]any) *textBlock {
	m := newMeasurement("text")
	maps.Copy(m.Config, config)
	return &textBlock{m: m, marks: map[string]bool{}}
}

// line takes one line and tells whether the block goes on.
func (b *textBlock) line(line, text string, ended bool) bool {
	switch {
	case text == "":
		return !b.steady
	case isRule(text):
		if len(text) > maxRule {
			return false
		}
		if b.closed && !b.steady {
			return false
		}
		b.closed, b.steady = true, false
		return true
	}
	if title, ok := framed(text, '-'); ok {
		return b.head(title)
	}
	if title, ok := framed(text, '='); ok {
		return b.head(title)
	}
	if b.closed && !b.steady {
		return false
	}
	if b.row(line, ended) {
		b.noise = 0
		return true
	}
	b.noise++
	return b.noise < maxNoise && !b.steady
}

// head begins a section. After the closing rule only the steady-state section is the block's.
func (b *textBlock) head(title string) bool {
	if b.closed {
		if !strings.Contains(strings.ToLower(title), "steady") && !b.steady {
			return false
		}
		b.steady = true
	}
	b.section, b.parent = title, ""
	b.marks["section "+title] = true
	return true
}

// row takes one "label: value" line, or reports that the line is none.
func (b *textBlock) row(line string, ended bool) bool {
	label, value, column, ok := splitRow(line)
	if !ok {
		return false
	}
	indented := unicode.IsSpace(rune(line[0]))
	if !indented {
		b.parent = label
	}
	if value == "" {
		return true // a heading of the rows below, or cut off
	}
	if !ended {
		return true // the number may be cut off
	}
	f, places, numeric := parseNumber(value)
	name, factor, known := textMetric(label)
	if !numeric && !known && column < valueColumn && utf8.RuneCountInString(label) < valueColumn {
		return false // a log line that got between
	}
	base, _ := splitUnit(label)
	b.marks[base] = true
	if _, taken := b.m.Metrics[name]; known && numeric && !b.steady && !taken {
		b.metric(name, label, f*factor, places, factor)
		return true
	}
	b.other(label, value, f, numeric, known, indented, places)
	return true
}

func (b *textBlock) metric(name, label string, f float64, places int, factor float64) {
	b.m.Metrics[name] = f
	if places >= 0 {
		half := 0.5 * factor
		for range places {
			half /= 10
		}
		b.m.halfUnit[name] = half
	}
	if !finite(f) && name == "request_rate" {
		b.m.addExtra(spell(f), label) // null in JSON; here one still reads what was asked
	}
}

// other keeps a row that is no metric of the contract, or the second of its kind.
func (b *textBlock) other(label, value string, f float64, numeric, known, indented bool, places int) {
	lower := strings.ToLower(value)
	switch {
	case strings.EqualFold(label, "backend"):
		b.m.Config["backend"] = value
		return
	case strings.EqualFold(label, "server") && lower == "simulated":
		b.m.Simulated = true
		return
	case strings.EqualFold(label, "partial"):
		b.partial = true
		return
	case known && (lower == "not set" || lower == "none" || lower == "n/a"):
		return
	}
	var kept any = redactor.String(value)
	if numeric {
		kept = plain(f, places == 0)
	}
	names := []string{label}
	if b.steady {
		names = nil
	}
	if indented && b.parent != "" {
		names = append(names, b.parent+" / "+label)
	}
	if b.section != "" {
		names = append(names, b.section+" / "+label)
	}
	if len(names) == 0 {
		names = []string{label}
	}
	b.m.addExtra(kept, names...)
}

// client tells by its labels who printed the block.
func (b *textBlock) client() string {
	if b.marks["backend"] && b.marks["failed requests"] {
		return ClientServematrix // SGLang's layout with the row that it lacks
	}
	for _, mark := range []string{"backend", "traffic request rate", "total generated tokens (retokenized)",
		"max reqeuest concurrency", "max request concurrency", "mean e2e latency", "input token throughput"} {
		if b.marks[mark] {
			return ClientSGLang
		}
	}
	for _, mark := range []string{"failed requests", "maximum request concurrency", "request rate configured",
		"mean e2el", "request goodput", "section Inter-token Latency"} {
		if b.marks[mark] {
			return ClientVLLM
		}
	}
	return ""
}
