package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/stats"
)

// Confidence is that of every interval; Power that with which Needed plans.
const (
	Confidence = 0.95
	Power      = 0.8
)

// Defaults where no sweep says otherwise.
const (
	DefaultPrimary   = "output_throughput"
	DefaultMinEffect = 0.02
)

// Options say what is compared.
type Options struct {
	// Baseline are the texts of --baseline, "axis=value[,axis=value…]" each; all of them together
	// are one baseline. Without any, the choice is made and said where only one is possible.
	Baseline []string
	// Primary and MinEffect, a share, take the place of what the first source says; "" and nil do not.
	Primary   string
	MinEffect *float64
	// Metrics are further metrics, besides the primary and the usual ones.
	Metrics []string
	// Only leaves the usual metrics out.
	Only bool
	// Halt is asked before each pair: an error of it ends the comparison and is what Compare gives.
	Halt func() error
}

// Compare pairs the cells of the sources and judges each pair. A UsageError says that the
// selection does not fit the samples.
func Compare(sources []Source, o Options) (*Result, error) {
	b := newBook(sources)
	r := &Result{Confidence: Confidence}
	if err := r.settle(sources, o); err != nil {
		return nil, err
	}
	if len(b.cells) == 0 {
		return nil, usage("", "there is no sample yet")
	}
	terms, err := b.resolve(o.Baseline)
	if len(o.Baseline) == 0 {
		terms, r.Chosen, err = b.choose()
	}
	if err != nil {
		return nil, err
	}
	pairs, how, arms, alone, err := b.paired(terms)
	if err != nil {
		return nil, err
	}
	r.Arms, r.Alone, r.PairedOn = arms, alone, b.pairedOn(how, terms)
	r.Missing = b.missing(terms, how, arms, pairs)
	if b.guessed {
		r.Notes = append(r.Notes, "Nothing but the commands tells which cells belong together: each variant is set against the one that differs least from it.")
	}
	d := newDiffer(b, terms, r)
	for _, arm := range arms[1:] {
		for _, p := range pairs {
			if p.arm == arm {
				if o.Halt != nil {
					if err := o.Halt(); err != nil {
						return nil, err
					}
				}
				r.Pairs = append(r.Pairs, d.judge(p))
			}
		}
	}
	r.adjust()
	d.finish()
	return r, nil
}

// settle fixes what is judged, and by which measure.
func (r *Result) settle(sources []Source, o Options) error {
	r.Primary, r.MinEffect = o.Primary, DefaultMinEffect
	var said *matrix.Compare
	for _, s := range sources {
		r.Smoke = r.Smoke || s.Smoke
		switch {
		case s.Settings == nil:
		case said == nil:
			said = s.Settings
		case o.Primary == "" && s.Settings.Primary != said.Primary:
			r.Notes = append(r.Notes, fmt.Sprintf("The sweep of %s has another primary metric, %s; %s counts.", s.Name, s.Settings.Primary, said.Primary))
		}
	}
	if said != nil {
		r.Primary, r.MinEffect = cmp.Or(o.Primary, said.Primary), said.MinEffect
	}
	if o.MinEffect != nil {
		r.MinEffect = *o.MinEffect
	}
	if r.Primary == "" {
		r.Primary = cmp.Or(Found(sources...), DefaultPrimary)
	}
	if err := CheckMetric(r.Primary); err != nil {
		return err
	}
	names := append([]string{r.Primary}, o.Metrics...)
	if !o.Only {
		names = append(names, usual...)
	}
	for _, name := range names {
		if !slices.Contains(r.Metrics, name) {
			r.Metrics = append(r.Metrics, name)
		}
	}
	return nil
}

// pairedOn says what the cells of a pair have in common.
func (b *book) pairedOn(how keying, terms []term) string {
	if how != (keying{onAxes, onAxes}) {
		return how.String()
	}
	var names []string
	for _, t := range b.axes() {
		if !slices.ContainsFunc(terms, func(o term) bool { return o.kind == byAxis && o.server == t.server && o.name == t.name }) {
			names = append(names, t.shown)
		}
	}
	return strings.Join(names, ", ")
}

// compare sets one metric of two arms against one another; false where an arm has no value.
func (r *Result) compare(name string, base, with []start, paired bool) (Comparison, bool) {
	c := Comparison{Metric: name, Exploratory: name != r.Primary, P: math.NaN(), Verdict: stats.Inconclusive}
	var x, y []float64
	if paired {
		for i := range base {
			v, ok1 := base[i].value(name)
			w, ok2 := with[i].value(name)
			if ok1 && ok2 {
				x, y = append(x, v), append(y, w)
			}
		}
	} else {
		x, y = values(base, name), values(with, name)
	}
	if len(x) == 0 || len(y) == 0 {
		return c, false
	}
	c.Baseline, c.Arm = stats.Mean(x, r.Confidence), stats.Mean(y, r.Confidence)
	test := stats.Unpaired
	if paired {
		test = stats.Paired
	}
	var err error
	if c.Ratio, err = test(x, y, r.Confidence); err != nil {
		nan := math.NaN()
		c.Ratio = stats.Ratio{N: min(len(x), len(y)), Ratio: nan, Low: nan, High: nan, P: nan, RankP: nan, SD: nan}
		c.Note = err.Error()
	}
	return c, true
}

// adjust corrects the primary metric's p values for the number of cells, and gives the verdicts.
func (r *Result) adjust() {
	var primary []*Comparison
	for i := range r.Pairs {
		for j := range r.Pairs[i].Metrics {
			c := &r.Pairs[i].Metrics[j]
			c.P = c.Ratio.P
			if c.Exploratory {
				c.judge(r.MinEffect)
			} else {
				primary = append(primary, c)
			}
		}
	}
	p := make([]float64, len(primary))
	tests := 0
	for i, c := range primary {
		if p[i] = c.Ratio.P; !math.IsNaN(p[i]) {
			tests++
		}
	}
	for i, adjusted := range stats.Holm(p) {
		c := primary[i]
		c.P = adjusted
		c.judge(r.MinEffect)
	}
	plan := planner{minEffect: r.MinEffect, confidence: 1 - (1-r.Confidence)/float64(max(1, tests)), known: map[planKey]int{}}
	for _, c := range primary {
		if c.Verdict == stats.Inconclusive {
			c.Needed = plan.starts(c.Ratio)
		}
	}
}

func (c *Comparison) judge(minEffect float64) {
	if c.Note != "" {
		return
	}
	info, _ := metric.Lookup(c.Metric)
	c.Verdict = stats.Judge(c.Ratio, c.P, info.Better, minEffect)
}

// planner asks how many starts a verdict would take, and asks the same only once: it is a search
// over integrals, and a comparison has thousands of cells. The distance of the ratio from what
// stands in the way is rounded to 1 %.
type planner struct {
	minEffect, confidence float64
	known                 map[planKey]int
}

type planKey struct {
	test   string
	effect int
}

func (p *planner) starts(r stats.Ratio) int {
	if r.N < 2 || !(r.SD > 0) {
		return 0
	}
	distance, border := math.Abs(math.Log(r.Ratio)), math.Log1p(p.minEffect)
	if distance < border {
		distance = border - distance
	}
	const steps = 100 // of the logarithm: 1 % each
	key := planKey{r.Test, int(math.Round(math.Log(math.Max(distance/r.SD, 1e-6)) * steps))}
	n, ok := p.known[key]
	if !ok {
		rounded := r
		rounded.SD = distance / math.Exp(float64(key.effect)/steps)
		n = stats.Needed(rounded, p.minEffect, p.confidence, Power)
		p.known[key] = n
	}
	return n
}
