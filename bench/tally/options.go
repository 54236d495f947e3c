package tally

import (
	"fmt"

	"github.com/spf13/pflag"
)

// Names of definitions.
const (
	SGLang = "sglang"
	VLLM   = "vllm"
)

// Options say what is made of the measured requests. AddFlags fills in the defaults.
type Options struct {
	// Percentiles are those to give of latencies beside the median, comma-separated.
	Percentiles string
	// Goodput are objectives as `vllm bench serve` takes them: a request that keeps all of them is
	// a good one.
	Goodput Goodput
	// Definitions are whose: SGLang or VLLM, where these clients differ (see Define).
	Definitions string

	list []percentile
}

// AddFlags adds the flags of metrics.
func AddFlags(fs *pflag.FlagSet, o *Options) {
	fs.StringVar(&o.Percentiles, "percentiles", "90,95,99", "percentiles of latencies to report")
	fs.Var(&o.Goodput, "goodput", "ttft:MS tpot:MS e2el:MS, objectives of a request; tells how many requests a second keep them all")
	fs.StringVar(&o.Definitions, "definitions", SGLang, "sglang or vllm: whose, where these clients define latencies differently")
}

// Resolve checks all that can be known before the first request. The errors are usage errors.
func (o Options) Resolve() (_ Options, err error) {
	if o.Definitions != SGLang && o.Definitions != VLLM {
		return o, fmt.Errorf("--definitions %s: want %s or %s", o.Definitions, SGLang, VLLM)
	}
	o.list, err = parsePercentiles(o.Percentiles)
	return o, err
}

// PercentileNames are the numbers of the percentiles that are told, as in metric names: "99.9".
func (o Options) PercentileNames() (names []string) {
	for _, p := range o.list {
		names = append(names, p.name)
	}
	return names
}
