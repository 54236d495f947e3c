package tokenizer

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/dlclark/regexp2"
	"golang.org/x/text/unicode/norm"
)

// normalizer makes a step from a text to the text that is split.
func normalizer(c component) (func(string) string, error) {
	switch {
	case c.Type == "NFC":
		return norm.NFC.String, nil
	case c.Type == "NFKC":
		return norm.NFKC.String, nil
	case c.Type == "Prepend":
		return func(text string) string {
			if text == "" {
				return ""
			}
			return c.Prepend + text
		}, nil
	case c.Type == "Replace" && c.Pattern.String != "":
		return func(text string) string { return strings.ReplaceAll(text, c.Pattern.String, c.Content) }, nil
	}
	return nil, fmt.Errorf("its normalizer %s is not known", c.Type)
}

// splitter makes a step from pieces to smaller pieces. first says that the piece begins the text.
func splitter(c component) (func(piece string, first bool) []string, error) {
	switch c.Type {
	case "Split":
		re := c.Pattern.Regex
		if re == "" {
			re = regexp2.Escape(c.Pattern.String)
		}
		return byPattern(re, c.Behavior, c.Invert)
	case "ByteLevel":
		return byteLevel(c)
	case "Digits":
		if c.IndividualDigits {
			return byPattern(`\p{N}`, "Isolated", false)
		}
		return byPattern(`\p{N}+`, "Isolated", false)
	case "Metaspace":
		return metaspace(c), nil
	}
	return nil, fmt.Errorf("its pre-tokenizer %s is not known", c.Type)
}

// byPattern cuts a text where a pattern matches. Isolated: matches are pieces; Removed: they go
// away; MergedWithPrevious: they end a piece. Inverted, the pattern tells what is between.
func byPattern(pattern, behavior string, invert bool) (func(string, bool) []string, error) {
	re, err := regexp2.Compile(pattern, regexp2.None)
	if err != nil {
		return nil, fmt.Errorf("its pattern %q is not understood: %w", pattern, err)
	}
	if behavior != "Isolated" && behavior != "MergedWithPrevious" && !(behavior == "Removed" && !invert) || invert && behavior == "MergedWithPrevious" {
		if !(behavior == "Removed" && invert) {
			return nil, fmt.Errorf("its way to split, %s, is not known", behavior)
		}
	}
	return func(text string, _ bool) (pieces []string) {
		runes := []rune(text)
		last := 0
		add := func(from, to int) {
			if to > from {
				pieces = append(pieces, string(runes[from:to]))
			}
		}
		for m, err := re.FindRunesMatch(runes); m != nil && err == nil; m, err = re.FindNextMatch(m) {
			from, to := m.Index, m.Index+m.Length
			switch {
			case behavior == "MergedWithPrevious":
				add(last, to)
			case behavior == "Removed" && invert:
				add(from, to)
			case behavior == "Removed":
				add(last, from)
			default:
				add(last, from)
				add(from, to)
			}
			last = to
		}
		if !(behavior == "Removed" && invert) {
			add(last, len(runes))
		}
		return pieces
	}, nil
}

// gpt2 is the pattern of the ByteLevel pre-tokenizer. Source: openai/gpt-2, encoder.py.
const gpt2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// byteLevel writes each byte as a letter of its own.
func byteLevel(c component) (func(string, bool) []string, error) {
	split := func(text string, _ bool) []string { return []string{text} }
	if c.UseRegex == nil || *c.UseRegex {
		var err error
		if split, err = byPattern(gpt2, "Isolated", false); err != nil {
			return nil, err
		}
	}
	return func(text string, first bool) []string {
		if c.AddPrefixSpace && !strings.HasPrefix(text, " ") {
			text = " " + text
		}
		pieces := split(text, first)
		for i, piece := range pieces {
			pieces[i] = toLetters(piece)
		}
		return pieces
	}, nil
}

// metaspace writes spaces as a letter, one of them before the text too, and splits before each.
func metaspace(c component) func(string, bool) []string {
	return func(text string, first bool) (pieces []string) {
		text = strings.ReplaceAll(text, " ", c.Replacement)
		before := c.PrependScheme == "always" || c.PrependScheme == "first" && first || c.PrependScheme == "" && c.AddPrefixSpace
		if before && text != "" && !strings.HasPrefix(text, c.Replacement) {
			text = c.Replacement + text
		}
		if c.Split != nil && !*c.Split {
			return []string{text}
		}
		for {
			at := -1
			if len(text) > len(c.Replacement) {
				at = strings.Index(text[len(c.Replacement):], c.Replacement)
			}
			if at < 0 {
				return append(pieces, text)
			}
			at += len(c.Replacement)
			pieces, text = append(pieces, text[:at]), text[at:]
		}
	}
}

// letters are those that stand for bytes: printable ones for themselves, others for those from
// U+0100 on. Source: openai/gpt-2, encoder.py.
var letters, byteOf = func() (to [256]rune, from map[rune]byte) {
	from = map[rune]byte{}
	next := rune(256)
	for b := range 256 {
		to[b] = rune(b)
		if r := rune(b); r == ' ' || r == 0xad || !unicode.IsPrint(r) {
			to[b] = next
			next++
		}
		from[to[b]] = byte(b)
	}
	return to, from
}()

func toLetters(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(letters[text[i]])
	}
	return b.String()
}

// fromLetters is the bytes that letters stand for.
func fromLetters(text string) string {
	var b []byte
	for _, r := range text {
		if one, ok := byteOf[r]; ok {
			b = append(b, one)
		} else {
			b = append(b, string(r)...)
		}
	}
	return string(b)
}
