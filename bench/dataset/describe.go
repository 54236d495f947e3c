package dataset

// Description is what was asked for, as a result tells it: only what shapes the dataset that was
// chosen. Lengths are in tokens.
type Description struct {
	Name       string `json:"dataset_name"`
	NumPrompts int    `json:"num_prompts"`
	Path       string `json:"dataset_path,omitempty"`
	Tokenizer  string `json:"tokenizer,omitempty"`
	VocabSize  int    `json:"vocab_size,omitempty"`
	// Rules are those by which prompts were chosen from a file, where they are not SGLang's.
	Rules string `json:"dataset_rules,omitempty"`

	Random       *RandomDescription       `json:"random,omitempty"`
	Shared       *SharedPrefixDescription `json:"generated_shared_prefix,omitempty"`
	Conversation *ConversationDescription `json:"conversation,omitempty"`
	Trace        *TraceDescription        `json:"trace,omitempty"`
}

// RandomDescription is the shape of random prompts.
type RandomDescription struct {
	InputLen   int     `json:"input_len"`
	OutputLen  int     `json:"output_len"`
	RangeRatio float64 `json:"range_ratio"`
}

// SharedPrefixDescription is the shape of generated-shared-prefix.
type SharedPrefixDescription struct {
	NumGroups       int     `json:"num_groups"`
	PromptsPerGroup int     `json:"prompts_per_group"`
	SystemPromptLen int     `json:"system_prompt_len"`
	QuestionLen     int     `json:"question_len"`
	OutputLen       int     `json:"output_len"`
	RangeRatio      float64 `json:"range_ratio"`
	NumTurns        int     `json:"num_turns"`
	Ordered         bool    `json:"ordered"`
}

// ConversationDescription is what is taken of sharegpt, custom and openai. Lengths of 0 are the
// file's own, and no limit.
type ConversationDescription struct {
	OutputLen    int    `json:"output_len"`
	ContextLen   int    `json:"context_len"`
	PromptSuffix string `json:"prompt_suffix"`
	MultiTurn    bool   `json:"multi_turn"`
	Shuffled     bool   `json:"shuffled"`
}

// TraceDescription is how mooncake and burstgpt are replayed.
type TraceDescription struct {
	Timestamps     bool    `json:"timestamps"`
	SlowdownFactor float64 `json:"slowdown_factor"`
	Model          string  `json:"model,omitempty"`
}

// Describe tells what resolved options ask for.
func (o Options) Describe() Description {
	d := Description{Name: o.Name, NumPrompts: o.NumPrompts, Path: o.DatasetPath, Tokenizer: o.Tokenizer, VocabSize: o.VocabSize}
	if o.Rules != RulesSGLang {
		d.Rules = o.Rules
	}
	switch o.Name {
	case Random, RandomIDs:
		d.Random = &RandomDescription{o.RandomInputLen, o.RandomOutputLen, o.RandomRangeRatio}
	case SharedPrefix:
		d.Shared = &SharedPrefixDescription{
			o.GSPNumGroups, o.GSPPromptsPerGroup, o.GSPSystemPromptLen, o.GSPQuestionLen, o.GSPOutputLen, o.GSPRangeRatio, o.GSPNumTurns, o.GSPOrdered,
		}
	case ShareGPT, Custom, OpenAI:
		d.Conversation = &ConversationDescription{
			o.ShareGPTOutputLen, o.ShareGPTContextLen, o.PromptSuffix, o.MultiTurn, !o.DisableShuffle && o.Name != OpenAI,
		}
	case Mooncake:
		d.Trace = &TraceDescription{o.UseTraceTimestamps, o.SlowdownFactor, ""}
	case BurstGPT:
		d.Trace = &TraceDescription{o.UseTraceTimestamps, o.SlowdownFactor, o.BurstGPTModel}
	}
	return d
}
