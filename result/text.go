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

// ParseText gives every result found in a client's output, in order: blocks, and lines that are
// the client's JSON (one that says what the block before it says completes that block's result).
// A block that ends before its closing rule is Partial; a last row that may be cut off within its
// number is left out. The configuration of a block is what the Namespace(...) lines before it
// say. A block may stand behind a prefix that a launcher or collector of logs gave each line.
func ParseText(r io.Reader) ([]*Measurement, error) {
	var p textParser
	return p.read(r)
}

// read reads a client's output and gives what was found.
func (p *textParser) read(r io.Reader) ([]*Measurement, error) {
	lines := newLineReader(r)
	for {
		line, ended, err := lines.next()
		if errors.Is(err, io.EOF) {
			return p.end(), nil
		}
		if err != nil {
			return p.end(), fmt.Errorf("read client output: %w", err)
		}
		p.at = lines.no
		p.line(line, ended)
	}
}

// textParser takes lines one by one, so that the reader of combined reports can share it.
type textParser struct {
	found  []*Measurement
	config map[string]any // of Namespace lines since the last block
	block  *textBlock     // the block being read
	at     int            // the number of the line that line takes next
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
	prefix  string // shape of what stands before each line of the block
	offline bool   // no server was measured
	unclear []row  // rows whose number can be read in two ways
	signs   signs
}

func (p *textParser) end() []*Measurement {
	p.finish()
	return p.found
}

func (p *textParser) finish() {
	b := p.block
	p.block = nil
	if b == nil {
		return
	}
	b.decide()
	if b.m.Metrics.Len() == 0 {
		return
	}
	b.m.Partial = !b.closed || b.partial
	b.m.Client = b.client()
	b.m.complete()
	p.found = append(p.found, b.m)
}

func (p *textParser) line(line string, ended bool) {
	if at := headerAt(line); at >= 0 {
		p.finish()
		p.block = newTextBlock(p.config)
		p.block.m.at.Line = p.at
		p.block.prefix = shape(line[:at])
		p.block.offline = strings.Contains(line[at:], "Offline")
		p.config = nil
		return
	}
	if p.block != nil {
		line = p.block.bare(line)
	}
	text := strings.TrimSpace(line)
	if args := clientArguments(text); args != "" {
		p.namespace(args)
		return
	}
	if strings.HasPrefix(text, `{"`) && p.json(text) {
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

// json takes a line that is a client's JSON, or reports that it is none.
func (p *textParser) json(text string) bool {
	found, err := ParseJSON(strings.NewReader(text))
	if err != nil || len(found) == 0 {
		return false
	}
	p.finish()
	if n := len(p.found); n > 0 && p.found[n-1].Source == "text" && len(found) == 1 && sameResult(found[0], p.found[n-1]) {
		began := p.found[n-1].at
		p.found[n-1] = join(found[0], p.found[n-1])
		p.found[n-1].at = began
		return true
	}
	for _, m := range found {
		m.at.Line = p.at
	}
	p.found = append(p.found, found...)
	return true
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

// row is one "label: value" line, with where it stands.
type row struct {
	label, value    string
	section, parent string
	indented        bool
	steady          bool
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
	style := written(value)
	b.signs = b.signs.with(value, style)
	_, _, known := textMetric(label)
	if !numeric && style == notNumber && !known && column < valueColumn && utf8.RuneCountInString(label) < valueColumn {
		return false // a log line that got between
	}
	base, _ := splitUnit(label)
	b.marks[base] = true
	r := row{label, value, b.section, b.parent, indented, b.steady}
	if style.localized() {
		b.unclear = append(b.unclear, r)
		return true
	}
	b.keep(r, f, places, numeric)
	return true
}

// keep puts a row's number where it belongs.
func (b *textBlock) keep(r row, f float64, places int, numeric bool) {
	name, factor, known := textMetric(r.label)
	if _, taken := b.m.Metrics.Known(name); known && numeric && !r.steady && !taken {
		b.metric(name, r.label, f*factor, places, factor)
		return
	}
	b.other(r, f, numeric, known, places)
}

// decide reads the rows whose numbers are written as some country does, once the others have
// shown how. What stays unclear is left out, and said.
func (b *textBlock) decide() {
	for _, r := range b.unclear {
		f, places, ok := b.signs.read(r.value)
		if ok {
			b.keep(r, f, places, true)
			continue
		}
		b.m.Extra[r.label] = redactor.String(r.value)
		b.m.Findings = append(b.m.Findings, Reason{NoMetrics, SeverityWarning, fmt.Sprintf("%s: %q can be read in two ways, so it was not read", r.label, r.value)})
	}
}

func (b *textBlock) metric(name, label string, f float64, places int, factor float64) {
	b.m.Metrics.Set(name, f)
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
func (b *textBlock) other(r row, f float64, numeric, known bool, places int) {
	lower := strings.ToLower(r.value)
	switch {
	case strings.EqualFold(r.label, "backend"):
		b.m.Config["backend"] = r.value
		return
	case strings.EqualFold(r.label, "server") && lower == "simulated":
		b.m.Simulated = true
		return
	case strings.EqualFold(r.label, "partial"):
		b.partial = true
		return
	case strings.EqualFold(r.label, "client bottleneck"):
		b.m.Findings = append(b.m.Findings, bottleneck(r.value))
		return
	case known && (lower == "not set" || lower == "none" || lower == "n/a"):
		return
	}
	var kept any = redactor.String(r.value)
	if numeric {
		kept = plain(f, places == 0)
	}
	names := []string{r.label}
	if r.steady {
		names = nil
	}
	if r.indented && r.parent != "" {
		names = append(names, r.parent+" / "+r.label)
	}
	if r.section != "" {
		names = append(names, r.section+" / "+r.label)
	}
	if len(names) == 0 {
		names = []string{r.label}
	}
	b.m.addExtra(kept, names...)
}
