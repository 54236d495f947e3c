package reference

import (
	"cmp"
	"math"

	"servematrix/compare"
	"servematrix/effective"
	"servematrix/result"
	"servematrix/stats"
)

// Run is what is held against a reference.
type Run struct {
	// Name is the run as the user named it.
	Name string
	// Samples are all its samples, oldest first.
	Samples []*result.Sample
	// Cells are the ids of the plan's cells, in its order; nil where there is no plan. Of cells
	// that are equally near the first is taken.
	Cells []string
	// Around gives what is known around a sample besides its commands; it may be nil.
	Around func(*result.Sample) Around
}

// Around is what is known around a sample besides its commands.
type Around struct {
	// Devices are the names of the accelerators; none where they are unknown.
	Devices []string
	// Server is what the server really ran with; nil where nobody knows.
	Server *effective.Config
}

// Comparison is a run beside a reference.
type Comparison struct {
	File    *File
	Run     string
	Matches []Match
}

// Match is one published result beside the cell of the run that is nearest to it.
type Match struct {
	Result *Result
	// Cell names the cell, server × client; "" where the run has none with a valid sample.
	Cell string
	// Starts is how many server starts the cell was validly measured in; Others, how many more
	// cells are as near.
	Starts, Others int
	// Simulated is true where the numbers here come from the simulated server.
	Simulated  bool
	Conditions []Checked
	Numbers    []Compared
}

// How a condition compares.
const (
	Same     = "same"
	Differs  = "differs"
	Unknown  = "unknown here"
	NotThere = "unstated there"
)

// Checked is one condition there and here. Here is "" where it is unknown.
type Checked struct {
	Name   string `json:"name"`
	There  string `json:"published"`
	Here   string `json:"here"`
	Status string `json:"status"`
}

// Compared is one number there and here.
type Compared struct {
	Metric    string
	Published float64
	Text      string // Published, as it was published
	// IsRatio is true where the number is a ratio of two configurations.
	IsRatio bool
	// Here is the mean over server starts with its 95 % interval; of a ratio the geometric mean.
	// N is 0 where the run has no such number.
	Here stats.Estimate
	// Ratio is Here / Published, Low and High its interval by the run's spread alone; NaN where
	// unknown. The published number's own spread is unknown.
	Ratio, Low, High float64
}

// Count gives how many conditions have a status.
func (m *Match) Count(status string) int {
	n := 0
	for _, c := range m.Conditions {
		if c.Status == status {
			n++
		}
	}
	return n
}

// cell is one server variant under one workload, with its valid starts.
type cell struct {
	compare.Measured
	name  string
	sides sides
}

// Compare holds each result of a reference against the nearest cell of a run.
func Compare(f *File, run Run) *Comparison {
	cells := cellsOf(run)
	c := &Comparison{File: f, Run: run.Name}
	for i := range f.Results {
		r := &f.Results[i]
		if len(r.Metrics) == 0 {
			continue // there only for a ratio to it
		}
		c.Matches = append(c.Matches, match(f, r, cells))
	}
	return c
}

func match(f *File, r *Result, cells []*cell) Match {
	m := Match{Result: r}
	at, others := nearest(f, r, cells)
	if at == nil {
		m.Numbers = numbers(r, nil, nil)
		return m
	}
	m.Cell, m.Starts, m.Others = at.name, at.Starts(), others
	m.Simulated = at.sides.sample.Simulated
	m.Conditions = check(f.conditions(r), &at.sides)
	var base *cell
	if r.RatioTo != "" {
		base, _ = nearest(f, f.result(r.RatioTo), cells)
		if base == at {
			base = nil // the run has only one of the two
		}
	}
	m.Numbers = numbers(r, at, base)
	return m
}

// check compares each condition.
func check(list []Condition, s *sides) []Checked {
	out := make([]Checked, 0, len(list))
	for _, c := range list {
		here, known := s.value(c.Name)
		same := sameText
		if known := lookup(c.Name); known != nil && known.same != nil {
			same = known.same
		}
		checked := Checked{Name: c.Name, There: c.Value, Here: here, Status: Differs}
		switch {
		case c.Value == Unstated:
			checked.Status = NotThere
		case !known:
			checked.Status = Unknown
		case same(c.Value, here):
			checked.Status = Same
		}
		out = append(out, checked)
	}
	return out
}

// numbers compares each number of a result; at is nil where the run has nothing to compare.
func numbers(r *Result, at, base *cell) []Compared {
	var out []Compared
	for _, n := range r.Metrics {
		c := Compared{Metric: n.Metric, Published: n.Value, Text: n.Text, IsRatio: r.RatioTo != "", Ratio: math.NaN(), Low: math.NaN(), High: math.NaN()}
		switch {
		case !c.IsRatio && at != nil:
			c.Here = at.Mean(n.Metric)
		case c.IsRatio && at != nil && base != nil:
			c.Here = ratio(base, at, n.Metric)
		}
		if c.Here.N > 0 {
			c.Ratio, c.Low, c.High = c.Here.Mean/n.Value, c.Here.Low/n.Value, c.Here.High/n.Value
		}
		out = append(out, c)
	}
	return out
}

// ratio gives a metric's ratio of two cells over their starts.
func ratio(base, arm *cell, metric string) stats.Estimate {
	r, ok := arm.Against(&base.Measured, metric)
	if !ok {
		return stats.Estimate{}
	}
	return stats.Estimate{N: r.N, Mean: r.Ratio, SD: r.SD, Low: r.Low, High: r.High}
}

// cellsOf gives the cells of a run that have a valid start.
func cellsOf(run Run) []*cell {
	var all []*cell
	commands := readings{}
	for _, m := range compare.MeasuredOf(run.Samples) {
		c := &cell{Measured: m, name: named(m.Server) + " × " + named(m.Client)}
		c.sides = sides{server: m.Last.Server, client: m.Last.Client, serving: commands.of(m.Last.Server), measuring: commands.of(m.Last.Client), sample: m.Last, starts: m.Starts()}
		if run.Around != nil {
			c.sides.around = run.Around(m.Last)
		}
		all = append(all, c)
	}
	sortByPlan(all, run.Cells)
	return all
}

func named(s *result.Side) string {
	if s == nil {
		return "-"
	}
	return cmp.Or(s.Name, "-")
}
