package metric

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// contract is the list of names as the contract writes it, typed out here a second time so
// that a slip in the table shows.
const contract = `duration_s completed failed num_prompts total_input_tokens total_output_tokens
request_throughput input_throughput output_throughput total_throughput peak_output_throughput
peak_concurrent_requests concurrency request_rate max_concurrency accept_length max_request_rate max_concurrency_found
mean_ttft_ms mean_tpot_ms mean_itl_ms mean_e2e_latency_ms
median_ttft_ms median_tpot_ms median_itl_ms median_e2e_latency_ms
std_ttft_ms std_tpot_ms std_itl_ms std_e2e_latency_ms
p90_ttft_ms p90_tpot_ms p90_itl_ms p90_e2e_latency_ms
p95_ttft_ms p95_tpot_ms p95_itl_ms p95_e2e_latency_ms
p99_ttft_ms p99_tpot_ms p99_itl_ms p99_e2e_latency_ms
max_ttft_ms max_tpot_ms max_itl_ms max_e2e_latency_ms`

func TestNamesAreTheContract(t *testing.T) {
	if diff := cmp.Diff(strings.Fields(contract), Names()); diff != "" {
		t.Error(diff)
	}
	labels := map[string]string{}
	for _, name := range append(Names(), Sometimes()...) {
		info, ok := Lookup(name)
		if !ok || info.Name != name || info.Label == "" || info.About == "" {
			t.Errorf("Lookup(%s) = %+v, %v", name, info, ok)
		}
		if other, taken := labels[info.Label]; taken {
			t.Errorf("%s and %s share the label %q", name, other, info.Label)
		}
		labels[info.Label] = name
	}
}

func TestNamed(t *testing.T) {
	for _, name := range Names() {
		if got, ok := Named([]byte(name)); !ok || got != name {
			t.Errorf("Named(%s) = %q, %v", name, got, ok)
		}
	}
	for _, other := range []string{"", "p50_ttft_ms", "mean_ttft_m", "failed ", "mean_xxft_ms"} {
		if got, ok := Named([]byte(other)); ok || got != "" {
			t.Errorf("Named(%s) = %q, %v", other, got, ok)
		}
	}
}

func TestNamesCannotBeChangedFromOutside(t *testing.T) {
	Names()[0] = "spoilt"
	if Names()[0] != "duration_s" {
		t.Error("a caller changed the table")
	}
}

func TestLookup(t *testing.T) {
	for name, want := range map[string]Info{
		"mean_ttft_ms":              {"mean_ttft_ms", "ms", "Mean TTFT (ms)", Lower, ""},
		"output_throughput":         {"output_throughput", "tok/s", "Output throughput (tok/s)", Higher, ""},
		"max_concurrency":           {"max_concurrency", "requests", "Max concurrency", Neutral, ""},
		"p99.9_ttft_ms":             {"p99.9_ttft_ms", "ms", "P99.9 TTFT (ms)", Lower, ""},
		"p50_e2e_latency_ms":        {"p50_e2e_latency_ms", "ms", "P50 E2E latency (ms)", Lower, ""},
		"p100_itl_ms":               {"p100_itl_ms", "ms", "P100 ITL (ms)", Lower, ""},
		"p99.90_ttft_ms":            {},
		"p099_ttft_ms":              {},
		"p101_ttft_ms":              {},
		"p-1_ttft_ms":               {},
		"p1e1_ttft_ms":              {},
		"pinf_ttft_ms":              {},
		"p_ttft_ms":                 {},
		"p99_latency_ms":            {},
		"p99":                       {},
		"":                          {},
		"mean_ttft_ms ":             {},
		"p1.2.3_ttft_ms":            {},
		"peak_output_tokens":        {},
		"p99_request_latency":       {},
		"request_goodput":           {"request_goodput", "req/s", "Request goodput (req/s)", Higher, ""},
		"p99_ttft_from_schedule_ms": {"p99_ttft_from_schedule_ms", "ms", "P99 TTFT from schedule (ms)", Lower, ""},
		"p98_ttft_from_schedule_ms": {},
	} {
		got, ok := Lookup(name)
		if ok && got.About == "" {
			t.Errorf("nothing says what %s is", name)
		}
		got.About = ""
		if ok != (want != Info{}) || got != want {
			t.Errorf("Lookup(%q) = %+v, %v", name, got, ok)
		}
	}
}

