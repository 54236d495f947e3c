package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/journal"
	"servematrix/metric"
	"servematrix/result"
)

// The sample's own run, drawn in Chinese, is the sample byte by byte: but for the states of the
// progress bars that came before the last, for our indented details and for our end.
func TestTheShapeIsTheSamples(t *testing.T) {
	whole, sections := sampleReport(t)
	r := newRun(t, t.TempDir(), samplePlan("zh", "cell"))
	r.begin()
	for i, s := range sections {
		id := "000" + string(rune('1'+i)) + "-" + s.server
		r.startServer(id, i, i, 1, false)
		r.ready(id, i, 1)
		r.attempt(id, i, 1, 1, outcome{out: s.out, err: s.err, status: result.StatusOK, metrics: metric.Of(map[string]float64{"completed": 1})})
		r.stopServer(id, i, 1)
	}
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{OK: 4})

	var want strings.Builder
	body, _, _ := strings.Cut(whole, "\n所有组合")
	for line := range strings.Lines(body) {
		if strings.Contains(line, "%|") && !strings.HasPrefix(line, "100%|") {
			continue
		}
		want.WriteString(line)
	}
	var got strings.Builder
	drawn, end, _ := strings.Cut(r.text(""), "\n"+strings.Repeat("=", bannerRule)+"\n[结果]")
	for line := range strings.Lines(drawn) {
		if !strings.HasPrefix(line, "         ") {
			got.WriteString(line)
		}
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Error(diff)
	}
	if !strings.HasSuffix(end, "\n所有组合测试完成！结果保存在：report.txt\n") {
		t.Errorf("the end is %q", end)
	}
}
