package result

import (
	"errors"
	"strconv"
	"strings"
)

// scalar is a string, number or word of JSON.
type scalar struct {
	f              float64 // the number, NaN and infinity included
	numeric, whole bool
	other          any // what is no number: text or a truth value; nil for null
}

func (v scalar) null() bool { return !v.numeric && v.other == nil }

// value gives it in a form fit for Extra and Config.
func (v scalar) value() any {
	if v.numeric {
		return plain(v.f, v.whole)
	}
	return v.other
}

// numeral is set for the bytes of a number, beyond those for the ones that a whole one lacks.
var numeral, beyond = bytesOf("+-.eE0123456789"), bytesOf(".eE")

func bytesOf(chars string) (set [256]bool) {
	for _, c := range []byte(chars) {
		set[c] = true
	}
	return set
}

// scalar reads the next one. A number that no float holds stays text.
func (s *scanner) scalar() (scalar, error) {
	c, err := s.peek()
	if err != nil {
		return scalar{}, err
	}
	if c == '"' {
		text, err := s.string()
		if f, ok := nonFinite(text); ok {
			return scalar{f: f, numeric: true}, err
		}
		return scalar{other: s.known.redacted(text)}, err
	}
	word, err := s.word()
	if len(word) == 0 {
		return scalar{}, err
	}
	switch string(word) {
	case "null":
		return scalar{}, nil
	case "true", "false":
		return scalar{other: word[0] == 't'}, nil
	case "NaN", "Infinity", "-Infinity":
		f, _ := nonFinite(string(word))
		return scalar{f: f, numeric: true}, nil
	}
	number, whole := true, true
	for _, c := range word {
		number, whole = number && numeral[c], whole && !beyond[c]
	}
	f, err := strconv.ParseFloat(string(word), 64)
	switch number = number && !errors.Is(err, strconv.ErrSyntax); {
	case !number && !s.fill():
		return scalar{}, s.ended() // the word was cut off
	case !number:
		return scalar{}, s.bad("%.20q is no value of JSON", word)
	case err != nil:
		return scalar{other: string(word)}, nil
	}
	return scalar{f: f, numeric: true, whole: whole}, nil
}

// knownTexts keeps the keys and texts that the lines of a file have in common once: many, short ones.
type knownTexts struct {
	keys  map[string]*keyMeaning
	texts map[string]string
	shown map[string]any // without secrets
}

const (
	maxKnown    = 4096
	maxKnownLen = 128
)

// key reads an object's key.
func (s *scanner) key() (*keyMeaning, error) {
	if err := s.take('"'); err != nil {
		return nil, err
	}
	from := s.pos
	if text, ok := s.whole(); ok {
		if key, ok := s.known.keys[string(text)]; ok {
			return key, nil
		}
	}
	s.pos = from - 1
	text, err := s.string()
	if err != nil {
		return nil, err
	}
	key := meaning(text)
	if s.known.keys == nil {
		s.known.keys = map[string]*keyMeaning{}
	}
	if len(s.known.keys) < maxKnown && len(text) <= maxKnownLen {
		s.known.keys[text] = key
	}
	return key, nil
}

// text gives a short string.
func (k *knownTexts) text(b []byte) string {
	if text, ok := k.texts[string(b)]; ok {
		return text
	}
	text := strings.ToValidUTF8(string(b), "\ufffd")
	if k.texts == nil {
		k.texts = map[string]string{}
	}
	if len(k.texts) < maxKnown {
		k.texts[string(b)] = text
	}
	return text
}

// redacted gives a text without its secrets.
func (k *knownTexts) redacted(text string) any {
	if shown, ok := k.shown[text]; ok {
		return shown
	}
	shown := any(redactor.String(text))
	if k.shown == nil {
		k.shown = map[string]any{}
	}
	if len(k.shown) < maxKnown && len(text) <= maxKnownLen {
		k.shown[text] = shown
	}
	return shown
}
