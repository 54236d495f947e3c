package report

import (
	"bufio"
	"encoding/json"
	"io"
	"math"

	"servematrix/compare"
	"servematrix/matrix"
	"servematrix/stats"
)

// compareJSON is the document of compare --format json, as docs/compare.md has it.
type compareJSON struct {
	Baseline    string            `json:"baseline"`
	Arms        []string          `json:"arms"` // without the baseline
	Primary     string            `json:"primary"`
	MinEffect   float64           `json:"min_effect"`
	Confidence  float64           `json:"confidence"`
	Comparisons []comparisonJSON  `json:"comparisons"`
	Differences []differenceJSON  `json:"differences"`
	Clean       []cleanJSON       `json:"clean"`
	Alone       []string          `json:"alone"`
	Notes       []string          `json:"notes"`
	Gates       []gateFailureJSON `json:"gates"`
	Simulated   bool              `json:"simulated,omitempty"`
	Smoke       bool              `json:"smoke,omitempty"`
}

// comparisonJSON is one metric of one cell in one arm. Baseline and Arm are the arms' means over
// server starts, as Differences has each arm's value under these keys.
type comparisonJSON struct {
	Cell        string        `json:"cell"`
	Metric      string        `json:"metric"`
	Baseline    *float64      `json:"baseline"`
	Arm         *float64      `json:"arm"`
	N           int           `json:"n"`
	Ratio       *float64      `json:"ratio"`
	CI          [2]*float64   `json:"ci"`
	P           *float64      `json:"p"`
	Verdict     stats.Verdict `json:"verdict"`
	Exploratory bool          `json:"exploratory"`
	Of          string        `json:"of"`
	Axes        *matrix.Axes  `json:"axes"`
	Test        *string       `json:"test"`
	RawP        *float64      `json:"p_unadjusted"`
	RankP       *float64      `json:"p_rank"`
	Needed      *int          `json:"needed"`
	Note        *string       `json:"note"`
	BaselineIs  armJSON       `json:"baseline_starts"`
	ArmIs       armJSON       `json:"arm_starts"`
}

// armJSON is what the mean of an arm rests on.
type armJSON struct {
	N       int         `json:"n"`
	SD      *float64    `json:"sd"`
	CI      [2]*float64 `json:"ci"`
	Invalid int         `json:"invalid"`
	Failed  int         `json:"failed"`
	Skipped int         `json:"skipped"`
}

type differenceJSON struct {
	What     string  `json:"what"`
	Baseline *string `json:"baseline"`
	Arm      *string `json:"arm"`
	Of       string  `json:"of"`
	Kind     string  `json:"kind"`
	Compared bool    `json:"compared"`
	Harmless bool    `json:"harmless"`
	Cells    int     `json:"cells"`
}

type cleanJSON struct {
	Of    string   `json:"of"`
	Clean bool     `json:"clean"`
	Why   []string `json:"why"`
}

type gateFailureJSON struct {
	Gate string `json:"gate"`
	Cell string `json:"cell"`
	Arm  string `json:"arm"`
	Why  string `json:"why"`
}

// CompareJSON writes a comparison, and what became of its gates, as one JSON document. What is
// not known or not finite is null.
func CompareJSON(w io.Writer, r *compare.Result, gates compare.Outcome) error {
	doc := compareJSON{
		Baseline: r.Arms[0], Arms: r.Arms[1:], Primary: r.Primary, MinEffect: r.MinEffect, Confidence: r.Confidence,
		Comparisons: []comparisonJSON{}, Differences: []differenceJSON{}, Clean: []cleanJSON{}, Gates: []gateFailureJSON{},
		Alone: append([]string{}, r.Alone...), Notes: append([]string{}, r.Notes...), Simulated: r.Simulated, Smoke: r.Smoke,
	}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		for _, m := range p.Metrics {
			doc.Comparisons = append(doc.Comparisons, comparisonOf(r, p, m))
		}
		if _, ok := p.Of(r.Primary); !ok { // nothing was measured: the cell is there all the same
			nan := math.NaN()
			none := compare.Comparison{Metric: r.Primary, P: nan, Verdict: stats.Inconclusive, Note: "an arm has no valid start",
				Baseline: stats.Mean(nil, r.Confidence), Arm: stats.Mean(nil, r.Confidence),
				Ratio: stats.Ratio{Ratio: nan, Low: nan, High: nan, P: nan, RankP: nan}}
			doc.Comparisons = append(doc.Comparisons, comparisonOf(r, p, none))
		}
	}
	for _, d := range r.Differences {
		doc.Differences = append(doc.Differences, differenceJSON{d.What(), d.Baseline, d.Value, d.Arm, d.Kind, d.Compared, d.Harmless, d.Pairs})
	}
	for _, c := range r.Clean {
		doc.Clean = append(doc.Clean, cleanJSON{c.Arm, c.Yes, c.Why})
	}
	for _, f := range gates.Failed {
		doc.Gates = append(doc.Gates, gateFailureJSON{f.Gate.Text, f.Pair.Cell, f.Pair.Arm, f.Why})
	}
	out := bufio.NewWriterSize(w, 64<<10)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return err
	}
	return out.Flush()
}

func comparisonOf(r *compare.Result, p *compare.Pair, m compare.Comparison) comparisonJSON {
	out := comparisonJSON{
		Cell: p.Cell, Metric: m.Metric, N: m.Ratio.N, Verdict: m.Verdict, Exploratory: m.Exploratory,
		Baseline: finite(m.Baseline.Mean), Arm: finite(m.Arm.Mean), Of: p.Arm,
		BaselineIs: armOf(m.Baseline, p.BaselineLost), ArmIs: armOf(m.Arm, p.ArmLost),
		Ratio: finite(m.Ratio.Ratio), CI: [2]*float64{finite(m.Ratio.Low), finite(m.Ratio.High)},
		P: finite(m.P), RawP: finite(m.Ratio.P), RankP: finite(m.Ratio.RankP),
	}
	if p.Axes != nil {
		out.Axes = &p.Axes
	}
	if m.Ratio.Test != "" {
		out.Test = &m.Ratio.Test
	}
	if m.Needed > 0 {
		out.Needed = &m.Needed
	}
	if m.Note != "" {
		out.Note = &m.Note
	}
	return out
}

func armOf(e stats.Estimate, l compare.Lost) armJSON {
	return armJSON{N: e.N, SD: finite(e.SD), CI: [2]*float64{finite(e.Low), finite(e.High)},
		Invalid: l.Invalid, Failed: l.Failed, Skipped: l.Skipped}
}

// finite gives nil for what JSON cannot hold.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
