package sim

import "hash/fnv"

// There is no neural network here, so there is no real vocabulary either. Text becomes tokens
// by a rule that keeps shared beginnings shared: a token is a run of at most tokenBytes bytes
// that begins at a space or where the last token ended. English comes out near the usual 1.4
// tokens a word. Prompts given as lists of token ids are used as they are.
const tokenBytes = 6

// tokenize gives the token ids of text.
func tokenize(text string) []int32 {
	ids := make([]int32, 0, len(text)/4+1)
	for start := 0; start < len(text); {
		end := start + 1
		for end < len(text) && end-start < tokenBytes && text[end] != ' ' {
			end++
		}
		h := fnv.New32a()
		h.Write([]byte(text[start:end])) // a hash never returns an error
		ids = append(ids, int32(h.Sum32()&0x7fffffff))
		start = end
	}
	return ids
}

// The simulated model answers in two-syllable words that need no JSON escape; each is one
// token by the rule above.
const (
	consonants = "bdfghjklmnprstvwxyzc"
	vowels     = "aeiou"
	vocabulary = len(consonants) * len(vowels) * len(consonants) * len(vowels)
)

// appendWord appends the text of output token id.
func appendWord(b []byte, id int32) []byte {
	n := int(id) % vocabulary
	b = append(b, ' ')
	for range 2 {
		b = append(b, consonants[n%len(consonants)])
		n /= len(consonants)
		b = append(b, vowels[n%len(vowels)])
		n /= len(vowels)
	}
	return b
}

// words gives the text of output tokens.
func words(ids []int32) string {
	var b []byte
	for _, id := range ids {
		b = appendWord(b, id)
	}
	return string(b)
}

// mix folds one token into the state from which the next output token is drawn: the answer is a
// function of all tokens before it, like greedy decoding.
func mix(state uint64, token int32) uint64 {
	state ^= uint64(uint32(token))
	state *= 0x9e3779b97f4a7c15
	return state ^ state>>29
}
