package report

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
)

// CSV draws results.csv: one line per sample, oldest first, under a head; docs/results.md
// describes each column. An empty field is null.
func CSV(w io.Writer, folder journal.Folder) error {
	t, err := tallyOf(folder)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	columns := columnsOf(t)
	if err := out.Write(columns.head()); err != nil {
		return err
	}
	err = t.eachSample(func(s *result.Sample) error { return out.Write(columns.row(s)) })
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// JSONL draws results.jsonl: one object per sample, oldest first.
func JSONL(w io.Writer, folder journal.Folder) error {
	t, err := tallyOf(folder)
	if err != nil {
		return err
	}
	return t.eachSample(func(s *result.Sample) error {
		line, err := s.MarshalJSON()
		if err != nil {
			return err
		}
		_, err = w.Write(append(line, '\n'))
		return err
	})
}

// csvColumns are the columns that depend on the plan: the names of all its axes, in the order
// in which it first names them, and behind them those that only a former plan of the run has.
type csvColumns struct{ server, client []string }

func columnsOf(t *tally) csvColumns {
	var c csvColumns
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
	return append(head, metric.Names()...)
}

// formula is how a field begins that a spreadsheet would compute.
const formula = "=+-@"

// text is a free text as a field of one line that no spreadsheet computes.
func text(s string) string {
	s = visible(s)
	if s != "" && strings.ContainsRune(formula, rune(s[0])) {
		return "'" + s
	}
	return s
}

// short writes a number with as many digits as it has.
func short(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (c csvColumns) row(s *result.Sample) []string {
	row := []string{s.Run, s.Cell, counted(s.Block), counted(s.Attempt), s.Status}
	if f := s.Failure; f != nil {
		row = append(row, f.Class, text(f.Message))
	} else {
		row = append(row, "", "")
	}
	row = sideFields(row, s.Server, c.server)
	row = sideFields(row, s.Client, c.client)
	row = append(row, strconv.FormatBool(s.Simulated))
	for _, name := range metric.Names() {
		if v, ok := s.Metrics.Get(name); ok {
			row = append(row, short(v))
		} else {
			row = append(row, "")
		}
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

// counted writes a number that counts from 1; 0 is null.
func counted(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
