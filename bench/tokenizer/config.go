package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// config is tokenizer.json. Source: huggingface/tokenizers, its serialization.
type config struct {
	AddedTokens   []added    `json:"added_tokens"`
	Normalizer    *component `json:"normalizer"`
	PreTokenizer  *component `json:"pre_tokenizer"`
	PostProcessor *component `json:"post_processor"`
	Decoder       *component `json:"decoder"`
	Model         model      `json:"model"`
}

// added is a token that is found in a text before all others.
type added struct {
	ID      int32  `json:"id"`
	Content string `json:"content"`
	Special bool   `json:"special"` // it is no part of a text
}

type model struct {
	Type                    string           `json:"type"`
	Vocab                   map[string]int32 `json:"vocab"`
	Merges                  []merge          `json:"merges"`
	Unknown                 *string          `json:"unk_token"`
	FuseUnknown             bool             `json:"fuse_unk"`
	ByteFallback            bool             `json:"byte_fallback"`
	IgnoreMerges            bool             `json:"ignore_merges"`
	Dropout                 *float64         `json:"dropout"`
	ContinuingSubwordPrefix *string          `json:"continuing_subword_prefix"`
	EndOfWordSuffix         *string          `json:"end_of_word_suffix"`
}

// merge is two symbols that become one; written as a list, or, by older versions, with a space
// between them.
type merge [2]string

func (m *merge) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, (*[2]string)(m))
	}
	var pair string
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}
	var ok bool
	if m[0], m[1], ok = strings.Cut(pair, " "); !ok {
		return fmt.Errorf("merge %q: want two symbols", pair)
	}
	return nil
}

// component is a normalizer, pre-tokenizer, post-processor or decoder, or several in a row.
type component struct {
	Type string `json:"type"`

	Normalizers   []component `json:"normalizers"`
	PreTokenizers []component `json:"pretokenizers"`
	Processors    []component `json:"processors"`
	Decoders      []component `json:"decoders"`

	Pattern          pattern                      `json:"pattern"`
	Content          string                       `json:"content"`
	Prepend          string                       `json:"prepend"`
	Behavior         string                       `json:"behavior"`
	Invert           bool                         `json:"invert"`
	AddPrefixSpace   bool                         `json:"add_prefix_space"`
	UseRegex         *bool                        `json:"use_regex"`
	IndividualDigits bool                         `json:"individual_digits"`
	Replacement      string                       `json:"replacement"`
	PrependScheme    string                       `json:"prepend_scheme"`
	Split            *bool                        `json:"split"`
	Single           []map[string]json.RawMessage `json:"single"`
	Start            int                          `json:"start"`
}

type pattern struct {
	String string
	Regex  string
}

// all are c, or the components that a sequence is made of.
func (c *component) all() []component {
	if c == nil {
		return nil
	}
	if c.Type != "Sequence" {
		return []component{*c}
	}
	var list []component
	for _, group := range [][]component{c.Normalizers, c.PreTokenizers, c.Processors, c.Decoders} {
		for _, part := range group {
			list = append(list, part.all()...)
		}
	}
	return list
}

// check refuses models that are none of ours.
func (m *model) check() error {
	filled := func(s *string) bool { return s != nil && *s != "" }
	switch {
	case m.Type != "BPE" && m.Type != "":
		return fmt.Errorf("its model is %s; only BPE is known", m.Type)
	case len(m.Vocab) == 0:
		return errors.New("it has no vocabulary")
	case m.Dropout != nil && *m.Dropout > 0:
		return errors.New("its BPE drops merges at random")
	case filled(m.ContinuingSubwordPrefix) || filled(m.EndOfWordSuffix):
		return errors.New("its BPE marks parts of words, which is not known")
	}
	return nil
}
