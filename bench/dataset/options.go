package dataset

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/pflag"

	"servematrix/bench/arg"
)

// Names of datasets.
const (
	Random       = "random"
	RandomIDs    = "random-ids"
	SharedPrefix = "generated-shared-prefix"
	ShareGPT     = "sharegpt"
	Custom       = "custom"
	OpenAI       = "openai"
	Mooncake     = "mooncake"
	BurstGPT     = "burstgpt"
)

// Whose rules choose the prompts of a file.
const (
	RulesSGLang = "sglang"
	RulesVLLM   = "vllm"
)

var names = []string{Random, RandomIDs, SharedPrefix, ShareGPT, Custom, OpenAI, Mooncake, BurstGPT}

// Options choose and shape a dataset. AddFlags fills in the defaults. Lengths are in tokens.
type Options struct {
	// Name is one of the names above.
	Name string
	// DatasetPath is the file of a dataset that is read from one.
	DatasetPath string
	// Tokenizer is a tokenizer.json, a folder that holds one, or a model in Hugging Face's cache.
	// With one random prompts are text; what people said is counted. Model is asked where Tokenizer is
	// "" and counting is needed.
	Tokenizer, Model string
	// TokenizePrompt sends random prompts as token ids although there is a tokenizer.
	TokenizePrompt bool
	// NumPrompts is how many prompts to send; of conversations, how many of them. 0 is 1000. A file
	// that holds less gives what it holds, and generated-shared-prefix gives all that it has, as in
	// sglang.bench_serving.
	NumPrompts int
	// GSPMost takes only the first prompts of generated-shared-prefix; 0 takes all. It has no flag: a
	// search needs a certain number.
	GSPMost int
	// RandomInputLen and RandomOutputLen are the lengths of random prompts and their answers.
	RandomInputLen, RandomOutputLen int
	// RandomRangeRatio makes lengths uniform between ratio·len and len; 1 makes them exact.
	RandomRangeRatio float64
	// The shape of generated-shared-prefix: groups of conversations that begin with the same system
	// prompt.
	GSPNumGroups, GSPPromptsPerGroup                 int
	GSPSystemPromptLen, GSPQuestionLen, GSPOutputLen int
	// GSPRangeRatio is to those lengths what RandomRangeRatio is to random ones.
	GSPRangeRatio float64
	// GSPNumTurns is how many questions each conversation has.
	GSPNumTurns int
	// GSPOrdered keeps a group's prompts together.
	GSPOrdered bool
	// GSPFastPrepare is taken for the sake of command lines that have it: nothing is prepared.
	GSPFastPrepare bool
	// Rules are those of the client that chooses the prompts of sharegpt, custom and burstgpt: of
	// RulesVLLM, vllm bench serve, the very same ones in the same order. "" is RulesSGLang.
	Rules string
	// NoOversample sends no prompt twice where RulesVLLM finds less than NumPrompts.
	NoOversample bool
	// ShareGPTOutputLen is the length of all answers in sharegpt, custom and openai; 0 is that of
	// the file's own.
	ShareGPTOutputLen int
	// CustomOutputLen is another name of it, vLLM's, for custom alone; 0 and -1 are the
	// file's own.
	CustomOutputLen int
	// SkipChatTemplate is taken for the sake of command lines that have it: no template is applied.
	SkipChatTemplate bool
	// ShareGPTContextLen passes over what is longer, prompt and answer together. 0 takes all.
	ShareGPTContextLen int
	// PromptSuffix is put behind what users say.
	PromptSuffix string
	// MultiTurn sends all turns of a conversation; otherwise only the first.
	MultiTurn bool
	// DisableShuffle keeps conversations in the file's order.
	DisableShuffle bool
	// UseTraceTimestamps has the prompts of a trace due when the trace says.
	UseTraceTimestamps bool
	// SlowdownFactor stretches a trace's times.
	SlowdownFactor float64
	// MooncakeWorkload names a trace of Mooncake, for a file that sglang.bench_serving left in /tmp.
	MooncakeWorkload string
	// BurstGPTModel chooses a trace's rows; "all" takes all.
	BurstGPTModel string
	// VocabSize bounds random token ids: 0 <= id < VocabSize.
	VocabSize int
	// Seed makes prompts repeatable.
	Seed uint64

	askedFor int // NumPrompts as it was given
}

