package result

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"servematrix/matrix"
	"servematrix/metric"
)

func fullSample() Sample {
	return Sample{
		Run: "night-20261121T040000Z", Cell: "c1", Block: 1, Attempt: 2, Status: StatusInvalid,
		Failure:  &Failure{Class: "oom", Phase: "start", Message: "CUDA out of memory", File: "launches/l1/server.log", Line: 812, Tail: []string{"a <b>"}},
		Server:   &Side{Name: "triton", ID: "triton-1", Axes: matrix.Axes{{Name: "z", Value: "1"}, {Name: "a", Value: "2"}}, Argv: []string{"serve", "a&b"}, Env: map[string]string{"X": "1"}},
		Client:   &Side{Name: "small"},
		Metrics:  metric.Of(map[string]float64{"completed": 4, "p99.9_ttft_ms": 1.5}),
		Extra:    map[string]any{"b": int64(2), "a": 1.5, "list": []any{int64(1), "x"}},
		Validity: &Validity{Reasons: []Reason{{TokenMismatch, SeverityWarning, "60 of 64"}}},
		Times:    map[string]PhaseTime{"start": {Start: time.Date(2026, 11, 21, 4, 0, 0, 5e8, time.UTC), Since: 0.25}},
	}
}

func TestSampleJSON(t *testing.T) {
	s := fullSample()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	d := json.NewDecoder(strings.NewReader(string(data)))
	for depth := 0; d.More() || depth > 0; {
		token, err := d.Token()
		if err != nil {
			break
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		default:
			if key, ok := token.(string); ok && depth == 1 && !slices.Contains([]string{s.Run, s.Cell, s.Status}, key) {
				keys = append(keys, key)
			}
		}
	}
	want := strings.Fields("run cell block attempt status failure server client metrics extra validity times")
	if !slices.Equal(keys, want) {
		t.Errorf("keys %v, want %v", keys, want)
	}
	if !strings.Contains(string(data), `"axes":{"z":"1","a":"2"}`) {
		t.Errorf("axes out of order: %s", data)
	}
	var back Sample
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, back); diff != "" {
		t.Error(diff)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != string(data) {
		t.Errorf("the bytes are not stable:\n%s\n%s", data, again)
	}
}

func TestUnknownIsNull(t *testing.T) {
	data, err := json.Marshal(Sample{Status: StatusSkipped, Client: &Side{Name: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"run":null,"cell":null,"block":null,"attempt":null,"status":"skipped","failure":null,"server":null,` +
		`"client":{"name":"x","id":null,"axes":null,"argv":null,"env":null},"metrics":null,"extra":null,"validity":null,"times":null}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
}

func BenchmarkParseSample(b *testing.B) {
	s := Sample{Run: "run", Cell: "cell", Block: 1, Attempt: 1, Status: StatusOK, Validity: &Validity{OK: true}, Metrics: &metric.Values{}, Times: map[string]PhaseTime{}}
	argv := strings.Fields("python3 -m sglang.bench_serving --backend sglang-oai --dataset-name random --random-input-len 1000 --random-output-len 1000 --num-prompts 256")
	s.Server = &Side{Name: "server", ID: "server-0a1b2c3d4e5f", Axes: matrix.Axes{{Name: "backend", Value: "triton"}}, Argv: argv, Env: map[string]string{"A": "1"}}
	s.Client = s.Server
	for i, name := range metric.Names() {
		s.Metrics.Set(name, 1000.25+float64(i))
	}
	for _, phase := range []string{"start", "ready", "client", "client_end"} {
		s.Times[phase] = PhaseTime{Start: time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC), Since: 71.25}
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseSample(data); err != nil {
			b.Fatal(err)
		}
	}
}
