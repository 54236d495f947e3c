package load

import (
	"fmt"
	"math"

	"github.com/spf13/pflag"

	"servematrix/bench/arg"
	"servematrix/bench/dataset"
)

// Strategies of a ramp.
const (
	Linear      = "linear"
	Exponential = "exponential"
)

// minRate is the lowest rate of arrivals per second: gaps of lower ones end in no measurement.
const minRate = 1e-6

// Options say when requests are sent. AddFlags fills in the defaults.
type Options struct {
	// RequestRate is the mean of arrivals per second. +Inf sends everything at once, or as fast as
	// MaxConcurrency allows.
	RequestRate float64
	// Burstiness is the shape of the gamma distribution of the times between arrivals: 1 is a
	// Poisson process, less comes in bursts, more is more even, +Inf is constant.
	Burstiness float64
	// RampUpStrategy is Linear or Exponential: the rate then goes from RampUpStartRPS with the first
	// request to RampUpEndRPS with the last, in place of RequestRate. "" is no ramp.
	RampUpStrategy               string
	RampUpStartRPS, RampUpEndRPS float64
	// MaxConcurrency is the most requests in flight. 0 is no limit.
	MaxConcurrency int
	// Exact scales the times between arrivals so that this many arrivals come at RequestRate to the
	// last digit, and not only on average. 0 leaves them as they are drawn.
	Exact int
	// Seed makes arrivals repeatable.
	Seed uint64
}

// AddFlags adds the flags of the schedule, under the names that sglang.bench_serving gives them, or
// vllm bench serve where only that has them.
func AddFlags(fs *pflag.FlagSet, o *Options) {
	arg.Rate(fs, &o.RequestRate, "request-rate", "mean arrivals per second (Poisson); inf: all at once")
	arg.Positive(fs, &o.Burstiness, "burstiness", 1, "shape of the times between arrivals (gamma): 1 Poisson, less in bursts, more evenly, inf constant")
	fs.StringVar(&o.RampUpStrategy, "ramp-up-strategy", "", "linear or exponential: the rate goes from --ramp-up-start-rps to --ramp-up-end-rps")
	arg.Positive(fs, &o.RampUpStartRPS, "ramp-up-start-rps", 0, "arrivals per second with the first request")
	arg.Positive(fs, &o.RampUpEndRPS, "ramp-up-end-rps", 0, "arrivals per second with the last request")
	arg.Count(fs, &o.MaxConcurrency, "max-concurrency", 0, "most requests in flight (default: no limit)")
}

// Resolve checks what makes sense together. The errors are usage errors.
func (o Options) Resolve() (Options, error) {
	for _, rate := range []struct {
		flag  string
		value float64
	}{{"request-rate", o.RequestRate}, {"ramp-up-start-rps", o.RampUpStartRPS}, {"ramp-up-end-rps", o.RampUpEndRPS}} {
		if rate.value > 0 && rate.value < minRate {
			return o, fmt.Errorf("--%s %v: want requests per second of at least %v, which is one in 12 days", rate.flag, rate.value, minRate)
		}
	}
	switch ends := o.RampUpStartRPS > 0 && o.RampUpEndRPS > 0; {
	case o.RampUpStrategy == "" && (o.RampUpStartRPS > 0 || o.RampUpEndRPS > 0):
		return o, fmt.Errorf("--ramp-up-start-rps and --ramp-up-end-rps: want --ramp-up-strategy %s or %s, too", Linear, Exponential)
	case o.RampUpStrategy == "":
		return o, nil
	case o.RampUpStrategy != Linear && o.RampUpStrategy != Exponential:
		return o, fmt.Errorf("--ramp-up-strategy %s: want %s or %s", o.RampUpStrategy, Linear, Exponential)
	case !ends || math.IsInf(o.RampUpStartRPS, 1) || math.IsInf(o.RampUpEndRPS, 1):
		return o, fmt.Errorf("--ramp-up-strategy %s: want --ramp-up-start-rps and --ramp-up-end-rps, finite", o.RampUpStrategy)
	case !math.IsInf(o.RequestRate, 1):
		return o, fmt.Errorf("--ramp-up-strategy %s: --request-rate %v contradicts it; a ramp has its own rates", o.RampUpStrategy, o.RequestRate)
	}
	return o, nil
}

// AtOnce is how many of so many prompts of a set can be in flight at the same time: all of them where
// nothing holds them back. 0 is not known: of arrivals without a limit the server decides it.
func (o Options) AtOnce(set *dataset.Set, prompts int) int {
	switch {
	case o.MaxConcurrency > 0:
		return min(o.MaxConcurrency, prompts)
	case o.Scheduled(set):
		return 0
	}
	return prompts
}
