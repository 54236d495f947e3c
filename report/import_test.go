package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"servematrix/journal"
	"servematrix/metric"
	"servematrix/result"
)

// key is what a text report and results.jsonl both tell of a sample.
type key struct {
	server, client string
	block, attempt int
	status, class  string
}

func keyOf(s *result.Sample) key {
	k := key{block: max(1, s.Block), attempt: max(1, s.Attempt), status: s.Status, server: s.Server.Name, client: s.Client.Name}
	if s.Failure != nil {
		k.class = s.Failure.Class
	}
	return k
}

// What the report says is what import reads out of it: every sample, its status and failure,
// and the numbers that its client printed, in both languages.
func TestImportReadsTheReport(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		t.Run(lang, func(t *testing.T) {
			r := eventful(t, t.TempDir(), lang)
			r.unstartedClient()
			path := r.folder.Path(reportFile)
			r.file(reportFile, []byte(r.text("")))
			imported, err := result.Import([]string{path})
			if err != nil {
				t.Fatal(err)
			}
			want, err := Samples(r.folder)
			if err != nil {
				t.Fatal(err)
			}
			var got, wanted []key
			for i := range imported {
				got = append(got, keyOf(&imported[i]))
			}
			for _, s := range want {
				wanted = append(wanted, keyOf(s))
			}
			if diff := cmp.Diff(wanted, got, cmp.AllowUnexported(key{})); diff != "" {
				t.Fatalf("samples (-run +imported):\n%s", diff)
			}
			for i, s := range want {
				if s.Metrics == nil {
					continue
				}
				// The block in the scenario prints these; the others are not in a text.
				for _, name := range []string{"duration_s", "completed", "output_throughput", "total_throughput", "mean_ttft_ms", "p99_ttft_ms"} {
					if imported[i].Metrics.Value(name) != s.Metrics.Value(name) {
						t.Errorf("sample %d: %s is %v in the report, %v in the run", i, name, imported[i].Metrics.Value(name), s.Metrics.Value(name))
					}
				}
				if diff := cmp.Diff(s.Client.Argv, imported[i].Client.Argv); diff != "" {
					t.Errorf("sample %d: client: %s", i, diff)
				}
				if diff := cmp.Diff(s.Server.Env, imported[i].Server.Env); diff != "" {
					t.Errorf("sample %d: server: %s", i, diff)
				}
				if imported[i].Simulated != s.Simulated {
					t.Errorf("sample %d: simulated is %v in the report", i, imported[i].Simulated)
				}
			}
		})
	}
}

// unstartedClient adds a client that could not be started at all.
func (r *run) unstartedClient() {
	r.resume()
	r.startServer("0008-triton", 2, 2, 2, false)
	r.ready("0008-triton", 2, 2)
	c := r.client(2)
	r.add(r.sample(journal.SampleStarted, "0008-triton", 2, 2, 1), journal.Sample{Client: c.ID, Name: c.Name, Argv: c.Argv})
	r.end("0008-triton", 2, 2, 1, outcome{status: result.StatusFailed, failure: &journal.Failure{Class: "bad_command", Phase: "client", Message: "python3: not found"}})
	r.stopServer("0008-triton", 2, 2)
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{ExitCode: 3})
}

// The sample report itself, run through our own, gives the same numbers as the sample does.
func TestImportOfTheSampleAndOfOurs(t *testing.T) {
	_, sections := sampleReport(t)
	r := newRun(t, t.TempDir(), samplePlan("zh", "cell"))
	r.begin()
	for i, s := range sections {
		id := "000" + string(rune('1'+i))
		r.startServer(id, i, i, 1, false)
		r.ready(id, i, 1)
		r.attempt(id, i, 1, 1, outcome{out: s.out, err: s.err, status: result.StatusOK, metrics: metric.Of(map[string]float64{"completed": 1})})
		r.stopServer(id, i, 1)
	}
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{OK: 4})
	r.file(reportFile, []byte(r.text("")))
	ours, err := result.Import([]string{r.folder.Path(reportFile)})
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := result.Import([]string{"testdata/sglang-matrix-deepseek-v3.txt"})
	if err != nil {
		t.Fatal(err)
	}
	if len(theirs) != 4 {
		t.Fatalf("the sample gives %d samples, want 4", len(theirs))
	}
	if diff := cmp.Diff(theirs, ours, cmpopts.IgnoreFields(result.Sample{}, "Source")); diff != "" {
		t.Errorf("(-sample +ours):\n%s", diff)
	}
}
