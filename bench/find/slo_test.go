package find

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/metric"
)

func TestParseSLO(t *testing.T) {
	slo, err := ParseSLO(" p99_ttft_ms < 500,mean_tpot_ms<=49.5, p99.9_e2e_latency_ms<1e4,goodput>=0.95")
	if err != nil {
		t.Fatal(err)
	}
	want := SLO{{"p99_ttft_ms", "<", 500}, {"mean_tpot_ms", "<=", 49.5}, {"p99.9_e2e_latency_ms", "<", 1e4}, {"goodput", ">=", 0.95}}
	if diff := cmp.Diff(want, slo); diff != "" {
		t.Error(diff)
	}
	if slo.String() != "p99_ttft_ms<500,mean_tpot_ms<=49.5,p99.9_e2e_latency_ms<10000,goodput>=0.95" {
		t.Error(slo)
	}
	if numbers := slo.Percentiles(); !slices.Equal(numbers, []string{"99", "99.9"}) {
		t.Error(numbers)
	}
}

func TestMistakesInAnSLONameTheirPlace(t *testing.T) {
	for text, says := range map[string]string{
		"":                               `"" at 1: want METRIC<LIMIT`,
		"p99_ttft_ms<500,":               "at 17: want METRIC<LIMIT",
		"p99_ttft_ms<500, p99_tpt_ms<50": `at 18: "p99_tpt_ms" is no metric, did you mean "p99_tpot_ms"?`,
		"latency<5":                      `at 1: "latency" is no metric, known are`,
		"p99_ttft_ms":                    "at 12: no limit follows p99_ttft_ms: want p99_ttft_ms<LIMIT",
		"p99_ttft_ms>500":                `at 12: ">": less is better of p99_ttft_ms, so its limit follows < or <=`,
		"p99_ttft_ms==500":               `at 12: "=="`,
		"p99_ttft_ms<":                   `at 13: "" is no limit`,
		"p99_ttft_ms<500ms":              `at 13: "500ms" is no limit: want a number of more than 0, in ms`,
		"p99_ttft_ms< -1":                `at 14: "-1" is no limit`,
		"p99_ttft_ms<inf":                `at 13: "inf" is no limit`,
		"output_throughput<5":            "at 1: output_throughput does not get worse with the load",
		"goodput<0.9":                    `at 8: "<": more is better of goodput, so its limit follows > or >=`,
		"goodput>=95":                    `at 10: "95" is no limit: want a share of more than 0, at most 1`,
		"p99_ttft_ms<5,p99_ttft_ms<6":    "at 15: p99_ttft_ms has a limit already",
	} {
		if _, err := ParseSLO(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

// Each latency of the table can be bounded, and nothing that is better when it is more.
func TestWhatAnSLOCanBound(t *testing.T) {
	for _, name := range metric.Names() {
		info, _ := metric.Lookup(name)
		if _, err := ParseSLO(name + "<1"); (err == nil) != (info.Unit == "ms") {
			t.Errorf("%s<1: %v", name, err)
		}
	}
}

func TestJudge(t *testing.T) {
	slo, err := ParseSLO("p99_ttft_ms<100,goodput>=0.9")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ttft, good, failed, rise, sent float64
		why                            string
		near, byClient                 bool
	}{
		{ttft: 50, good: 10, sent: 10},
		{ttft: 95, good: 10, sent: 10, near: true},
		{ttft: 105, good: 10, sent: 10, why: "p99_ttft_ms is 105", near: true},
		{ttft: 150, good: 10, sent: 10, why: "p99_ttft_ms is 150"},
		{ttft: 50, good: 9.09, sent: 10, near: true},
		{ttft: 50, good: 8.95, sent: 10, why: "goodput is 0.895", near: true},
		{ttft: 50, good: 8, sent: 10, why: "goodput is 0.8"},
		{ttft: 50, good: 10, failed: 1, sent: 10, why: "1 of 100 requests failed"},
		{ttft: 50, good: 10, rise: 0.2, sent: 10, why: "the queue grows: requests wait 0.2 s longer with each second"},
		{ttft: 50, good: 10, sent: 9, why: "the client sent only 9 req/s", byClient: true},
		{ttft: 150, good: 10, sent: 9, why: "p99_ttft_ms is 150; the client sent only 9 req/s"},
	} {
		m := metric.Of(map[string]float64{"p99_ttft_ms": c.ttft, "request_goodput": c.good, "request_throughput": 10, "failed": c.failed})
		p, err := slo.judge(Ask{Level: 10, Requests: 100}, Seen{Metrics: m, Rise: c.rise, Sent: c.sent}, true)
		if err != nil || p.why() != c.why || p.Met != (c.why == "") || p.near != c.near || p.ByClient != c.byClient {
			t.Errorf("%+v: %+v, %v", c, p, err)
		}
	}
	m := metric.Of(map[string]float64{"p99_ttft_ms": 50, "request_throughput": 10})
	if _, err := slo.judge(Ask{}, Seen{Metrics: m}, false); err == nil || !strings.Contains(err.Error(), "goodput was not measured") {
		t.Error(err)
	}
}

func TestLoadOfAGoodputOfAll(t *testing.T) {
	all := Objective{Goodput, ">=", 1}
	if all.load(1) != 0 || !math.IsInf(all.load(0.99), 1) || !all.met(1) || all.met(0.99) {
		t.Error("goodput>=1 does not mean all")
	}
}
