package report

import (
	"cmp"
	"iter"
	"os"
	"slices"

	"gopkg.in/yaml.v3"

	"servematrix/compare"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
)

// primaryOf is the metric by which a run is judged: what its sweep says, else the load that all its valid
// samples searched for and found, if they did.
func primaryOf(plan *matrix.Plan, found string, said func() bool) string {
	planned := cmp.Or(plan.Compare.Primary, compare.DefaultPrimary)
	if found != "" && planned == compare.DefaultPrimary && !said() {
		return found
	}
	return planned
}

// primarySaid tells whether the sweep says compare.primary: the plan holds the default alike.
func primarySaid(folder journal.Folder) bool {
	text, err := os.ReadFile(folder.Path(journal.SweepFile))
	if err != nil {
		return false // that of an import
	}
	var sweep struct{ Compare map[string]any }
	_ = yaml.Unmarshal(text, &sweep) // it was read when the run was made
	_, said := sweep.Compare["primary"]
	return said
}

// primary is that of the run of these rows.
func (t *tally) primary(rows iter.Seq[*Row]) string {
	found := metric.FoundBy(func(yield func(figures) bool) {
		for row := range rows {
			if row.Status == result.StatusOK && !row.Former && !yield(row.Metrics) {
				return
			}
		}
	})
	return primaryOf(t.plan, found, t.decided)
}

// numbers are the metrics that each table of results shows, in the order of its columns. A column of
// output tokens and one of all tokens: what tok/s counts is always said.
var numbers = []string{
	"output_throughput", "total_throughput", "mean_ttft_ms", "p99_ttft_ms", "mean_tpot_ms", "mean_itl_ms", "mean_e2e_latency_ms",
}

// sometimes are those that a table shows before them where a row has one: what was searched for, and what was asked
// of each request.
var sometimes = append(metric.Found(), "request_goodput")

// shownMetrics are the metrics of a table of these rows, in the order of its columns. That by which the run is
// judged is always among them.
func shownMetrics(rows iter.Seq[*Row], primary string) []string {
	var first []string
	for _, name := range append([]string{primary}, sometimes...) {
		if !slices.Contains(numbers, name) && !slices.Contains(first, name) && (name == primary || anyHas(rows, name)) {
			first = append(first, name)
		}
	}
	return append(first, numbers...)
}

// columnsOf are the metrics of a table of rows.
func (t *tally) columnsOf(rows []Row) []string {
	return shownMetrics(each(rows), t.primary(each(rows)))
}

func anyHas(rows iter.Seq[*Row], name string) bool {
	for row := range rows {
		if _, ok := row.Metrics.Get(name); ok {
			return true
		}
	}
	return false
}

// each gives rows one by one: they are too large to be moved about.
func each(rows []Row) iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		for i := range rows {
			if !yield(&rows[i]) {
				return
			}
		}
	}
}

// rowsOf gives those of cells.
func rowsOf(cells []*repeat) iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		for _, r := range cells {
			for row := range each(r.rows) {
				if !yield(row) {
					return
				}
			}
		}
	}
}

// head is a metric's heading in a table of results.
func (w words) head(name string) string {
	if at := slices.Index(numbers, name); at >= 0 {
		return w.numbers[at]
	}
	if at := slices.Index(sometimes, name); at >= 0 {
		return w.sometimes[at]
	}
	if info, ok := metric.Lookup(name); ok {
		return info.Label
	}
	return visible(name)
}
