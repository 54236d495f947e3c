package result

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"servematrix/matrix"
	"servematrix/metric"
)

// reflected is a sample as encoding/json writes it.
func reflected(t *rapid.T, s *Sample) string {
	ptr := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	side := func(s *Side) *sideJSON {
		if s == nil {
			return nil
		}
		out := &sideJSON{Name: ptr(s.Name), ID: ptr(s.ID), Argv: s.Argv, Env: s.Env, Replaced: s.Replaced, LeftOut: s.LeftOut, Config: s.Config}
		if s.Axes != nil {
			out.Axes = &s.Axes
		}
		return out
	}
	shape := struct {
		sampleJSON
		Server *sideJSON `json:"server"`
		Client *sideJSON `json:"client"`
	}{sampleJSON: sampleJSON{Run: ptr(s.Run), Cell: ptr(s.Cell), Status: s.Status, Failure: s.Failure, Metrics: s.Metrics, Extra: s.Extra, Validity: s.Validity, Times: s.Times, Source: s.Source, Simulated: s.Simulated}, Server: side(s.Server), Client: side(s.Client)}
	if s.Block != 0 {
		shape.Block = &s.Block
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(shape); err != nil {
		t.Fatal(err)
	}
	var values map[string]json.RawMessage // the shape has server and client last; their place is another test's
	if err := json.Unmarshal(out.Bytes(), &values); err != nil {
		t.Fatal(err)
	}
	text := "{"
	for i, key := range sampleKeys {
		if value, has := values[key]; has {
			if i > 0 {
				text += ","
			}
			text += `"` + key + `":` + string(value)
		}
	}
	return text + "}"
}

// Every byte is that of encoding/json, without its escapes for HTML.
func TestAppendsWhatEncodingJSONGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a <b> & c", "\u2028\n\"\\", "ä\xff", "\x7f\x00"}))
		number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1e21, 1e-7, 999999999999999999999, 1e-6}))
		var leaf, value *rapid.Generator[any]
		leaf = rapid.OneOf(text.AsAny(), number.AsAny(), rapid.Int64().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil), rapid.Just[any](json.Number("17")))
		value = rapid.OneOf(leaf, rapid.SliceOfN(leaf, 0, 3).AsAny(), rapid.MapOfN(text, leaf, 0, 3).AsAny())
		object := rapid.MapOfN(text, value, 0, 4)
		side := func(label string) *Side {
			if rapid.Bool().Draw(t, label) {
				return nil
			}
			s := &Side{Name: text.Draw(t, "name"), ID: text.Draw(t, "id"), Config: object.Draw(t, "config")}
			if rapid.Bool().Draw(t, "full") {
				s.Argv, s.Env = rapid.SliceOfN(text, 0, 3).Draw(t, "argv"), rapid.MapOfN(text, text, 0, 3).Draw(t, "env")
				s.Axes = matrix.Axes{{Name: text.Draw(t, "axis"), Value: text.Draw(t, "value")}}
				s.Replaced, s.LeftOut = rapid.SliceOfN(text, 0, 3).Draw(t, "replaced"), rapid.SliceOfN(text, 0, 3).Draw(t, "left out")
			}
			return s
		}
		s := &Sample{Run: text.Draw(t, "run"), Cell: text.Draw(t, "cell"), Block: rapid.IntRange(0, 3).Draw(t, "block"), Status: StatusOK,
			Server: side("server"), Client: side("client"), Simulated: rapid.Bool().Draw(t, "simulated")}
		if rapid.Bool().Draw(t, "measured") {
			s.Metrics = metric.Of(map[string]float64{"completed": number.Draw(t, "metric"), "p99.9_ttft_ms": number.Draw(t, "percentile")})
			s.Extra = object.Draw(t, "extra")
			s.Validity = &Validity{Reasons: []Reason{{NonFinite, SeverityWarning, text.Draw(t, "detail")}}}
			s.Times = map[string]PhaseTime{"start": {Start: time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "time"), 5000).UTC(), Since: number.Draw(t, "since")}}
		} else {
			s.Failure = &Failure{Class: "oom", Phase: "start", Message: text.Draw(t, "message"), Line: 3, Tail: []string{text.Draw(t, "tail")}}
		}
		if rapid.Bool().Draw(t, "imported") {
			s.Source = &Source{File: text.Draw(t, "file"), Line: rapid.IntRange(0, 2).Draw(t, "line")}
		}
		got, err := s.AppendJSON([]byte("before"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("before"+reflected(t, s), string(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What JSON cannot hold is null wherever it stands.
func TestAppendsNullForWhatIsNotFinite(t *testing.T) {
	s := Sample{Metrics: metric.Of(map[string]float64{"completed": math.NaN()}), Client: &Side{Config: map[string]any{"rate": math.Inf(1)}},
		Extra: map[string]any{"list": []any{math.NaN(), map[string]any{"deep": math.Inf(-1)}}}}
	data, err := s.AppendJSON(nil)
	if err != nil || !json.Valid(data) || !bytes.Contains(data, []byte(`"extra":{"list":[null,{"deep":null}]}`)) || !bytes.Contains(data, []byte(`"config":{"rate":null}`)) {
		t.Errorf("%s, %v", data, err)
	}
	if _, err := (&Sample{Cell: "c1", Times: map[string]PhaseTime{"start": {Start: time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)}}}).AppendJSON(nil); err == nil {
		t.Error("a year of five digits was written")
	}
}
