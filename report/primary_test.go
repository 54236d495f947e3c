package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/compare"
	"servematrix/journal"
	"servematrix/metric"
	"servematrix/result"
)

// searched is a run whose samples have these metrics, cell by cell.
func searched(t *testing.T, each ...map[string]float64) *run {
	t.Helper()
	return newSample(t, func(r *run) {
		r.begin()
		for cell, values := range each {
			r.attempt("000"+string(rune('1'+cell)), cell, 1, 1, outcome{status: result.StatusOK, metrics: metric.Of(values)})
		}
		r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{OK: len(each)})
	})
}

func found(rate float64) map[string]float64 {
	return map[string]float64{"output_throughput": 100, "p99_ttft_ms": 50, "max_request_rate": rate}
}

func (r *run) primary() string {
	r.t.Helper()
	m, err := MeasurementsOf(r.folder)
	if err != nil {
		r.t.Fatal(err)
	}
	src := m.Source("run")
	d := Page(r.folder, "")
	if page := d.Metrics[d.Primary].Name; page != src.Settings.Primary {
		r.t.Fatal("the page goes by " + page + ", a comparison by " + src.Settings.Primary)
	}
	return src.Settings.Primary
}

// A run is judged by the load that all its samples searched for and found, unless its sweep says by what.
func TestTheLoadThatWasFoundDecides(t *testing.T) {
	all := func() *run { return searched(t, found(8), found(16)) }
	said := func(sweep string) *run {
		r := all()
		r.file(journal.SweepFile, []byte(sweep))
		return r
	}
	other := all()
	other.plan.Compare.Primary = "p99_ttft_ms"
	other.replan()
	for name, c := range map[string]struct {
		run  *run
		want string
	}{
		"all searched":       {all(), "max_request_rate"},
		"another key":        {said("compare: {min_effect: 5%}"), "max_request_rate"},
		"said":               {said("compare:\n  primary: output_throughput\n"), "output_throughput"},
		"another is said":    {other, "p99_ttft_ms"},
		"not all searched":   {searched(t, found(8), map[string]float64{"output_throughput": 100}), "output_throughput"},
		"nothing to be seen": {searched(t), "output_throughput"},
	} {
		if got := c.run.primary(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// What was searched for and the goodput have columns in every table where a sample tells them, and in no other.
func TestColumnsOfWhatSomeClientsTell(t *testing.T) {
	good := found(16)
	good["request_goodput"] = 7.25
	r := searched(t, found(8), good)
	for lang, want := range map[string][]string{
		"en": {"max req/s in SLO", "goodput req/s", "output tok/s", "16.00", "7.25"},
		"zh": {"SLO 内最大 req/s", "有效吞吐 req/s", "输出 tok/s", "16.00", "7.25"},
	} {
		if _, end, _ := strings.Cut(r.text(lang), strings.Repeat("=", bannerRule)+"\n["); !inOrder(end, want) {
			t.Errorf("not in the table: %q\n%s", want, end)
		}
	}
	var md bytes.Buffer
	if err := Markdown(&md, r.folder); err != nil {
		t.Fatal(err)
	}
	if !inOrder(md.String(), []string{"### Results", "| max req/s in SLO | goodput req/s | output tok/s |", "| 16.00 | 7.25 | 100.00 |", "<details>"}) {
		t.Error(md.String())
	}
	d := Page(r.folder, "")
	var names []string
	for _, m := range d.Metrics[:3] {
		names = append(names, m.Name)
	}
	if diff := cmp.Diff([]string{"max_request_rate", "request_goodput", "output_throughput"}, names); diff != "" {
		t.Error(diff)
	}
	if plain := searched(t, map[string]float64{"output_throughput": 100}).text("en"); strings.Contains(plain, "goodput") || strings.Contains(plain, "in SLO") {
		t.Error(plain)
	}
}

// The tables of a comparison have the same columns, those of the page's too.
func TestComparedColumnsOfWhatSomeClientsTell(t *testing.T) {
	var each []map[string]float64
	for range 4 {
		values := found(8)
		values["request_goodput"] = 7
		each = append(each, values)
	}
	r := searched(t, each...)
	m, err := MeasurementsOf(r.folder)
	if err != nil {
		t.Fatal(err)
	}
	got, err := compare.Compare([]compare.Source{*m.Source("run")}, compare.Options{Baseline: []string{"backend=flashinfer"}, Only: true, Metrics: CompareCandidates()})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"max_request_rate", "request_goodput", "p99_ttft_ms"}
	if diff := cmp.Diff(want, CompareColumns(got, nil)); diff != "" {
		t.Error(diff)
	}
	d := Page(r.folder, "")
	var names []string
	for _, i := range d.Comparisons[0].Metrics {
		names = append(names, d.Metrics[i].Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// inOrder tells whether the parts stand in the text one behind the other.
func inOrder(text string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool {
		_, rest, there := strings.Cut(text, part)
		text = rest
		return !there
	})
}
