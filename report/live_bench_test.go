package report

import (
	"testing"
)

// BenchmarkSample is what one sample costs a live run: its section, its lines in the tables and
// its share of report.md.
func BenchmarkSample(b *testing.B) {
	_, sections := sampleReport(b)
	r := newRun(b, b.TempDir(), samplePlan("en", "cell"))
	r.begin()
	r.startServer("0001", 0, 0, 1, false)
	r.ready("0001", 0, 1)
	r.attempt("0001", 0, 1, 1, outcome{out: sections[0].out, err: sections[0].err, status: "ok", metrics: sections[0].metrics})
	r.stopServer("0001", 0, 1)
	live, err := Open(r.folder, r.plan, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range r.events[1:] {
			live.Handle(e)
		}
	}
	if err := live.Close(); err != nil {
		b.Fatal(err)
	}
}
