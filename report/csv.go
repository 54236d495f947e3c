package report

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
)

// CSV draws results.csv: one line per sample, oldest first, under a head; docs/reference/results.md
// describes each column. An empty field is null.
func CSV(w io.Writer, folder journal.Folder) error {
	t, err := tallyOf(folder)
	if err != nil {
		return err
	}
	t.samples = true
	out := csv.NewWriter(w)
	columns := columnsOf(t)
	if err := out.Write(columns.head()); err != nil {
		return err
	}
	row := func(s *result.Sample) ([]string, error) { return columns.row(s), nil }
	drawn := drawSamples(t, row, out.Write)
	out.Flush()
	return cmp.Or(out.Error(), drawn)
}

// JSONL draws results.jsonl: one object per sample, oldest first.
func JSONL(w io.Writer, folder journal.Folder) error {
	t, err := tallyOf(folder)
	if err != nil {
		return err
	}
	t.samples = true
	out := bufio.NewWriterSize(w, 64<<10)
	line := func(s *result.Sample) ([]byte, error) { return s.MarshalJSON() }
	err = drawSamples(t, line, func(line []byte) error {
		_, err := out.Write(append(line, '\n'))
		return err
	})
	return cmp.Or(out.Flush(), err)
}

// csvColumns are the columns that depend on the plan: the names of all its axes, in the order
// in which it first names them, and behind them those that only a former plan of the run has.
type csvColumns struct {
	server, client []string
	source         bool // of an import
}

func columnsOf(t *tally) csvColumns {
	c := csvColumns{source: t.plan.Imported != nil}
	for _, plan := range append([]*matrix.Plan{t.plan}, t.former...) {
		for _, s := range plan.Servers {
			c.server = addAxes(c.server, s.Axes)
		}
		for _, w := range plan.Clients {
			c.client = addAxes(c.client, w.Axes)
		}
	}
	return c
}

func addAxes(names []string, axes matrix.Axes) []string {
	for _, a := range axes {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	return names
}

func (c csvColumns) head() []string {
	head := []string{"run", "cell", "block", "attempt", "status", "failure_class", "failure_message", "server"}
	for _, a := range c.server {
		head = append(head, "server."+a)
	}
	head = append(head, "client")
	for _, a := range c.client {
		head = append(head, "client."+a)
	}
	head = append(head, "simulated")
	head = append(head, metric.Names()...)
	head = append(head, "other_metrics", "extra", "valid", "validity_reasons", "validity_details", "failure_phase", "failure_file", "failure_line")
	for _, phase := range csvPhases {
		head = append(head, phase+"_time", phase+"_s")
	}
	head = append(head, "server_id", "server_command", "client_id", "client_command")
	if c.source {
		head = append(head, "source")
	}
	return head
}

// csvPhases are the phases whose begin has columns, in the order in which they come.
var csvPhases = []string{"start", "ready", "client", "client_end"}

// row gives a sample's fields, each one line that no spreadsheet computes.
func (c csvColumns) row(s *result.Sample) []string {
	row := append(make([]string, 0, 96), s.Run, s.Cell, counted(s.Block), counted(s.Attempt), s.Status)
	f := s.Failure
	if f == nil {
		f = &result.Failure{}
	}
	row = append(row, f.Class, f.Message)
	row = sideFields(row, s.Server, c.server)
	row = sideFields(row, s.Client, c.client)
	row = append(row, strconv.FormatBool(s.Simulated))
	for _, name := range withColumn {
		row = append(row, shortOrNone(s.Metrics, name))
	}
	row = append(row, otherMetrics(s.Metrics), asJSON(s.Extra))
	row = append(row, validityFields(s.Validity)...)
	row = append(row, f.Phase, f.File, counted(f.Line))
	for _, phase := range csvPhases {
		if at, ok := s.Times[phase]; ok {
			row = append(row, at.Start.Format(time.RFC3339Nano), short(at.Since))
		} else {
			row = append(row, "", "")
		}
	}
	for _, side := range []*result.Side{s.Server, s.Client} {
		if side == nil {
			side = &result.Side{}
		}
		row = append(row, side.ID, commandLine(nil, side.Env, side.Argv))
	}
	if c.source {
		row = append(row, sourceOf(s.Source))
	}
	for i, field := range row {
		row[i] = text(field)
	}
	return row
}

func sideFields(row []string, side *result.Side, axes []string) []string {
	if side == nil {
		return append(row, make([]string, 1+len(axes))...)
	}
	row = append(row, side.Name)
	for _, name := range axes {
		value, _ := side.Axes.Get(name)
		row = append(row, value)
	}
	return row
}

// validityFields are the verdict of the gate, the codes of its findings, and these in words.
func validityFields(v *result.Validity) []string {
	if v == nil {
		return []string{"", "", ""}
	}
	var codes, details []string
	for _, r := range v.Reasons {
		if !slices.Contains(codes, r.Reason) {
			codes = append(codes, r.Reason)
		}
		details = append(details, r.Reason+" ("+r.Severity+"): "+r.Detail)
	}
	return []string{strconv.FormatBool(v.OK), strings.Join(codes, " "), strings.Join(details, "; ")}
}

// withColumn are the metrics that have a column.
var withColumn = metric.Names()

// otherMetrics are those that have no column of their own, as JSON: further percentiles.
func otherMetrics(all *metric.Values) string {
	names := all.Names() // those with a column first
	if n := len(names); n == 0 || slices.Contains(withColumn, names[n-1]) {
		return ""
	}
	others := map[string]any{}
	for _, name := range names {
		if v, ok := all.Get(name); ok && !slices.Contains(withColumn, name) {
			others[name] = v
		}
	}
	return asJSON(others)
}

// asJSON writes an object, and an empty one as an empty field.
func asJSON(object map[string]any) string {
	if len(object) == 0 {
		return ""
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(object); err != nil { // no sample that was read from JSON holds what JSON cannot
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// formula is how a field begins that a spreadsheet would compute, the wide forms included.
const (
	formulaASCII = "=+-@"
	formula      = formulaASCII + "＝＋－＠"
)

// numeral is a number that is to stay one.
var numeral = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// text is a field of one line that no spreadsheet computes. RFC 4180 knows no such fields, so
// that every reader but a spreadsheet has to take the apostrophe off again; docs/reference/results.md says so.
func text(s string) string {
	s = visible(s)
	if s == "" || s[0] < utf8.RuneSelf && strings.IndexByte(formulaASCII, s[0]) < 0 { // as most are
		return s
	}
	if first, _ := utf8.DecodeRuneInString(s); strings.ContainsRune(formula, first) && !numeral.MatchString(s) {
		return "'" + s
	}
	return s
}

// short writes a number with as many digits as it has.
func short(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func shortOrNone(values *metric.Values, name string) string {
	if v, ok := values.Get(name); ok {
		return short(v)
	}
	return ""
}

// counted writes a number that counts from 1; 0 is null.
func counted(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