// AddFlags adds the flags that choose a dataset, under the names that sglang.bench_serving gives them.
func AddFlags(fs *pflag.FlagSet, o *Options) {
	fs.StringVar(&o.Name, "dataset-name", ShareGPT, strings.Join(names, ", "))
	fs.StringVar(&o.DatasetPath, "dataset-path", "", "file of sharegpt (JSON), custom, openai and mooncake (JSON lines), burstgpt (CSV), or one of them packed by gzip")
	fs.StringVar(&o.Tokenizer, "tokenizer", "", "tokenizer.json, folder with one, or model in Hugging Face's cache here: random prompts become text")
	fs.BoolVar(&o.TokenizePrompt, "tokenize-prompt", false, "send random prompts as token ids all the same")
	arg.Count(fs, &o.NumPrompts, "num-prompts", 0, "prompts to send, or conversations (default 1000; generated-shared-prefix has groups × prompts, whatever this says)")
	arg.Count(fs, &o.RandomInputLen, "random-input-len", 1024, "prompt length in tokens")
	arg.Count(fs, &o.RandomOutputLen, "random-output-len", 1024, "answer length in tokens")
	fs.Float64Var(&o.RandomRangeRatio, "random-range-ratio", 0, "lengths are uniform from ratio·len to len; 1: exact")
	arg.Count(fs, &o.VocabSize, "vocab-size", 10000, "random token ids are below this; at most the model's vocabulary")
	arg.Count(fs, &o.GSPNumGroups, "gsp-num-groups", 64, "groups with a common system prompt")
	arg.Count(fs, &o.GSPPromptsPerGroup, "gsp-prompts-per-group", 16, "prompts in each group")
	arg.Count(fs, &o.GSPSystemPromptLen, "gsp-system-prompt-len", 2048, "system prompt length in tokens")
	arg.Count(fs, &o.GSPQuestionLen, "gsp-question-len", 128, "length of each prompt's own part in tokens")
	arg.Count(fs, &o.GSPOutputLen, "gsp-output-len", 256, "answer length in tokens")
	fs.Float64Var(&o.GSPRangeRatio, "gsp-range-ratio", 1, "these lengths are uniform from ratio·len to len; 1: exact")
	arg.Count(fs, &o.GSPNumTurns, "gsp-num-turns", 1, "questions of each prompt, each sent after the answer to the one before")
	fs.BoolVar(&o.GSPOrdered, "gsp-ordered", false, "keep the prompts of a group together")
	fs.BoolVar(&o.GSPFastPrepare, "gsp-fast-prepare", false, "changes nothing: preparing is always fast")
	fs.StringVar(&o.Rules, "dataset-rules", RulesSGLang, "whose rules choose the prompts of sharegpt, custom and burstgpt: sglang, or vllm for those that vllm bench serve sends with this seed")
	fs.BoolVar(&o.NoOversample, "no-oversample", false, "with --dataset-rules vllm send no prompt twice where a file holds less than --num-prompts")
	arg.Count(fs, &o.ShareGPTOutputLen, "sharegpt-output-len", 0, "answer length of sharegpt, custom and openai in tokens (default: the file's)")
	fs.IntVar(&o.CustomOutputLen, "custom-output-len", -1, "vLLM's name of --sharegpt-output-len, for custom; -1: the file's")
	fs.BoolVar(&o.SkipChatTemplate, "skip-chat-template", false, "changes nothing: to chats the server applies its template, to other prompts nobody")
	arg.Count(fs, &o.ShareGPTContextLen, "sharegpt-context-len", 0, "pass over what is longer in tokens, prompt and answer together (default: no limit)")
	fs.StringVar(&o.PromptSuffix, "prompt-suffix", "", "text to put behind each prompt of sharegpt and custom")
	fs.BoolVar(&o.MultiTurn, "multi-turn", false, "send all turns of sharegpt and custom, each after the answer to the one before; otherwise the first")
	fs.BoolVar(&o.DisableShuffle, "disable-shuffle", false, "keep sharegpt and custom in the file's order")
	fs.BoolVar(&o.UseTraceTimestamps, "use-trace-timestamps", true, "send mooncake and burstgpt when the trace says; =false: by --request-rate")
	fs.Float64Var(&o.SlowdownFactor, "mooncake-slowdown-factor", 1, "stretch the times of mooncake and burstgpt; 2: half as fast")
	fs.StringVar(&o.MooncakeWorkload, "mooncake-workload", "conversation", "without --dataset-path read /tmp/NAME_trace.jsonl, where sglang.bench_serving keeps it")
	fs.StringVar(&o.BurstGPTModel, "burstgpt-model", "GPT-4", "rows of burstgpt to send, such as ChatGPT; all: every row")
}

