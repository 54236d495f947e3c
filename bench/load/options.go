package load

import (
	"github.com/spf13/pflag"

	"servematrix/bench/arg"
)

// Options say when requests are sent. AddFlags fills in the defaults.
type Options struct {
	// RequestRate is the mean of a Poisson process of arrivals, per second. +Inf sends everything
	// at once, or as fast as MaxConcurrency allows.
	RequestRate float64
	// MaxConcurrency is the most requests in flight. 0 is no limit.
	MaxConcurrency int
	// Seed makes arrivals repeatable.
	Seed uint64
}

// AddFlags adds the flags of the schedule, under the names that sglang.bench_serving gives them.
func AddFlags(fs *pflag.FlagSet, o *Options) {
	arg.Rate(fs, &o.RequestRate, "request-rate", "mean arrivals per second (Poisson); inf: all at once")
	arg.Count(fs, &o.MaxConcurrency, "max-concurrency", 0, "most requests in flight (default: no limit)")
}
