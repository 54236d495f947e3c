package find

import (
	"math"
)

// Report is the search as the JSON line of a benchmark holds it.
type Report struct {
	Goal      string        `json:"goal"`
	SLO       SLO           `json:"slo"`
	From      float64       `json:"from"`
	To        float64       `json:"to"`
	Precision float64       `json:"precision"`
	ProbeS    float64       `json:"probe_s"`
	Outcome   string        `json:"outcome"`
	Level     *float64      `json:"level"`
	Above     *float64      `json:"above"`
	Confirmed bool          `json:"confirmed"`
	Notes     []string      `json:"notes"`
	Probes    []ProbeReport `json:"probes"`
}

// ProbeReport is one measurement: metrics are those of the SLO, rise the seconds that requests wait
// longer with each second.
type ProbeReport struct {
	Level    float64             `json:"level"`
	Requests int                 `json:"requests"`
	Long     bool                `json:"long"`
	SentRate *float64            `json:"sent_rate"`
	Rise     *float64            `json:"rise"`
	Metrics  map[string]*float64 `json:"metrics"`
	Met      bool                `json:"met"`
	Why      []string            `json:"why"`
}

// Report gives the search in the form that is kept; nil of none.
func (r *Result) Report() *Report {
	if r == nil {
		return nil
	}
	o := r.Options
	report := &Report{
		Goal: o.Goal, SLO: r.SLO, From: o.From, To: o.To, Precision: o.Precision, ProbeS: seconds(o.Probe), Outcome: r.Outcome,
		Level: known(r.Level()), Above: known(r.Above), Confirmed: r.Confirmed, Notes: append([]string{}, r.Notes...), Probes: []ProbeReport{},
	}
	for _, p := range r.Probes {
		each := ProbeReport{Level: p.Level, Requests: p.Requests, Long: p.Confirm, Metrics: map[string]*float64{}, Met: p.Met, Why: append([]string{}, p.Why...)}
		if !o.whole() && p.Nothing == "" {
			each.SentRate, each.Rise = known(p.Sent), &p.Rise
		}
		for _, objective := range r.SLO {
			if value, told := objective.value(p.Metrics); told {
				each.Metrics[objective.Metric] = &value
			}
		}
		report.Probes = append(report.Probes, each)
	}
	return report
}

// known is a number that JSON can hold; nil for 0, which here says that there is none.
func known(f float64) *float64 {
	if f == 0 || math.IsInf(f, 0) || math.IsNaN(f) {
		return nil
	}
	return &f
}
