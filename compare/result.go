package compare

import (
	"servematrix/matrix"
	"servematrix/stats"
)

// Result is a whole comparison.
type Result struct {
	// Arms are the names of the arms, the baseline first.
	Arms []string
	// Chosen says in a sentence which baseline was taken where none was given; else "".
	Chosen string
	// PairedOn says what the cells of a pair have in common: "tp, load", "client name".
	PairedOn string
	// Primary is the metric whose verdicts count, MinEffect the smallest difference of it that
	// matters, as a share; Confidence that of all intervals, as a share.
	Primary               string
	MinEffect, Confidence float64
	// Metrics are those of each pair's comparisons, the primary one first.
	Metrics []string
	// Pairs are the cells, by arm and in the plan's order.
	Pairs []Pair
	// Alone names cells that stand in one arm only.
	Alone []string
	// Missing are the cells of the baseline without a counterpart in an arm, by arm: pairs without
	// comparisons, which no gate lets pass.
	Missing []Pair
	// Differences are all known ways in which an arm differs from the baseline.
	Differences []Difference
	// Clean is the answer to "Is this a clean A/B?", one for each arm but the baseline.
	Clean []Clean
	// Simulated is true where numbers come from the simulated server, Smoke where a source is a rehearsal.
	Simulated, Smoke bool
	// Notes are further remarks, each a sentence.
	Notes []string
}

// Pair is a cell of the baseline and its counterpart in one arm.
type Pair struct {
	// Cell names what both have in common, Axes those values; nil where it was not paired by axes.
	Cell string
	Axes matrix.Axes
	// Arm is the arm that is compared with the baseline.
	Arm string
	// BaselineCell and ArmCell are the ids of the two cells, of several the first; "" where the
	// samples tell none.
	BaselineCell, ArmCell string
	// Lost are the blocks of each arm that no average takes in.
	BaselineLost, ArmLost Lost
	// BaselineStarts and ArmStarts are how many valid starts each arm has, with whatever metrics;
	// BaselineWith and ArmWith are how many of them have the primary one.
	BaselineStarts, ArmStarts, BaselineWith, ArmWith int
	// Paired tells that the values of one block were set against one another; else the starts
	// of both arms were taken as independent.
	Paired bool
	// Metrics are the comparisons, in the order of Result.Metrics; a metric that no start of
	// one of the arms has is left out.
	Metrics []Comparison
}

// Comparison is one metric of a pair.
type Comparison struct {
	Metric string
	// Exploratory is true of every metric but the primary one: its p value is not adjusted for
	// how many were looked at.
	Exploratory bool
	// Baseline and Arm are the means over starts, in the metric's unit. Of a paired comparison
	// they are over the blocks that both have.
	Baseline, Arm stats.Estimate
	// Ratio is arm / baseline; its fields are NaN where nothing is known.
	Ratio stats.Ratio
	// P is the p value that counts: adjusted by Holm for the primary metric. NaN: none.
	P       float64
	Verdict stats.Verdict
	// Needed is how many starts per arm a verdict would take; 0 unknown, also where there is one.
	Needed int
	// Note says why there is no ratio, else "".
	Note string
}

// Of gives the comparison of a metric.
func (p *Pair) Of(metric string) (Comparison, bool) {
	for _, c := range p.Metrics {
		if c.Metric == metric {
			return c, true
		}
	}
	return Comparison{}, false
}

// Difference is one thing in which an arm differs from the baseline.
type Difference struct {
	// Arm is the arm that differs.
	Arm string
	// Kind is the group: flag, env, command, axis, order, starts, or a kind of fact (host, driver …).
	Kind string
	// Name is the thing: "--disable-radix"; Client tells that it is of the client's command.
	Name   string
	Client bool
	// Baseline and Value are what each arm has; nil where it has none.
	Baseline, Value *string
	// Compared is true of what --baseline names; Harmless of what changes no measurement.
	Compared, Harmless bool
	// Pairs is how many pairs differ so.
	Pairs int
}

// What names the difference in words: "flag --disable-radix", "client env HF_HOME".
func (d Difference) What() string {
	if d.Client {
		return "client " + d.Kind + " " + d.Name
	}
	if d.Name == "" {
		return d.Kind
	}
	return d.Kind + " " + d.Name
}

// Clean says whether what was measured can be put down to one thing.
type Clean struct {
	Arm string
	Yes bool
	// Why are the reasons against it; where there are none, the one thing that differs. That too
	// little was measured for a verdict stands behind either.
	Why []string
}
