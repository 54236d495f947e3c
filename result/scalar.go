package result

import (
	"bytes"
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

// scalar reads the one that begins with c, the next byte. A number that no float holds stays text.
func (s *scanner) scalar(c byte) (scalar, error) {
	if c == '"' {
		s.pos++
		text, err := s.stringRest()
		if f, ok := nonFinite(text); ok {
			return scalar{f: f, numeric: true}, err
		}
		return scalar{other: s.known.redacted(text)}, err
	}
	word, of, err := s.word()
	if len(word) == 0 {
		return scalar{}, err
	}
	if f, ok := counted(word, of); ok {
		return scalar{f: f, numeric: true, whole: true}, nil
	}
	if of&ofNumber != 0 {
		f, err := strconv.ParseFloat(string(word), 64)
		switch {
		case err == nil:
			return scalar{f: f, numeric: true, whole: of&ofWhole != 0}, nil
		case !errors.Is(err, strconv.ErrSyntax):
			return scalar{other: string(word)}, nil
		}
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
	if !s.fill() {
		return scalar{}, s.ended() // the word was cut off
	}
	return scalar{}, s.bad("%.20q is no value of JSON", word)
}

// mostCounted are the digits of a whole number that a float holds whatever they are.
const mostCounted = 15

// counted reads a whole number of few digits, as many are, sooner than strconv.
func counted(word []byte, of byte) (f float64, ok bool) {
	if of&ofWhole == 0 || len(word) > mostCounted {
		return 0, false
	}
	n := 0
	for _, c := range word {
		if c < '0' { // a sign
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return float64(n), true
}

// knownTexts keeps the keys and texts that the lines of a file have in common once: many, short ones.
type knownTexts struct {
	keys  map[string]*keyMeaning
	order []*keyMeaning // of the keys of the last object
	texts map[string]string
	shown map[string]any // without secrets
}

const (
	maxKnown    = 4096
	maxKnownLen = 128
)

// key reads an object's key that comes behind so many others, and the colon behind it. Lines of
// one file mostly have the same keys in the same order, so the last line's is looked for first.
func (s *scanner) key(place int) (*keyMeaning, error) {
	if _, err := s.peek(); err != nil {
		return nil, err
	}
	if place < len(s.known.order) {
		key := s.known.order[place]
		if bytes.HasPrefix(s.buf[s.pos:s.end], key.written) {
			s.pos += len(key.written)
			return key, nil
		}
	}
	key, err := s.anyKey(place)
	if err == nil {
		err = s.take(':')
	}
	return key, err
}

func (s *scanner) anyKey(place int) (*keyMeaning, error) {
	if err := s.take('"'); err != nil {
		return nil, err
	}
	from := s.pos
	if text, ok := s.whole(); ok {
		if key, ok := s.known.keys[string(text)]; ok {
			s.known.follow(place, key)
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

// follow notes the key that stands behind so many others. It was written without escapes, so it
// will be known again by its bytes.
func (k *knownTexts) follow(place int, key *keyMeaning) {
	if place < len(k.order) {
		k.order[place] = key
	} else if place == len(k.order) && place < maxKnown {
		k.order = append(k.order, key)
	}
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
