package result

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"servematrix/jsonwalk"
	"servematrix/matrix"
	"servematrix/metric"
)

// full is a sample with all that a sample can have.
func full() *Sample {
	return &Sample{
		Run: "r", Cell: "c-组", Block: 2, Attempt: 3, Status: StatusInvalid,
		Server:   &Side{Name: "a/b", ID: "i", Axes: matrix.Axes{{Name: "x", Value: "1"}, {Name: "y", Value: "é"}}, Argv: []string{"serve", "--tp", "8"}, Env: map[string]string{"A": "1"}},
		Client:   &Side{Name: "c", Argv: []string{}, Env: map[string]string{}},
		Metrics:  metric.Of(map[string]float64{"output_throughput": 1e-7, "completed": 256, "mean_ttft_ms": 1.2345678901234567e21, "failed": math.NaN()}),
		Extra:    map[string]any{"n": int64(1), "f": 0.5, "s": "t", "b": true, "z": nil},
		Validity: &Validity{Reasons: []Reason{{Reason: "partial", Severity: SeverityError, Detail: "d"}}},
		Times:    map[string]PhaseTime{"start": {Start: time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC), Since: 0.25}},
	}
}

func seeds(t testing.TB) [][]byte {
	var out [][]byte
	with := func(change func(*Sample)) {
		s := full()
		change(s)
		for _, write := range []func(any) ([]byte, error){json.Marshal, func(v any) ([]byte, error) { return json.MarshalIndent(v, "", "  ") }} {
			data, err := write(s)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, data)
		}
	}
	with(func(*Sample) {})
	with(func(s *Sample) { *s = Sample{Status: StatusSkipped} })
	with(func(s *Sample) { s.Source, s.Simulated = &Source{File: "night/c8/bench.jsonl", Line: 3}, true })
	with(func(s *Sample) { s.Source = &Source{File: "ä \"b\""} })
	with(func(s *Sample) { s.Failure = &Failure{Class: "oom", Tail: []string{"x"}} })
	with(func(s *Sample) { s.Server.Argv = []string{`quo"ted`, "line\nend", "\u2028", "<&>"} })
	with(func(s *Sample) { s.Extra["deep"] = map[string]any{"a": []any{int64(1), 2.5}} })
	with(func(s *Sample) { s.Client.Config = map[string]any{"seed": int64(1)} })
	with(func(s *Sample) { s.Simulated = true })
	for _, text := range []string{
		``, `{}`, `null`, `[]`, `{"status":"ok"} x`, `{"status":null}`, `{"status":"ok","status":"failed"}`, `{"Status":"ok"}`, `{"block":1.0}`, `{"block":01}`, `{"block":-0}`,
		`{"metrics":{"a":1e999}}`, `{"metrics":{"a":.5}}`, `{"metrics":{"a":1.}}`, `{"metrics":{"a":+1}}`, `{"metrics":{"a":-}}`, `{"metrics":{"a":0x1}}`, `{"metrics":{"a":1,}}`,
		"{\"run\":\"a\tb\"}", "{\"run\":\"\xff\"}", `{"run":"a`, `{"extra":{"n":99999999999999999999,"m":-0,"f":1E2}}`, `{"times":{"start":{"start":"yesterday","since":1}}}`,
		`{"server":{"axes":{"a":"1","a":"2"},"argv":[null],"env":{"A":null}}}`, `{"validity":{"ok":null,"reasons":null}}`, `{"simulated":null}`, ` {"run" : "x" , "block" : 2 } `,
	} {
		out = append(out, []byte(text))
	}
	return out
}

// like holds ParseSample against encoding/json.
func like(t *testing.T, data []byte) {
	t.Helper()
	want := &Sample{}
	wantErr := json.Unmarshal(data, want)
	got, err := ParseSample(data)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%q: %v, encoding/json says %v", data, err, wantErr)
	}
	if err == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%q:\n%s", data, cmp.Diff(want, got))
	}
}

func TestParseSampleReadsWhatEncodingJSONReads(t *testing.T) {
	for _, data := range seeds(t) {
		like(t, data)
	}
}

// What a run writes is read the quick way.
func TestParseSampleIsQuickWithOurs(t *testing.T) {
	data, err := json.Marshal(full())
	if err != nil {
		t.Fatal(err)
	}
	if !jsonwalk.Read(data, &sampleWalk{sample: &Sample{}}) {
		t.Error("it was left to encoding/json")
	}
}

func FuzzParseSample(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		like(t, data)
		like(t, data) // what is remembered changes nothing
	})
}

func TestParseOutcomeReadsTheSameAsParseSample(t *testing.T) {
	only := []string{"output_throughput", "mean_ttft_ms"}
	for _, data := range seeds(t) {
		for _, wanted := range [][]string{nil, only} {
			want, err := ParseSample(data)
			got, gotErr := ParseOutcome(data, wanted...)
			if err != nil {
				continue // what is passed over is not looked at
			}
			if gotErr != nil {
				t.Errorf("%s\n%v", data, gotErr)
				continue
			}
			want.Server, want.Client, want.Extra = nil, nil, nil
			if wanted != nil {
				want.Times = nil
			}
			for _, name := range want.Metrics.Names() {
				if wanted != nil && !slices.Contains(wanted, name) {
					want.Metrics.Delete(name)
				}
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n%s", data, diff)
			}
		}
	}
}

func TestParseOutcomeIsQuickWithOurs(t *testing.T) {
	data, err := json.MarshalIndent(full(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	s := &Sample{}
	if !jsonwalk.Read(data, &sampleWalk{sample: s, passed: notWanted, wanted: []string{"output_throughput"}}) {
		t.Fatal("it was left to encoding/json")
	}
	if s.Metrics.Len() != 1 || s.Server != nil || s.Extra != nil || s.Status != StatusInvalid {
		t.Errorf("got %+v", s)
	}
}
