package tokenizer

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Tokenizer turns texts into tokens and back. It is safe for use by several goroutines.
type Tokenizer struct {
	vocab        map[string]int32
	merges       map[[2]int32]merged
	ignoreMerges bool
	byteFallback bool
	fuseUnknown  bool
	unknown      int32 // -1: letters that are unknown vanish
	normalize    []func(string) string
	split        []func(string, bool) []string
	added        map[byte][]added // by their first byte, the longest first
	specials     int
	decoders     []component
	tokens       []string         // by id; "" of added ones
	plain        map[int32]string // added tokens that are text
}

// Open reads a tokenizer.json. The errors name the file.
func Open(path string) (*Tokenizer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Parse reads the text of a tokenizer.json. It refuses what it does not know.
func Parse(text []byte) (*Tokenizer, error) {
	var c config
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("is no tokenizer.json: %w", err)
	}
	if err := c.Model.check(); err != nil {
		return nil, err
	}
	t := &Tokenizer{
		vocab: c.Model.Vocab, unknown: -1, ignoreMerges: c.Model.IgnoreMerges, byteFallback: c.Model.ByteFallback, fuseUnknown: c.Model.FuseUnknown,
		decoders: c.Decoder.all(),
	}
	for _, part := range c.Normalizer.all() {
		step, err := normalizer(part)
		if err != nil {
			return nil, err
		}
		t.normalize = append(t.normalize, step)
	}
	for _, part := range c.PreTokenizer.all() {
		step, err := splitter(part)
		if err != nil {
			return nil, err
		}
		t.split = append(t.split, step)
	}
	for _, part := range c.PostProcessor.all() {
		n, err := specials(part)
		if err != nil {
			return nil, err
		}
		t.specials += n
	}
	if err := t.index(c); err != nil {
		return nil, err
	}
	return t, nil
}

// specials counts the tokens that a post-processor puts around a text.
func specials(c component) (n int, err error) {
	switch c.Type {
	case "ByteLevel":
		return 0, nil
	case "TemplateProcessing":
		for _, part := range c.Single {
			if _, ok := part["SpecialToken"]; ok {
				n++
			}
		}
		return n, nil
	}
	return 0, fmt.Errorf("its post-processor %s is not known", c.Type)
}

// index makes what is looked up: merges by their two tokens, tokens by id, added tokens.
func (t *Tokenizer) index(c config) error {
	size := int32(0)
	for token, id := range t.vocab {
		if id < 0 || id > 1<<24 {
			return fmt.Errorf("the id of %q, %d, is none", token, id)
		}
		size = max(size, id+1)
	}
	for _, a := range c.AddedTokens {
		if a.ID < 0 || a.ID > 1<<24 {
			return fmt.Errorf("the id of %q, %d, is none", a.Content, a.ID)
		}
		size = max(size, a.ID+1)
	}
	t.tokens = make([]string, size)
	for token, id := range t.vocab {
		t.tokens[id] = token
	}
	t.added, t.plain = map[byte][]added{}, map[int32]string{}
	for _, a := range c.AddedTokens {
		t.tokens[a.ID] = ""
		if !a.Special {
			t.plain[a.ID] = a.Content
		}
		if a.Content != "" {
			t.added[a.Content[0]] = append(t.added[a.Content[0]], a)
		}
	}
	for _, list := range t.added {
		slices.SortStableFunc(list, func(a, b added) int { return len(b.Content) - len(a.Content) })
	}
	t.merges = make(map[[2]int32]merged, len(c.Model.Merges))
	for rank, m := range c.Model.Merges {
		left, okLeft := t.vocab[m[0]]
		right, okRight := t.vocab[m[1]]
		id, ok := t.vocab[m[0]+m[1]]
		if !ok || !okLeft || !okRight {
			return fmt.Errorf("merge %d, of %q and %q, is not in the vocabulary", rank, m[0], m[1])
		}
		t.merges[[2]int32{left, right}] = merged{int32(rank), id}
	}
	if c.Model.Unknown != nil {
		if id, ok := t.vocab[*c.Model.Unknown]; ok {
			t.unknown = id
		}
	}
	return nil
}

// Size is one more than the largest token id.
func (t *Tokenizer) Size() int { return len(t.tokens) }

// Specials is how many tokens are put around each text, such as one for its beginning.
func (t *Tokenizer) Specials() int { return t.specials }

// Encode gives the tokens of a text, without those put around it.
func (t *Tokenizer) Encode(text string) (ids []int32) {
	first := true
	for text != "" {
		at, found := t.nextAdded(text)
		ids = t.encode(ids, text[:at], first)
		first = first && at == 0 && found == nil
		if found == nil {
			return ids
		}
		ids = append(ids, found.ID)
		text = text[at+len(found.Content):]
	}
	return ids
}

// nextAdded finds the first added token in a text, or the text's end.
func (t *Tokenizer) nextAdded(text string) (int, *added) {
	for at := range len(text) {
		list := t.added[text[at]]
		for i, a := range list {
			if strings.HasPrefix(text[at:], a.Content) {
				return at, &list[i]
			}
		}
	}
	return len(text), nil
}

// encode appends the tokens of a text that has no added ones.
func (t *Tokenizer) encode(ids []int32, text string, first bool) []int32 {
	if text == "" {
		return ids
	}
	for _, step := range t.normalize {
		text = step(text)
	}
	pieces := []string{text}
	for _, step := range t.split {
		var smaller []string
		for i, piece := range pieces {
			smaller = append(smaller, step(piece, first && i == 0)...)
		}
		pieces = smaller
	}
	for _, piece := range pieces {
		ids = t.pieceIDs(ids, piece)
	}
	return ids
}

// Decode gives the text of tokens, without special ones.
func (t *Tokenizer) Decode(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		if text, ok := t.plain[id]; ok {
			b.WriteString(t.tokenText(text))
		} else if id >= 0 && int(id) < len(t.tokens) {
			b.WriteString(t.tokenText(t.tokens[id]))
		}
	}
	text := b.String()
	for _, d := range t.decoders {
		switch {
		case d.Type == "Strip" && d.Content == " ", d.Type == "Metaspace":
			text = strings.TrimPrefix(text, " ")
		}
	}
	return text
}

// tokenText is one token as text.
func (t *Tokenizer) tokenText(token string) string {
	for _, d := range t.decoders {
		switch d.Type {
		case "ByteLevel":
			return fromLetters(token)
		case "Replace":
			token = strings.ReplaceAll(token, d.Pattern.String, d.Content)
		case "Metaspace":
			token = strings.ReplaceAll(token, d.Replacement, " ")
		case "ByteFallback":
			if len(token) == 6 && strings.HasPrefix(token, "<0x") {
				if b, err := strconv.ParseUint(token[3:5], 16, 8); err == nil {
					return string([]byte{byte(b)})
				}
			}
		}
	}
	return token
}

// Words are the tokens that are a space and lowercase letters. Texts of them keep their number of
// tokens, since no tokenizer joins what a space parts.
func (t *Tokenizer) Words() (ids []int32) {
	for id, token := range t.tokens {
		text := t.tokenText(token)
		if len(text) < 2 || text[0] != ' ' || strings.Trim(text[1:], "abcdefghijklmnopqrstuvwxyz") != "" {
			continue
		}
		if alone := t.pieceIDs(nil, token); len(alone) == 1 && alone[0] == int32(id) {
			ids = append(ids, int32(id))
		}
	}
	return ids
}
