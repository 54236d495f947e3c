// Package dataset makes the prompts of a load: which, how long, and how long an answer each asks
// for. It sends nothing. A Set makes its prompts one after another as they are asked for, so that
// a million of them need no more memory than one.
package dataset

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/spf13/pflag"

	"servematrix/bench/arg"
)

// Set is the load of one benchmark.
type Set struct {
	// Count is how many prompts there are.
	Count int
	// Input and Output are the tokens of all prompts and answers together, as far as they are known
	// beforehand.
	Input, Output int
	// Timed says that the prompts have points in time at which they are due: Prompt.At.
	Timed bool
	// Prompts gives them, the same in each walk. Those that follow another one's answer hang on it
	// and come no second time; Count counts them all.
	Prompts iter.Seq[Prompt]
	// Warmup gives n prompts that are not among those measured, so that they put nothing of them
	// into the server's prefix cache; answers are short, as in sglang.bench_serving.
	Warmup func(n int) iter.Seq[Prompt]
}

// Names of datasets.
const (
	Random       = "random"
	RandomIDs    = "random-ids"
	SharedPrefix = "generated-shared-prefix"
)

// Options choose and shape a dataset. AddFlags fills in the defaults.
type Options struct {
	// Name is one of the names above.
	Name string
	// NumPrompts is how many requests to send. 0 is 1000, or all of generated-shared-prefix.
	NumPrompts int
	// RandomInputLen and RandomOutputLen are lengths in tokens.
	RandomInputLen, RandomOutputLen int
	// RandomRangeRatio makes lengths uniform between ratio·len and len; 1 makes them exact.
	RandomRangeRatio float64
	// The shape of generated-shared-prefix: groups of prompts that begin with the same system
	// prompt, lengths in tokens.
	GSPNumGroups, GSPPromptsPerGroup                 int
	GSPSystemPromptLen, GSPQuestionLen, GSPOutputLen int
	// VocabSize bounds random token ids: 0 <= id < VocabSize.
	VocabSize int
	// Seed makes prompts repeatable.
	Seed uint64
}

// AddFlags adds the flags that choose a dataset, under the names that sglang.bench_serving gives them.
func AddFlags(fs *pflag.FlagSet, o *Options) {
	fs.StringVar(&o.Name, "dataset-name", Random, "random or random-ids (random token ids), or generated-shared-prefix")
	arg.Count(fs, &o.NumPrompts, "num-prompts", 0, "requests to send (default 1000; generated-shared-prefix: all)")
	arg.Count(fs, &o.RandomInputLen, "random-input-len", 1024, "prompt length in tokens")
	arg.Count(fs, &o.RandomOutputLen, "random-output-len", 1024, "answer length in tokens")
	fs.Float64Var(&o.RandomRangeRatio, "random-range-ratio", 0, "lengths are uniform from ratio·len to len; 1: exact")
	arg.Count(fs, &o.GSPNumGroups, "gsp-num-groups", 64, "groups with a common system prompt")
	arg.Count(fs, &o.GSPPromptsPerGroup, "gsp-prompts-per-group", 16, "prompts in each group")
	arg.Count(fs, &o.GSPSystemPromptLen, "gsp-system-prompt-len", 2048, "system prompt length in tokens")
	arg.Count(fs, &o.GSPQuestionLen, "gsp-question-len", 128, "length of each prompt's own part in tokens")
	arg.Count(fs, &o.GSPOutputLen, "gsp-output-len", 256, "answer length in tokens")
	arg.Count(fs, &o.VocabSize, "vocab-size", 10000, "random token ids are below this; at most the model's vocabulary")
}

// Resolve fills in what depends on other options and checks all that can be known without reading
// a file. The errors are usage errors.
func (o Options) Resolve() (Options, error) {
	switch o.Name {
	case Random, RandomIDs, SharedPrefix:
	default:
		return o, fmt.Errorf("--dataset-name %s: want %s, %s or %s", o.Name, Random, RandomIDs, SharedPrefix)
	}
	if !(o.RandomRangeRatio >= 0 && o.RandomRangeRatio <= 1) {
		return o, fmt.Errorf("--random-range-ratio %v: want a number from 0 to 1 (1: every length exact)", o.RandomRangeRatio)
	}
	if o.VocabSize > math.MaxInt32 {
		return o, fmt.Errorf("--vocab-size %d: token ids have 31 bits", o.VocabSize)
	}
	if o.Name == SharedPrefix {
		all := o.GSPNumGroups * o.GSPPromptsPerGroup
		if o.NumPrompts == 0 || o.NumPrompts > all {
			o.NumPrompts = all
		}
	}
	if o.NumPrompts == 0 {
		o.NumPrompts = 1000
	}
	return o, nil
}

// Open makes the set that resolved options ask for.
func Open(o Options) (*Set, error) {
	if o.Name == SharedPrefix {
		return o.sharedPrefix(), nil
	}
	return o.random(), nil
}

// Each use of randomness has a stream of its own, so that one option does not change what another
// one draws.
const (
	streamLengths = iota + 1
	streamTokens
	streamOrder
	_ // arrivals, of package load
	streamWarmup
)

func (o Options) rng(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(o.Seed, stream)) }
