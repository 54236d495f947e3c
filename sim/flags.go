package sim

import (
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// AddFlags adds the flags of `sim serve` to fs, bound to o. Names are the engines' own where
// they have one; the other engine's name for the same thing is a hidden alias. What o holds
// before is overwritten by the defaults shown in the help.
func AddFlags(fs *pflag.FlagSet, o *Options) {
	fs.StringVar(&o.Style, "style", SGLang, "engine to imitate: sglang or vllm")
	fs.StringVar(&o.Host, "host", "127.0.0.1", "address to listen on")
	fs.IntVar(&o.Port, "port", 0, "port to listen on (default 30000 for sglang, 8000 for vllm; -1: any free one)")
	fs.StringVar(&o.Model, "model", "simulated", "model path to show")
	fs.StringVar(&o.ServedModelName, "served-model-name", "", "model name that requests use (default: --model)")

	fs.BoolVar(&o.DisableRadixCache, "disable-radix-cache", false, "compute every prompt in full: no prefix cache")
	fs.IntVar(&o.PageSize, "page-size", 0, "tokens per page of the prefix cache (default 1 for sglang, 16 for vllm)")
	fs.IntVar(&o.MaxRunningRequests, "max-running-requests", 256, "most requests in a batch")
	fs.IntVar(&o.MaxTotalTokens, "max-total-tokens", 262144, "KV cache capacity in tokens")
	fs.IntVar(&o.ContextLength, "context-length", 32768, "longest prompt and answer together, in tokens")
	fs.IntVar(&o.ChunkedPrefillSize, "chunked-prefill-size", 8192, "most prompt tokens in one pass; -1: no limit")
	fs.Float64Var(&o.ScheduleConservativeness, "schedule-conservativeness", 1, "scales the memory that admission keeps free (sglang only)")

	fs.Float64Var(&o.PrefillRate, "prefill-rate", 30000, "prompt tokens computed per second")
	durationVar(fs, &o.DecodeBase, "decode-base", 5*time.Millisecond, "time that any forward pass takes")
	durationVar(fs, &o.DecodePerSeq, "decode-per-seq", 50*time.Microsecond, "time that each decoding sequence adds to a pass")
	durationVar(fs, &o.Startup, "startup", 300*time.Millisecond, "time from start to the ready line")
	fs.Float64Var(&o.Noise, "noise", 0.02, "relative standard deviation of a start's speed and of a pass's")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of the noise (default: a new one at each start)")

	fs.Float64Var(&o.Drift, "drift", 0, "share by which the host slows down and speeds up again (0.02: by 2% either way)")
	fs.DurationVar(&o.DriftPeriod, "drift-period", 10*time.Minute, "how long that takes; by the wall clock, so that servers one after the other share it")

	fs.IntVar(&o.Workers, "workers", 1, "scheduler (vllm: worker) processes to start; 0: no processes at all")
	durationVar(fs, &o.StopPoll, "stop-poll", 200*time.Millisecond, "how often sglang looks for a SIGTERM and for the end of its requests (5s in the real one)")
	fs.StringArrayVar(&o.Faults, "fault", nil, "misbehave: NAME or NAME=ARG, repeatable:\n"+faultHelp())
	fs.DurationVar(&o.FaultTTL, "fault-ttl", 10*time.Minute, "what a fault leaves behind ends itself after this time")

	alias(fs, "max-running-requests", "max-num-seqs")
	alias(fs, "page-size", "block-size")
	alias(fs, "context-length", "max-model-len")
	alias(fs, "chunked-prefill-size", "max-num-batched-tokens")
	alias(fs, "disable-radix-cache", "no-enable-prefix-caching", "disable-radix") // SGLang's argparse takes prefixes
	alias(fs, "model", "model-path")
	alias(fs, "workers", "tp", "tp-size", "tensor-parallel-size")
}

// alias adds hidden names for a flag: the same value under another name.
func alias(fs *pflag.FlagSet, name string, others ...string) {
	flag := fs.Lookup(name)
	for _, other := range others {
		copied := *flag
		copied.Name, copied.Shorthand, copied.Hidden = other, "", true
		fs.AddFlag(&copied)
	}
}

// duration is a flag whose 0 means none, which Options spells as a negative value: there, 0 is
// the default.
type duration time.Duration

func durationVar(fs *pflag.FlagSet, target *time.Duration, name string, value time.Duration, usage string) {
	*target = value
	fs.Var((*duration)(target), name, usage)
}

func (d *duration) String() string { return max(time.Duration(*d), 0).String() }
func (d *duration) Type() string   { return "duration" }
func (d *duration) Set(s string) error {
	v, err := parseDuration(s)
	if err != nil {
		return err
	}
	*d = duration(v)
	if v == 0 {
		*d = -1
	}
	return nil
}

// faultHelp lists the faults by phase for --help.
func faultHelp() string {
	var b strings.Builder
	phase := ""
	for _, f := range Faults() {
		if f.Phase != phase {
			phase = f.Phase
			b.WriteString(phase + ":\n")
		}
		b.WriteString("  " + f.Usage() + "\n      " + f.Description + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
