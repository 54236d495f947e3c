package result

import "math"

// A throughput may lie this far from tokens over duration before it is doubted: clients take the
// time for it from slightly different moments (aiperf lies 0.4 % apart).
const throughputTolerance = 0.02

// blurRounded is what two decimals, as a client prints a throughput and a duration, can hide.
const blurRounded = 0.01

// throughputs are what they are by definition: so much in the duration of the benchmark.
var throughputs = []struct {
	name, what, unit string
	of               []string
}{
	{"output_throughput", "output throughput", "tok/s", []string{"total_output_tokens"}},
	{"request_throughput", "request throughput", "req/s", []string{"completed"}},
	{"input_throughput", "input throughput", "tok/s", []string{"total_input_tokens"}},
	{"total_throughput", "total throughput", "tok/s", []string{"total_input_tokens", "total_output_tokens"}},
}

// throughput holds each throughput against what it is made of: one that is not positive although
// something was served counts for nothing, one that is another number is doubted. Where requests
// failed the clients differ in what they leave out, and the sample is refused anyway.
func (j *judge) throughput() {
	for _, t := range throughputs {
		told, known := j.m.Metrics.Get(t.name)
		amount := 0.0
		for _, name := range t.of {
			n, ok := j.m.Metrics.Get(name)
			amount, known = amount+n, known && ok
		}
		duration, timed := j.m.Metrics.Get("duration_s")
		if !known || amount <= 0 {
			continue
		}
		want := math.NaN() // where nobody knows the duration nothing is held against it
		if timed && duration > 0 {
			want = amount / duration
		}
		blur := blurRounded * (1 + want/math.Max(duration, blurRounded))
		switch failed, _ := j.m.Metrics.Get("failed"); {
		case told < 0, told == 0 && !(want <= blur):
			j.error(ThroughputInconsistent, "the %s is %g %s", t.what, told, t.unit)
			return
		case failed == 0 && math.Abs(told-want) > throughputTolerance*want+blur:
			j.warn(ThroughputInconsistent, "the %s is %g %s, %s in %g s make it %.2f", t.what, told, t.unit, count(amount), duration, want)
			return
		}
	}
}
