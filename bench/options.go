package bench

import (
	"cmp"

	"github.com/spf13/pflag"

	"servematrix/bench/arg"
	"servematrix/bench/dataset"
	"servematrix/bench/load"
	"servematrix/bench/tally"
	"servematrix/bench/wire"
)

// Options describe a benchmark: which prompts, when, to where, and what is told of it. Their
// names are those of sglang.bench_serving. Defaults gives the defaults.
type Options struct {
	Dataset dataset.Options
	Load    load.Options
	Wire    wire.Options

	// Seed makes prompts and arrivals repeatable.
	Seed uint64
	// WarmupRequests go first and are not measured.
	WarmupRequests int
	// FlushCache asks the server to empty its prefix cache before the measurement.
	FlushCache bool
	// Percentiles are those to give of latencies beside the median, comma-separated.
	Percentiles string
	// OutputFile gets one line of JSON appended. OutputDetails adds per-request lists to it.
	OutputFile    string
	OutputDetails bool
	// Tag is copied into the JSON line.
	Tag string
	// DisableTQDM shows no progress.
	DisableTQDM bool
}

// AddFlags adds the flags of `bench` to fs, bound to o. What o holds before is overwritten by
// the defaults.
func AddFlags(fs *pflag.FlagSet, o *Options) {
	wire.AddFlags(fs, &o.Wire)
	dataset.AddFlags(fs, &o.Dataset)
	load.AddFlags(fs, &o.Load)
	fs.Uint64Var(&o.Seed, "seed", 1, "seed of prompts and arrivals; the same seed sends the same prompts")
	arg.Number(fs, &o.WarmupRequests, "warmup-requests", 1, "requests before the measurement")
	fs.BoolVar(&o.FlushCache, "flush-cache", false, "empty the server's prefix cache first")
	fs.StringVar(&o.Percentiles, "percentiles", "90,95,99", "percentiles of latencies to report")
	fs.StringVar(&o.OutputFile, "output-file", "", "append the result to this file as one line of JSON")
	fs.BoolVar(&o.OutputDetails, "output-details", false, "add per-request lists to that line")
	fs.StringVar(&o.Tag, "tag", "", "text to keep with the result")
	fs.BoolVar(&o.DisableTQDM, "disable-tqdm", false, "show no progress")
}

// Defaults are the options of a command without flags.
func Defaults() (o Options) {
	AddFlags(pflag.NewFlagSet("bench", pflag.ContinueOnError), &o)
	return o
}

// resolve fills in what depends on other options and checks everything that can be known before
// the first request. The errors are usage errors.
func (o Options) resolve() (Options, error) {
	var problems [3]error
	o.Dataset.Seed, o.Load.Seed = o.Seed, o.Seed
	o.Wire, problems[0] = o.Wire.Resolve()
	o.Dataset.Model = o.Wire.Model // where its tokenizer may be
	o.Dataset, problems[1] = o.Dataset.Resolve()
	_, problems[2] = tally.ParsePercentiles(o.Percentiles)
	return o, cmp.Or(problems[:]...)
}

// percentiles are those that resolve has checked.
func (o Options) percentiles() tally.Percentiles {
	list, _ := tally.ParsePercentiles(o.Percentiles)
	return list
}
