package dataset

// Description is what was asked for, as a result tells it: only what shapes the dataset that was
// chosen.
type Description struct {
	Name       string                   `json:"dataset_name"`
	NumPrompts int                      `json:"num_prompts"`
	VocabSize  int                      `json:"vocab_size,omitempty"`
	Random     *RandomDescription       `json:"random,omitempty"`
	Shared     *SharedPrefixDescription `json:"generated_shared_prefix,omitempty"`
}

// RandomDescription is the shape of random prompts; lengths in tokens.
type RandomDescription struct {
	InputLen   int     `json:"input_len"`
	OutputLen  int     `json:"output_len"`
	RangeRatio float64 `json:"range_ratio"`
}

// SharedPrefixDescription is the shape of generated-shared-prefix; lengths in tokens.
type SharedPrefixDescription struct {
	NumGroups       int `json:"num_groups"`
	PromptsPerGroup int `json:"prompts_per_group"`
	SystemPromptLen int `json:"system_prompt_len"`
	QuestionLen     int `json:"question_len"`
	OutputLen       int `json:"output_len"`
}

// Describe tells what resolved options ask for.
func (o Options) Describe() Description {
	d := Description{Name: o.Name, NumPrompts: o.NumPrompts, VocabSize: o.VocabSize}
	if o.Name == SharedPrefix {
		d.Shared = &SharedPrefixDescription{o.GSPNumGroups, o.GSPPromptsPerGroup, o.GSPSystemPromptLen, o.GSPQuestionLen, o.GSPOutputLen}
	} else {
		d.Random = &RandomDescription{o.RandomInputLen, o.RandomOutputLen, o.RandomRangeRatio}
	}
	return d
}