// Resolve fills in what depends on other options and checks all that can be known without reading
// a file. The errors are usage errors.
func (o Options) Resolve() (Options, error) {
	o.askedFor = o.NumPrompts
	for _, ratio := range []struct {
		flag  string
		value float64
	}{{"random-range-ratio", o.RandomRangeRatio}, {"gsp-range-ratio", o.GSPRangeRatio}} {
		if !(ratio.value >= 0 && ratio.value <= 1) {
			return o, fmt.Errorf("--%s %v: want a number from 0 to 1 (1: every length exact)", ratio.flag, ratio.value)
		}
	}
	if !(o.SlowdownFactor > 0 && !math.IsInf(o.SlowdownFactor, 1)) {
		return o, fmt.Errorf("--mooncake-slowdown-factor %v: want a number more than 0 (2: half as fast)", o.SlowdownFactor)
	}
	if o.VocabSize > math.MaxInt32 {
		return o, fmt.Errorf("--vocab-size %d: token ids have 31 bits", o.VocabSize)
	}
	if err := o.checkSizes(); err != nil {
		return o, err
	}
	if err := o.checkRules(); err != nil {
		return o, err
	}
	if o.Name == Custom && o.CustomOutputLen > 0 {
		o.ShareGPTOutputLen = o.CustomOutputLen
	}
	switch o.Name {
	case Random, RandomIDs:
	case SharedPrefix:
		o.NumPrompts = o.GSPNumGroups * o.GSPPromptsPerGroup
		if o.GSPMost > 0 {
			o.NumPrompts = min(o.NumPrompts, o.GSPMost)
		}
	case Mooncake:
		if o.DatasetPath == "" {
			o.DatasetPath = "/tmp/" + o.MooncakeWorkload + "_trace.jsonl"
		}
	case ShareGPT, Custom, OpenAI, BurstGPT:
		if o.Rules == RulesVLLM {
			o.UseTraceTimestamps = false
		}
		if o.Name == ShareGPT && o.DatasetPath == "" {
			return o, fmt.Errorf("--dataset-name %s (the default): sglang.bench_serving would take it from the hub, and nothing is downloaded here: name --dataset-path FILE, or --dataset-name random with its lengths", o.Name)
		}
		if o.DatasetPath == "" {
			return o, fmt.Errorf("--dataset-name %s: give its file with --dataset-path", o.Name)
		}
	default:
		return o, fmt.Errorf("--dataset-name %s: want one of %s", o.Name, strings.Join(names, ", "))
	}
	if flag := o.mustCount(); flag != "" && o.Tokenizer == "" && o.Model == "" {
		return o, fmt.Errorf("%s: give --tokenizer too, to count tokens", flag)
	}
	if o.NumPrompts == 0 {
		o.NumPrompts = 1000
	}
	return o, nil
}

// checkRules checks what depends on whose rules choose prompts.
func (o Options) checkRules() error {
	switch {
	case o.CustomOutputLen < -1:
		return fmt.Errorf("--custom-output-len %d: want a whole number from 1 on, or -1 for the lengths of the file", o.CustomOutputLen)
	case o.Rules == "" || o.Rules == RulesSGLang:
	case o.Rules != RulesVLLM:
		return fmt.Errorf("--dataset-rules %s: want %s or %s", o.Rules, RulesSGLang, RulesVLLM)
	case o.Name != ShareGPT && o.Name != Custom && o.Name != BurstGPT:
		return fmt.Errorf("--dataset-rules %s: they choose from the files of %s, %s and %s; take it out of --dataset-name %s", o.Rules, ShareGPT, Custom, BurstGPT, o.Name)
	case o.MultiTurn:
		return fmt.Errorf("--dataset-rules %s: vllm bench serve sends no turn but the first; take --multi-turn out", o.Rules)
	case o.Name == BurstGPT && o.Seed > math.MaxUint32:
		return fmt.Errorf("--seed %d: with --dataset-rules %s and %s want at most %d", o.Seed, o.Rules, BurstGPT, uint32(math.MaxUint32))
	}
	return nil
}

// mustCount names what asks for prompts that are chosen by their tokens; "" is nothing.
func (o Options) mustCount() string {
	switch {
	case o.ShareGPTContextLen > 0:
		return "--sharegpt-context-len"
	case o.Rules == RulesVLLM && o.Name == ShareGPT:
		return "--dataset-rules " + RulesVLLM
	}
	return ""
}

// Bounds of what can be asked for: more tokens than any context has, and more prompts than a
// benchmark ever sends.
const (
	maxTokens  = 1 << 24
	maxPrompts = 100_000_000
)

// checkSizes refuses numbers that no memory holds.
func (o Options) checkSizes() error {
	for _, size := range []struct {
		flag        string
		value, most int
	}{
		{"num-prompts", o.NumPrompts, maxPrompts},
		{"random-input-len", o.RandomInputLen, maxTokens},
		{"random-output-len", o.RandomOutputLen, maxTokens},
		{"gsp-num-groups", o.GSPNumGroups, maxPrompts},
		{"gsp-prompts-per-group", o.GSPPromptsPerGroup, maxPrompts},
		{"gsp-num-turns", o.GSPNumTurns, maxPrompts},
		{"gsp-system-prompt-len", o.GSPSystemPromptLen, maxTokens},
		{"gsp-question-len", o.GSPQuestionLen, maxTokens},
		{"gsp-output-len", o.GSPOutputLen, maxTokens},
		{"sharegpt-output-len", o.ShareGPTOutputLen, maxTokens},
		{"custom-output-len", o.CustomOutputLen, maxTokens},
		{"sharegpt-context-len", o.ShareGPTContextLen, maxTokens},
	} {
		if size.value > size.most {
			return fmt.Errorf("--%s %d: want at most %d", size.flag, size.value, size.most)
		}
	}
	if o.Name == SharedPrefix && o.GSPNumGroups*o.GSPPromptsPerGroup > maxPrompts/o.GSPNumTurns { // each is small enough to multiply two
		return fmt.Errorf("--gsp-num-groups %d, --gsp-prompts-per-group %d and --gsp-num-turns %d: their product is the number of prompts, want at most %d",
			o.GSPNumGroups, o.GSPPromptsPerGroup, o.GSPNumTurns, maxPrompts)
	}
	return nil
}
