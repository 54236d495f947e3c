package metric

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// slowly is what encoding/json makes of the object.
func slowly(t *testing.T, data string) (*Values, error) {
	t.Helper()
	var raw map[string]*float64
	if err := json.Unmarshal([]byte(data), &raw); err != nil || raw == nil {
		return nil, err
	}
	v := &Values{}
	for name, f := range raw {
		if f != nil {
			v.Set(name, *f)
		}
	}
	return v, nil
}

// Whatever the short cut takes is what encoding/json makes of it.
func TestReadingByHand(t *testing.T) {
	for _, data := range []string{
		`{}`, ` { } `, `null`, `{"a":1}`, "{\n  \"mean_ttft_ms\": -1.5e-3,\n\t\"p99.9_ttft_ms\" : null\r\n}", `{"\u0061":1}`, `{"ä":1}`, `{"a":"1"}`, `{"a":true}`,
		`{"a":{"b":1}}`, `{"a":[1]}`, `{"a":1,"a":2}`, `{"a":1e999}`, `{"a":1,"b":2}`, `{"a,b}":3}`, `[]`, `1`, `{"a":0.1,"b":123456789012345678}`,
	} {
		want, wantErr := slowly(t, data)
		var got *Values
		err := json.Unmarshal([]byte(data), &got)
		if (err != nil) != (wantErr != nil) {
			t.Errorf("%s: error %v, want %v", data, err, wantErr)
		}
		if diff := cmp.Diff(want, got); err == nil && diff != "" {
			t.Errorf("%s: %s", data, diff)
		}
	}
}

// What MarshalJSON writes is read by hand, and comes back whole.
func TestReadingWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := &Values{}
		for _, name := range append(Names(), "p99.9_itl_ms", "later_metric") {
			if rapid.Bool().Draw(t, name+" known") {
				v.Set(name, rapid.Float64().Draw(t, name))
			}
		}
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range v.All() { // numbers stand as encoding/json writes them
			if want, err := json.Marshal(f); err == nil && !bytes.Contains(data, append([]byte(": "), want...)) {
				t.Fatalf("no %s in %s", want, data)
			}
		}
		got, ok := plainObject(data)
		for name, f := range v.All() {
			if math.IsInf(f, 0) || math.IsNaN(f) {
				v.Delete(name)
			}
		}
		if diff := cmp.Diff(v, got); !ok || diff != "" {
			t.Fatalf("%v %s", ok, diff)
		}
	})
}

func BenchmarkUnmarshal(b *testing.B) {
	v := &Values{}
	for i, name := range Names() {
		v.Set(name, 1000.25+float64(i))
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := v.UnmarshalJSON(data); err != nil {
			b.Fatal(err)
		}
	}
}
