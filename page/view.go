package page

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
)

// view is Data with what the templates show of it worked out.
type view struct {
	Data      *Data
	Lang      string
	Name, Run string
	JSON      template.JS

	Headline    template.HTML
	Tone        string // good, bad or open
	Tally       []statusCount
	GateWord    string
	Took        string
	Began, Last string
	First       *abView
	Statuses    []string
	Troubles    []Trouble // the first kinds
	Doubts      []Trouble
	Sections    []section
	Comparisons []*abView
	Figures     []*figure
	Large       bool // what is out of sight is laid out later
	Columns     []column
	Rows        []cellRow

	terms []Text // words of the charts, in both languages
}

type statusCount struct {
	Status string
	N      int
}

// section is an entry of the page's table of contents.
type section struct {
	ID, Word string
	Count    int
}

func never() error { return nil }

// viewUntil gives the view unless halt, asked between its parts, ends that.
func viewUntil(d *Data, halt func() error) (*view, error) {
	v := &view{Data: d, Lang: "en", Name: d.Name, Run: d.Run, Large: len(d.Cells) > pointsMost, GateWord: "gate.normal"}
	if d.Lang == "zh" {
		v.Lang = "zh"
	}
	if d.Gate == "strict" {
		v.GateWord = "gate.strict"
	}
	c := d.Counts
	for _, s := range []statusCount{{"ok", c.OK}, {"failed", c.Failed}, {"invalid", c.Invalid}, {"skipped", c.Skipped}, {"interrupted", c.Interrupted}, {"missing", c.Missing}, {"former", c.Former}} {
		if s.N > 0 {
			v.Tally = append(v.Tally, s)
		}
	}
	v.Took = duration(d.Span.Took)
	if !d.Span.Began.IsZero() {
		v.Began, v.Last = stamp(d.Span.Began), stamp(d.Span.Last)
		if v.Began[:10] == v.Last[:10] {
			v.Last = v.Last[11:]
		}
	}
	v.Statuses = statusesOf(d.Cells)
	v.Troubles, v.Doubts = d.Troubles[:min(len(d.Troubles), troublesMost)], d.Doubts[:min(len(d.Doubts), troublesMost)]
	for _, part := range []func() error{v.headline, v.compare, v.draw, v.tables, v.embed} {
		if err := halt(); err != nil {
			return nil, err
		}
		if err := part(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (v *view) tables() error {
	v.table()
	v.contents()
	return nil
}

// embed takes in the data for the script, with the words that the charts used.
func (v *view) embed() error {
	data, err := embedded(v.Data, v.terms)
	v.JSON = template.JS(data)
	return err
}

func (v *view) headline() (err error) {
	c := v.Data.Counts
	total := c.Total()
	switch {
	case total == 0 && v.Data.State == Empty:
		v.Tone = "open"
		v.Headline, err = say("nothing.yet")
	case total == 0:
		v.Tone = "open"
		v.Headline, err = say("nothing")
	case c.OK == total:
		v.Tone = "good"
		v.Headline, err = say("all.ok", total)
	case c.OK == 0 && c.Missing < total:
		v.Tone = "bad"
		v.Headline, err = say("none.ok", total)
	default:
		v.Tone = "open"
		if c.Failed+c.Invalid+c.Skipped > 0 {
			v.Tone = "bad"
		}
		v.Headline, err = say("some.ok", c.OK, total)
	}
	return err
}

// contents lists the sections that the page has.
func (v *view) contents() {
	add := func(there bool, id string, count int) {
		if there {
			v.Sections = append(v.Sections, section{id, id, count})
		}
	}
	d := v.Data
	add(len(d.Troubles) > 0, "failures", len(d.Troubles))
	add(len(v.Comparisons) > 0, "ab", 0)
	for _, f := range v.Figures {
		add(true, f.ID, 0)
	}
	add(len(d.Servers.Rows)+len(d.Servers.Notes) > 0, "differences", len(d.Servers.Rows))
	add(len(d.Replaced) > 0, "replaced", 0)
	add(len(d.Warnings)+len(d.Doubts) > 0, "warnings", len(d.Warnings)+len(d.Doubts))
	add(true, "cells", len(d.Cells))
}

// statuses in the order in which a filter offers them.
var statuses = []string{"ok", "failed", "invalid", "skipped", "interrupted", "missing"}

func statusesOf(cells []Cell) (out []string) {
	known := map[string]bool{}
	for _, c := range cells {
		known[c.Status] = true
	}
	for _, s := range statuses {
		if known[s] {
			out = append(out, s)
		}
	}
	return out
}

// troublesMost is how many kinds of failure, and of doubt, a page tells.
const troublesMost = 100

// hitsMost is how many cells of one trouble are named.
const hitsMost = 12

// inPhase says in which phase something befell a cell.
func inPhase(name string) Text {
	phase, known := words[name]
	if !known {
		phase = Text{name, name}
	}
	w := words["phase"]
	return Text{fmt.Sprintf(w.EN, phase.EN), fmt.Sprintf(w.ZH, phase.ZH)}
}

func few(rows []Hit) []Hit { return rows[:min(len(rows), hitsMost)] }
func over(rows []Hit) int  { return max(0, len(rows)-hitsMost) }

// cellsOf gives the cells of a trouble for the filter.
func cellsOf(t Trouble) string {
	var b strings.Builder
	last := -1
	for _, r := range t.Rows {
		if r.Cell >= 0 && r.Cell != last {
			b.WriteString(strconv.Itoa(r.Cell) + " ")
			last = r.Cell
		}
	}
	return strings.TrimSuffix(b.String(), " ")
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// duration writes hours, minutes and seconds as people do.
func duration(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	switch {
	case d <= 0:
		return "–"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %02d min", s/3600, s%3600/60)
}
