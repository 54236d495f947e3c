package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"servematrix/metric"
)

// significant tells whether a comparison of the start means claims any difference at 5 %.
func significant(t *testing.T, of compare, baseline, arm []float64) bool {
	r, err := of(baseline, arm, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	return r.P <= 0.05
}

func falseAlarm(t *testing.T, of compare, o order, h host, n int) float64 {
	name := fmt.Sprintf("false alarm, %s, %s, %d", o.name, h.name, n)
	return share(name, func(rng *rand.Rand) bool {
		arms := session(rng, o, h, n, 2, 0)
		return significant(t, of, startMeans(arms[0]), startMeans(arms[1]))
	})
}

// Which unit is the replicate: the same twelve runs and their likes, read as independent runs
// and as starts.
func TestSimulationReplicate(t *testing.T) {
	out := newTable("starts × runs an arm", "Welch over all runs", "Welch over start means", "paired t over start means")
	for _, c := range []struct{ starts, runs int }{{1, 6}, {2, 4}, {3, 3}, {5, 2}, {10, 1}} {
		rate := func(test string, of compare, unit func([][]float64) []float64) string {
			if test != "runs" && c.starts < 2 {
				return "–"
			}
			name := fmt.Sprintf("replicate, %s, %d, %d", test, c.starts, c.runs)
			v := share(name, func(rng *rand.Rand) bool {
				arms := session(rng, random, steady, c.starts, c.runs, 0)
				return significant(t, of, unit(arms[0]), unit(arms[1]))
			})
			if test != "runs" {
				atMost(t, name, v, 6)
			} else if c.runs > 1 {
				atLeast(t, name, v, 10) // the reason for all this
			}
			return percent(v)
		}
		all := func(starts [][]float64) []float64 { return slices.Concat(starts...) }
		out.row(fmt.Sprintf("%d × %d", c.starts, c.runs), rate("runs", Unpaired, all), rate("start means", Unpaired, startMeans), rate("pairs", Paired, startMeans))
	}
	out.show(t)
}

// Order against drift, at five starts an arm.
func TestSimulationOrder(t *testing.T) {
	out := newTable("order, test", steady.name, drifting.name, persistent.name)
	for _, c := range []struct {
		order order
		test  string
		of    compare
	}{
		{oneThenOther, WelchT, Unpaired}, {alternating, PairedT, Paired}, {abba, PairedT, Paired}, {random, PairedT, Paired}, {mirrored, PairedT, Paired},
	} {
		row := []string{c.order.name + ", " + c.test}
		for _, h := range hosts {
			v := falseAlarm(t, c.of, c.order, h, 5)
			switch c.order.name {
			case random.name, mirrored.name:
				atMost(t, c.order.name+" with "+h.name, v, 5.5)
			case oneThenOther.name:
				if h.name != steady.name {
					atLeast(t, c.order.name+" with "+h.name, v, 15)
				}
			}
			row = append(row, percent(v))
		}
		out.row(row...)
	}
	out.show(t)
}

// The paired t test keeps its level from three blocks to ten, and Welch's where nothing drifts.
func TestSimulationLevel(t *testing.T) {
	head := []string{"n"}
	for _, o := range []order{random, mirrored} {
		for _, h := range hosts {
			head = append(head, "paired t, "+o.name+", "+h.name)
		}
	}
	out := newTable(append(head, "Welch t, no drift", "Mann–Whitney, no drift")...)
	for n := 3; n <= 10; n++ {
		row := []string{fmt.Sprint(n)}
		for _, o := range []order{random, mirrored} {
			for _, h := range hosts {
				v := falseAlarm(t, Paired, o, h, n)
				what := fmt.Sprintf("paired t, %s, %s, n = %d", o.name, h.name, n)
				atMost(t, what, v, 6)
				if h.name == steady.name {
					atLeast(t, what, v, 4)
				}
				row = append(row, percent(v))
			}
		}
		welch := falseAlarm(t, Unpaired, random, steady, n)
		atMost(t, fmt.Sprintf("Welch t, n = %d", n), welch, 6)
		ranks := "–"
		if n >= RankFrom {
			v := share(fmt.Sprintf("ranks, %d", n), func(rng *rand.Rand) bool {
				arms := session(rng, random, steady, n, 2, 0)
				r, err := Unpaired(startMeans(arms[0]), startMeans(arms[1]), 0.95)
				if err != nil {
					t.Fatal(err)
				}
				return r.RankP <= 0.05
			})
			atMost(t, fmt.Sprintf("Mann–Whitney, n = %d", n), v, 6)
			ranks = percent(v)
		}
		out.row(append(row, percent(welch), ranks)...)
	}
	out.show(t)
}

// How often a 95 % interval holds the truth.
func TestSimulationCoverage(t *testing.T) {
	out := newTable("n", "t interval", "percentile bootstrap")
	for _, n := range []int{3, 4, 5, 8, 10} {
		draw := func(rng *rand.Rand) []float64 {
			d := make([]float64, n)
			for i := range d {
				d[i] = startSD * rng.NormFloat64()
			}
			return d
		}
		student := share(fmt.Sprintf("coverage, t, %d", n), func(rng *rand.Rand) bool {
			e := Mean(draw(rng), 0.95)
			return e.Low <= 0 && 0 <= e.High
		})
		bootstrap := share(fmt.Sprintf("coverage, bootstrap, %d", n), func(rng *rand.Rand) bool {
			low, high := percentileBootstrap(rng, draw(rng))
			return low <= 0 && 0 <= high
		})
		atLeast(t, fmt.Sprintf("t interval, n = %d", n), student, 94)
		atMost(t, fmt.Sprintf("t interval, n = %d", n), student, 96)
		atMost(t, fmt.Sprintf("bootstrap, n = %d", n), bootstrap, 93) // why it is not used
		out.row(fmt.Sprint(n), percent(student), percent(bootstrap))
	}
	out.show(t)
}

// percentileBootstrap is the 95 % interval that is so often drawn: the 2.5th and 97.5th
// percentile of the means of 1000 resamples.
func percentileBootstrap(rng *rand.Rand, values []float64) (low, high float64) {
	means := make([]float64, 1000)
	for i := range means {
		for range values {
			means[i] += values[rng.IntN(len(values))] / float64(len(values))
		}
	}
	slices.Sort(means)
	return means[25], means[974]
}

// The power of the paired t where a start's mean scatters by 1 %, simulated and by the formula that Needed uses; and how often the
// verdict "better" comes, for which the ratio must reach min_effect (2 %) too.
func TestSimulationPower(t *testing.T) {
	out := newTable("n", "effect 2 %: p ≤ 0.05", "by formula", "verdict", "effect 3 %: p ≤ 0.05", "by formula", "verdict")
	for _, n := range []int{3, 4, 5, 6, 8, 10} {
		row := []string{fmt.Sprint(n)}
		for _, effect := range []float64{0.02, 0.03} {
			verdicts := 0
			v := share(fmt.Sprintf("power, %d, %v", n, effect), func(rng *rand.Rand) bool {
				baseline, arm := startNoise(rng, n, 0), startNoise(rng, n, 0)
				for i := range arm {
					baseline[i], arm[i] = math.Exp(baseline[i]), math.Exp(arm[i]+effect)
				}
				r, err := Paired(baseline, arm, 0.95)
				if err != nil {
					t.Fatal(err)
				}
				if Judge(r, r.P, metric.Higher, 0.02) == Better {
					verdicts++
				}
				return r.P <= 0.05
			})
			formula := 100 * reach(PairedT, n, effect/(startSD*math.Sqrt2), 0.95)
			atLeast(t, fmt.Sprintf("power, n = %d, effect %v", n, effect), v, formula-1)
			atMost(t, fmt.Sprintf("power, n = %d, effect %v", n, effect), v, formula+1)
			row = append(row, percent(v), percent(formula), percent(100*float64(verdicts)/float64(*sims)))
		}
		out.row(row...)
	}
	out.show(t)
}

// What the verdicts of whole sweeps are worth: cells that are all the same, with and without
// Holm; and an effect just at the border that must not be called equivalent.
func TestSimulationVerdicts(t *testing.T) {
	out := newTable("n", "any of 8 equal cells p ≤ 0.05", "after Holm", "a verdict better or worse", "equal arms called equivalent", "a 2 % effect called equivalent")
	const cells = 8
	for _, n := range []int{3, 5, 8} {
		holm, verdicts := 0, 0
		plain := share(fmt.Sprintf("cells, %d", n), func(rng *rand.Rand) bool {
			ratios, p := make([]Ratio, cells), make([]float64, cells)
			for i := range ratios {
				arms := session(rng, mirrored, drifting, n, 2, 0)
				r, err := Paired(startMeans(arms[0]), startMeans(arms[1]), 0.95)
				if err != nil {
					t.Fatal(err)
				}
				ratios[i], p[i] = r, r.P
			}
			adjusted := Holm(p)
			if slices.Min(adjusted) <= 0.05 {
				holm++
			}
			for i, r := range ratios {
				if v := Judge(r, adjusted[i], metric.Higher, 0.02); v == Better || v == Worse {
					verdicts++
					break
				}
			}
			return slices.Min(p) <= 0.05
		})
		equivalent := func(effect float64) float64 {
			return share(fmt.Sprintf("equivalent, %d, %v", n, effect), func(rng *rand.Rand) bool {
				arms := session(rng, mirrored, steady, n, 2, effect)
				r, err := Paired(startMeans(arms[0]), startMeans(arms[1]), 0.95)
				if err != nil {
					t.Fatal(err)
				}
				return Judge(r, r.P, metric.Higher, 0.02) == Equivalent
			})
		}
		same, apart := equivalent(0), equivalent(math.Log1p(0.02))
		of := func(hits int) float64 { return 100 * float64(hits) / float64(*sims) }
		atMost(t, fmt.Sprintf("any cell after Holm, n = %d", n), of(holm), 5.5)
		atMost(t, fmt.Sprintf("any verdict, n = %d", n), of(verdicts), 5.5)
		atMost(t, fmt.Sprintf("2 %% called equivalent, n = %d", n), apart, 3)
		out.row(fmt.Sprint(n), percent(plain), percent(of(holm)), percent(of(verdicts)), percent(same), percent(apart))
	}
	out.show(t)
}
