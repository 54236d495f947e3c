package bench

import (
	"cmp"
	"errors"

	"github.com/spf13/pflag"

	"servematrix/bench/arg"
	"servematrix/bench/dataset"
	"servematrix/bench/find"
	"servematrix/bench/load"
	"servematrix/bench/pasted"
	"servematrix/bench/tally"
	"servematrix/bench/wire"
)

// Options describe a benchmark: which prompts, when, to where, and what is told of it. Their
// names are those of sglang.bench_serving. Defaults gives the defaults.
type Options struct {
	Dataset dataset.Options
	Load    load.Options
	Wire    wire.Options
	Tally   tally.Options
	// Find searches for the largest load that meets an SLO, in place of one measurement.
	Find find.Options

	// Seed makes prompts and arrivals repeatable.
	Seed uint64
	// WarmupRequests go first and are not measured.
	WarmupRequests int
	// FlushCache asks the server to empty its prefix cache before the measurement.
	FlushCache bool
	// OutputFile gets one line of JSON appended. OutputDetails adds per-request lists to it.
	OutputFile    string
	OutputDetails bool
	// OutputRequests gets one line of JSON for each request, written while they run; compressed
	// where its name ends in .gz or .zst.
	OutputRequests string
	// Tag is copied into the JSON line.
	Tag string
	// DisableTQDM shows no progress.
	DisableTQDM bool
	// Pasted are flags of sglang.bench_serving that the client has not got.
	Pasted pasted.Flags
}

// AddFlags adds the flags of `bench` to fs, bound to o. What o holds before is overwritten by
// the defaults.
func AddFlags(fs *pflag.FlagSet, o *Options) {
	wire.AddFlags(fs, &o.Wire)
	dataset.AddFlags(fs, &o.Dataset)
	load.AddFlags(fs, &o.Load)
	find.AddFlags(fs, &o.Find)
	fs.Uint64Var(&o.Seed, "seed", 1, "seed of prompts and arrivals; the same seed sends the same prompts")
	arg.Number(fs, &o.WarmupRequests, "warmup-requests", 1, "requests before the measurement")
	fs.BoolVar(&o.FlushCache, "flush-cache", false, "empty the server's prefix cache first")
	tally.AddFlags(fs, &o.Tally)
	fs.StringVar(&o.OutputFile, "output-file", "", "append the result to this file as one line of JSON")
	fs.BoolVar(&o.OutputDetails, "output-details", false, "add per-request lists to that line")
	fs.StringVar(&o.OutputRequests, "output-requests", "", "write each request to this file as a line of JSON; .gz and .zst are compressed")
	fs.StringVar(&o.Tag, "tag", "", "text to keep with the result")
	fs.BoolVar(&o.DisableTQDM, "disable-tqdm", false, "show no progress")
	pasted.AddFlags(fs, &o.Pasted) // after all others: it adds what they do not
}

// Defaults are the options of a command without flags.
func Defaults() (o Options) {
	AddFlags(pflag.NewFlagSet("bench", pflag.ContinueOnError), &o)
	return o
}

// resolve fills in what depends on other options and checks everything that can be known before
// the first request. The errors are usage errors.
func (o Options) resolve() (Options, error) {
	var problems [7]error
	o.Dataset.Seed, o.Load.Seed = o.Seed, o.Seed
	o.Wire, problems[0] = o.Wire.Resolve()
	o.Dataset.Model = o.Wire.Model // where its tokenizer may be
	o.Dataset, problems[1] = o.Dataset.Resolve()
	o.Load, problems[2] = o.Load.Resolve()
	o.Tally, problems[3] = o.Tally.Resolve()
	o.Wire.CountEmpty = o.Tally.Definitions == tally.VLLM
	if o.Wire.DisableStream && (o.Tally.Goodput.TTFT > 0 || o.Tally.Goodput.TPOT > 0) {
		problems[4] = errors.New("--goodput: ttft and tpot are not measured with --disable-stream; e2el is")
	}
	_, problems[5] = o.Pasted.Check(o.Dataset.Name)
	problems[6] = o.checkSearch()
	return o, cmp.Or(problems[:]...)
}
