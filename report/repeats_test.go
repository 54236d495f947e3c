package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/compare"
	"servematrix/journal"
	"servematrix/metric"
	"servematrix/result"
)

// repeated is a run in five blocks: a steady cell, one with a start that lies apart, one that
// lost a start to each kind of trouble, and one that was measured once before the run was ended.
func repeated(t folderTB, dir, lang string) *run {
	plan := samplePlan(lang, "cell")
	plan.Run.Blocks, plan.Compare.MinEffect = 5, 0.02
	r := newRun(t, dir, plan)
	r.begin()
	measure := func(cell, block int, factor float64) outcome {
		m := &metric.Values{}
		for i, name := range numbers {
			m.Set(name, float64(1000*(i+1))*factor)
		}
		m.Set("completed", 256)
		m.Set("num_prompts", 256)
		return outcome{out: "out\n", status: result.StatusOK, metrics: m}
	}
	n := 0
	try := func(cell, block, attempt int, o outcome) {
		n++
		id := fmt.Sprintf("%04d", n)
		r.startServer(id, cell, cell, block, false)
		r.attempt(id, cell, block, attempt, o)
		r.stopServer(id, cell, block)
	}
	differ := result.Reason{Reason: "text_json_differ", Severity: "warning", Detail: "duration_s: 255.25 in the text, 255.31 in the JSON"}
	for i, steady := range []float64{1, 1.01, 0.99, 1.005, 0.995} {
		block := i + 1
		try(0, block, 1, measure(0, block, steady))
		apart := steady
		if block == 4 {
			apart = 0.8
		}
		try(1, block, 1, measure(1, block, apart))
		switch block {
		case 2:
			bad := measure(2, block, 77)
			bad.status, bad.reasons = result.StatusInvalid, []result.Reason{{Reason: "requests_failed", Severity: "error", Detail: "12 of 256 requests failed"}}
			try(2, block, 1, bad)
		case 3, 4:
			died := outcome{status: result.StatusFailed, failure: &journal.Failure{Class: "server_died", Phase: "client", Message: "the server ended with exit code 1"}}
			try(2, block, 1, died)
			try(2, block, 2, died)
		default:
			doubtful := measure(2, block, steady)
			if block == 5 {
				doubtful.reasons = []result.Reason{differ}
			}
			try(2, block, 1, doubtful)
		}
	}
	try(3, 1, 1, measure(3, 1, 1))
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{ExitCode: 130, OK: 13, Invalid: 1, Failed: 2, Missing: 4})
	return r
}

func TestRepeatsGolden(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		text := repeated(t, t.TempDir(), lang).text("")
		golden(t, "repeated."+lang+".txt", []byte(text[strings.LastIndex(text, "["+wordsOf(lang).results+"]"):]))
	}
	var md bytes.Buffer
	if err := Markdown(&md, repeated(t, t.TempDir(), "en").folder); err != nil {
		t.Fatal(err)
	}
	end, _, _ := strings.Cut(md.String(), "<details>")
	golden(t, "repeated.md", []byte(end))
}

// A combined report of a run with repeats is read back like any other: every sample, none of
// the tables.
func TestImportReadsRepeats(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		r := repeated(t, t.TempDir(), lang)
		r.file(reportFile, []byte(r.text("")))
		samples, err := result.Import([]string{r.folder.Path(reportFile)})
		if err != nil {
			t.Fatal(err)
		}
		want, err := Samples(r.folder)
		if err != nil {
			t.Fatal(err)
		}
		if len(samples) != len(want) {
			t.Fatalf("%s: %d samples read back, want %d", lang, len(samples), len(want))
		}
		for i := range samples {
			if got, want := samples[i].Server.Name+samples[i].Client.Name, want[i].Server.Name+want[i].Client.Name; got != want {
				t.Errorf("%s: sample %d is of %s, want %s", lang, i, got, want)
			}
		}
	}
}

