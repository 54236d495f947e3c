package stats

import (
	"errors"
	"fmt"
	"math"

	moremath "github.com/aclements/go-moremath/stats"
)

// Names of the tests, as they stand in Ratio.Test.
const (
	PairedT = "paired t"
	WelchT  = "Welch t"
)

// RankFrom is how many values each arm needs for a Mann–Whitney test: with fewer its smallest
// two-sided p is 0.1, so that it can never tell arms apart at the usual 0.05.
const RankFrom = 4

// noSpread is the standard deviation of logs below which values count as the same: a relative
// difference of 1e-12 is rounding, and no benchmark measures it.
const noSpread = 1e-12

// Ratio is arm / baseline, the geometric mean over server starts, with what can be said of it.
type Ratio struct {
	// Test is PairedT or WelchT, or "" where none was possible: fewer than two starts, or
	// no spread at all.
	Test string
	// N is the number of pairs; of unpaired arms the smaller number of starts.
	N int
	// Ratio is exp of the mean log ratio; Low and High are its interval, from the t interval of
	// the logs. NaN where unknown (Low and High with fewer than two starts); without any
	// spread the interval is the point.
	Ratio, Low, High float64
	// P is the two-sided p value of "the ratio is 1", NaN where no test was possible.
	P float64
	// RankP is the two-sided Mann–Whitney p value: exact up to 50 starts an arm (25 with
	// ties), then by the normal approximation. NaN for pairs, with fewer than RankFrom starts
	// in an arm, and where all values are the same.
	RankP float64
	// SD is the standard deviation of the log ratios (pairs), or the root mean square of the
	// two arms' standard deviations of logs, per start. NaN with fewer than two starts. A log
	// difference is close to a relative one: 0.01 is about 1 %.
	SD float64
	// DF are the degrees of freedom of the t distribution used; NaN without a test.
	DF float64
	// Confidence is that of the interval, a share such as 0.95.
	Confidence float64
}

// Paired compares values that were measured in the same blocks: baseline[i] and arm[i] are one
// block's start means. It is the paired t test on ln(arm/baseline).
//
// It fails where the arms differ in length, where a value is not finite or not above zero
// (its ratio has no logarithm), or where confidence is not between 0 and 1.
func Paired(baseline, arm []float64, confidence float64) (Ratio, error) {
	if len(baseline) != len(arm) {
		return Ratio{}, fmt.Errorf("a baseline of %d values and an arm of %d make no pairs", len(baseline), len(arm))
	}
	a, b, err := logs(baseline, arm, confidence)
	if err != nil {
		return Ratio{}, err
	}
	d := make([]float64, len(a))
	for i := range d {
		d[i] = b[i] - a[i]
	}
	r := unknown(len(d), confidence)
	mean := moremath.Mean(d)
	r.Ratio = math.Exp(mean)
	if r.N < 2 {
		return r, nil
	}
	r.SD = moremath.StdDev(d)
	r.test(PairedT, mean, r.SD/math.Sqrt(float64(r.N)), float64(r.N-1))
	return r, nil
}

// Unpaired compares values of starts that have nothing in common: Welch's t test on the logs
// (Welch 1947, with Satterthwaite's degrees of freedom), Mann–Whitney beside it.
//
// It fails as Paired does, except that the arms may differ in length.
func Unpaired(baseline, arm []float64, confidence float64) (Ratio, error) {
	a, b, err := logs(baseline, arm, confidence)
	if err != nil {
		return Ratio{}, err
	}
	r := unknown(min(len(a), len(b)), confidence)
	mean := moremath.Mean(b) - moremath.Mean(a)
	r.Ratio = math.Exp(mean)
	r.RankP = rank(baseline, arm)
	if r.N < 2 {
		return r, nil
	}
	va, vb := moremath.Variance(a), moremath.Variance(b)
	r.SD = math.Sqrt((va + vb) / 2)
	na, nb := float64(len(a)), float64(len(b))
	sa, sb := va/na, vb/nb
	// In shares of the sum: squares of tiny variances would underflow.
	share := sa / (sa + sb)
	df := 1 / (share*share/(na-1) + (1-share)*(1-share)/(nb-1))
	r.test(WelchT, mean, math.Sqrt(sa+sb), df)
	return r, nil
}

// test fills in what a t test says of a mean log ratio with the standard error se.
func (r *Ratio) test(name string, mean, se, df float64) {
	if r.SD < noSpread {
		r.SD = 0
		r.Low, r.High = r.Ratio, r.Ratio
		return
	}
	r.Test, r.DF = name, df
	r.P = twoSided(mean/se, df)
	half := critical(df, r.Confidence) * se
	r.Low, r.High = math.Exp(mean-half), math.Exp(mean+half)
}

// rank is the two-sided Mann–Whitney p value, NaN where the test cannot be had: twice the smaller
// tail. The tails are asked for one by one, because moremath's own two-sided p takes the
// distribution of U to be symmetric, which it is not with ties in arms of different sizes.
func rank(a, b []float64) float64 {
	if min(len(a), len(b)) < RankFrom {
		return math.NaN()
	}
	below, err := moremath.MannWhitneyUTest(a, b, moremath.LocationLess)
	if err != nil { // all values are the same
		return math.NaN()
	}
	above, err := moremath.MannWhitneyUTest(b, a, moremath.LocationLess)
	if err != nil {
		return math.NaN()
	}
	return math.Min(1, 2*math.Min(below.P, above.P))
}

func unknown(n int, confidence float64) Ratio {
	nan := math.NaN()
	return Ratio{N: n, Ratio: nan, Low: nan, High: nan, P: nan, RankP: nan, SD: nan, DF: nan, Confidence: confidence}
}

func logs(baseline, arm []float64, confidence float64) (a, b []float64, err error) {
	if err := checkConfidence(confidence); err != nil {
		return nil, nil, err
	}
	if a, err = logsOf("baseline", baseline); err != nil {
		return nil, nil, err
	}
	b, err = logsOf("arm", arm)
	return a, b, err
}

func logsOf(which string, values []float64) ([]float64, error) {
	out := make([]float64, len(values))
	for i, v := range values {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("value %d of the %s is %v: a ratio needs finite values above zero", i+1, which, v)
		}
		out[i] = math.Log(v)
	}
	return out, nil
}

func checkConfidence(confidence float64) error {
	if !(confidence > 0 && confidence < 1) {
		return errors.New("a confidence is a share between 0 and 1, such as 0.95")
	}
	return nil
}