func TestPercentile(t *testing.T) {
	for _, c := range []struct {
		number, latency, want string
		ok                    bool
	}{
		{"99", "ttft_ms", "p99_ttft_ms", true},
		{"99.90", "ttft_ms", "p99.9_ttft_ms", true},
		{"050", "itl_ms", "p50_itl_ms", true},
		{"101", "itl_ms", "", false},
		{"inf", "itl_ms", "", false},
		{"99", "latency", "", false},
	} {
		got, ok := Percentile(c.number, c.latency)
		if ok != c.ok || (ok && got != c.want) {
			t.Errorf("Percentile(%q, %q) = %q, %v", c.number, c.latency, got, ok)
		}
	}
}

func TestMarshalWritesEveryNameInOrder(t *testing.T) {
	v := Of(map[string]float64{
		"duration_s": 255.25, "completed": 256, "request_rate": math.Inf(1), "mean_ttft_ms": math.NaN(),
		"p99.9_itl_ms": 3, "p50_itl_ms": 2, "p75_ttft_ms": 1, "odd": 4,
		"max_send_lateness_ms": 5, "request_goodput": 6,
	})
	got, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString(`{"duration_s":255.25,"completed":256`)
	for _, name := range strings.Fields(contract)[2:] {
		want.WriteString(`,"` + name + `":null`)
	}
	want.WriteString(`,"p75_ttft_ms":1,"p50_itl_ms":2,"p99.9_itl_ms":3,"request_goodput":6,"max_send_lateness_ms":5,"odd":4}`)
	if string(got) != want.String() {
		t.Errorf("got  %s\nwant %s", got, want.String())
	}
}

func TestJSONRoundTrip(t *testing.T) {
	v := Of(map[string]float64{"duration_s": 0.1, "completed": 1e6, "p99.9_ttft_ms": 12345678.25})
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	back := &Values{}
	if err := json.Unmarshal(data, back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v, back); diff != "" {
		t.Error(diff)
	}
	var none *Values
	if err := json.Unmarshal([]byte("null"), &none); err != nil || none != nil {
		t.Errorf("null gave %v, %v", none, err)
	}
	if err := json.Unmarshal([]byte(`{"completed":"many"}`), &none); err == nil {
		t.Error("a string passed as a number")
	}
}

func TestValuesNames(t *testing.T) {
	v := Of(map[string]float64{"p99.9_ttft_ms": 1, "mean_ttft_ms": 1, "duration_s": 1})
	if diff := cmp.Diff([]string{"duration_s", "mean_ttft_ms", "p99.9_ttft_ms"}, v.Names()); diff != "" {
		t.Error(diff)
	}
	if _, ok := (Of(map[string]float64{"duration_s": math.Inf(1)})).Get("duration_s"); ok {
		t.Error("an infinite value passed as finite")
	}
}

// Values are a map from names to numbers, whatever is done to them.
func TestValuesAreAMap(t *testing.T) {
	names := append(Names(), "p50_ttft_ms", "p99.9_itl_ms", "p90_ttft_m", "x", "", "mean_ttft_mx", "failec")
	rapid.Check(t, func(t *rapid.T) {
		v, want := &Values{}, map[string]float64{}
		for range rapid.IntRange(0, 80).Draw(t, "steps") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			if rapid.Bool().Draw(t, "delete") {
				v.Delete(name)
				delete(want, name)
			} else {
				f := rapid.SampledFrom([]float64{0, -1.5, 7, math.NaN(), math.Inf(-1)}).Draw(t, "value")
				v.Set(name, f)
				want[name] = f
			}
		}
		for _, name := range names {
			f, known := want[name]
			got, ok := v.Known(name)
			if _, fin := v.Get(name); ok != known || !same(got, f) || !same(v.Value(name), f) || fin != (known && finite(f)) {
				t.Fatalf("%s is %v, %v, want %v, %v", name, got, ok, f, known)
			}
		}
		if v.Len() != len(want) || !v.Equal(Of(want)) {
			t.Fatalf("%d values %v, want %v", v.Len(), v.Names(), want)
		}
		v.Set("x", 3)
		want["x"] = 4
		if v.Equal(Of(want)) {
			t.Fatal("another value is equal")
		}
	})
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestNoValues(t *testing.T) {
	var none *Values
	if _, ok := none.Get("completed"); ok || none.Len() != 0 || len(none.Names()) != 0 || none.Value("failed") != 0 || !none.Equal(nil) || none.Equal(&Values{}) {
		t.Error("nothing holds something")
	}
	if data, err := json.Marshal(none); err != nil || string(data) != "null" {
		t.Errorf("nothing is %s, %v", data, err)
	}
}