// Of several attempts at a block the last valid one counts, for the report as for compare.
func TestTheLastValidAttemptCounts(t *testing.T) {
	plan := samplePlan("en", "cell")
	plan.Run.Blocks = 2
	r := newRun(t, t.TempDir(), plan)
	r.begin()
	ok := func(v float64) outcome {
		return outcome{status: result.StatusOK, metrics: metric.Of(map[string]float64{"output_throughput": v})}
	}
	oom := outcome{status: result.StatusFailed, failure: &journal.Failure{Class: "oom", Phase: "client"}}
	for block, attempts := range [][]outcome{{ok(90), ok(110)}, {oom, ok(210), oom}} {
		for i, o := range attempts {
			r.attempt(fmt.Sprintf("000%d", block), 0, block+1, i+1, o)
		}
	}
	table := tableNow(t, r)
	line := table.line(table.cells[0])
	// Means 110 and 210: 160 ± t(1) · 50.
	if diff := cmp.Diff([]string{"flashinfer", "rand256x32", "2/2", "160.00 ±635.31", "44.19", "110.00–210.00"}, line[:6]); diff != "" {
		t.Error(diff)
	}
	if note := line[len(line)-1]; note != "1 FAILED (oom: b2)" {
		t.Errorf("the note is %q", note)
	}
	m, err := MeasurementsOf(r.folder)
	if err != nil {
		t.Fatal(err)
	}
	var samples []*result.Sample
	for _, one := range m.All {
		samples = append(samples, one.Sample)
	}
	measured := compare.MeasuredOf(samples)
	if len(measured) != 1 || measured[0].Starts() != 2 || measured[0].Mean("output_throughput").Mean != 160 {
		t.Errorf("compare takes other samples: %+v", measured)
	}
}

// tableNow gives the end table of a run as it is.
func tableNow(t *testing.T, r *run) *repeatTable {
	t.Helper()
	tally := newTally(r.folder, r.plan)
	for _, e := range r.events {
		if _, err := tally.apply(tally.prepare(e)); err != nil {
			t.Fatal(err)
		}
	}
	return tally.repeatTable(repeats(tally.table()), english)
}

// The sweep's own primary metric leads the table, with its spreads behind it.
func TestAnotherPrimaryMetric(t *testing.T) {
	plan := samplePlan("en", "cell")
	plan.Run.Blocks, plan.Compare.Primary = 2, "p95_itl_ms"
	r := newRun(t, t.TempDir(), plan)
	r.begin()
	for block, v := range []float64{10, 12} {
		r.attempt("000"+fmt.Sprint(block), 0, block+1, 1, outcome{status: result.StatusOK, metrics: metric.Of(map[string]float64{"p95_itl_ms": v, "output_throughput": 100})})
	}
	table := tableNow(t, r)
	var heads []string
	for _, c := range table.columns()[:7] {
		heads = append(heads, c.head)
	}
	if diff := cmp.Diff([]string{"SERVER", "CLIENT", "STARTS", "P95 ITL (ms)", "CV %", "min–max", "output tok/s"}, heads); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"11.00 ±12.71", "12.86", "10.00–12.00", "100.00 ±0.00"}, table.line(table.cells[0])[3:7]); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(table.legend(), "the starts' P95 ITL (ms)") {
		t.Error(table.legend())
	}
}

// Blocks that an edited sweep no longer has are in no mean.
func TestFormerBlocksAreNotAveraged(t *testing.T) {
	plan := samplePlan("en", "cell")
	plan.Run.Blocks = 3
	r := newRun(t, t.TempDir(), plan)
	r.begin()
	for block := 1; block <= 3; block++ {
		r.attempt("000"+fmt.Sprint(block), 0, block, 1, outcome{status: result.StatusOK, metrics: metric.Of(map[string]float64{"output_throughput": float64(100 * block)})})
	}
	r.plan.Run.Blocks = 2
	r.resume()
	table := tableNow(t, r)
	got := map[string]string{}
	for _, c := range table.cells[:2] {
		line := table.line(c)
		got[line[2]+" "+line[len(line)-1]] = line[3]
	}
	if diff := cmp.Diff(map[string]string{"2/2 ": "150.00 ±635.31", "1/1 no longer in the sweep": "300.00"}, got); diff != "" {
		t.Error(diff)
	}
}

// Many blocks of one kind are counted whole and named in part.
func TestManyBlocksOfOneKind(t *testing.T) {
	k := kind{status: result.StatusFailed, why: "oom", blocks: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
	if got := k.text(english); got != "10 FAILED (oom: b1 b2 b3 b4 b5 b6 b7 b8 …)" {
		t.Error(got)
	}
}
