package jsonwalk

import (
	"sync"
	"unicode/utf8"
)

// Walker is a struct that a Cursor can fill.
type Walker interface {
	// Walk takes one object. It calls Fail where it finds what it does not know.
	Walk(c *Cursor)
}

// Read fills v from a text, and tells whether all of it was as expected. Where it was not, v may
// hold anything: the caller asks encoding/json.
func Read(text []byte, v Walker) bool {
	c := Cursor{text: text}
	if c.known, _ = known.Get().(map[string]string); c.known == nil {
		c.known = map[string]string{}
	}
	v.Walk(&c)
	c.next()
	known.Put(c.known)
	return !c.failed && c.at == len(text)
}

// known are the words that texts have in common, so that each is kept once: a map for each goroutine
// that reads. mostKnown bounds it.
var known sync.Pool

const (
	mostKnown   = 1 << 14
	longestWord = 256 // bytes
)

// Cursor walks over a JSON text.
type Cursor struct {
	text   []byte
	at     int // a number and no slice of what is left: with that each step would be one for the garbage collector too
	failed bool
	known  map[string]string
}

// Fail ends the walk: encoding/json has the last word.
func (c *Cursor) Fail() { c.failed = true }

// next gives the next character behind white space, 0 where there is none.
func (c *Cursor) next() byte {
	for ; c.at < len(c.text); c.at++ {
		if b := c.text[c.at]; b != ' ' && b != '\n' && b != '\t' && b != '\r' {
			return b
		}
	}
	return 0
}

// take takes a character if it comes next.
func (c *Cursor) take(b byte) bool {
	if c.next() != b || c.failed {
		return false
	}
	c.at++
	return true
}

func (c *Cursor) must(b byte) {
	if !c.take(b) {
		c.failed = true
	}
}

// word takes null, true or false if it comes next.
func (c *Cursor) word(w string) bool {
	if c.next() != w[0] || c.failed || len(c.text) < c.at+len(w) || string(c.text[c.at:c.at+len(w)]) != w {
		return false
	}
	c.at += len(w)
	return true
}

// Null takes null if it comes next.
func (c *Cursor) Null() bool { return c.word("null") }

// Bool takes true or false.
func (c *Cursor) Bool() bool {
	if c.word("true") {
		return true
	}
	if !c.word("false") {
		c.failed = true
	}
	return false
}

// Bytes takes a string without escapes; they are a part of the text.
func (c *Cursor) Bytes() []byte {
	c.must('"')
	if c.failed {
		return nil
	}
	i := c.at
	for i < len(c.text) && plain[c.text[i]] {
		i++
	}
	ascii := true
	for ; i < len(c.text); i++ {
		switch b := c.text[i]; {
		case b == '"':
			word := c.text[c.at:i]
			c.at = i + 1
			c.failed = !ascii && !utf8.Valid(word)
			return word
		case b == '\\' || b < ' ':
			c.failed = true
			return nil
		case b >= utf8.RuneSelf:
			ascii = false
		}
	}
	c.failed = true
	return nil
}

// plain is set for the bytes that most strings are of, and that stand for themselves.
var plain = func() (set [256]bool) {
	for b := ' '; b < utf8.RuneSelf; b++ {
		set[b] = b != '"' && b != '\\'
	}
	return set
}()

// Text takes a string without escapes that may well come again.
func (c *Cursor) Text() string { return c.Known(c.Bytes()) }

// Known gives a text as a string, the same one each time.
func (c *Cursor) Known(b []byte) string {
	if s, ok := c.known[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(c.known) < mostKnown && len(s) < longestWord {
		c.known[s] = s
	}
	return s
}

// Texts takes a list of strings.
func (c *Cursor) Texts() []string {
	list := make([]string, 0, 8)
	c.Array(func() { list = append(list, c.Text()) })
	return list
}

// TextMap takes an object of strings.
func (c *Cursor) TextMap() map[string]string {
	all := map[string]string{}
	c.Object(func(key []byte) {
		name := c.Known(key)
		all[name] = c.Text()
	})
	return all
}

// Object calls each with every key, which is a part of the text; each takes the value.
func (c *Cursor) Object(each func(key []byte)) {
	c.must('{')
	if c.take('}') {
		return
	}
	for !c.failed {
		key := c.Bytes()
		c.must(':')
		if c.failed {
			return
		}
		each(key)
		if !c.take(',') {
			c.must('}')
			return
		}
	}
}

// Array calls each before every value; each takes it.
func (c *Cursor) Array(each func()) {
	c.must('[')
	if c.take(']') {
		return
	}
	for !c.failed {
		each()
		if !c.take(',') {
			c.must(']')
			return
		}
	}
}

// Pass passes over a value by its brackets and quotes.
func (c *Cursor) Pass() { c.Raw() }

// Raw takes a value without a look at it; it is a part of the text.
func (c *Cursor) Raw() []byte {
	c.next()
	depth, from := 0, c.at
	for i := c.at; i < len(c.text); i++ {
		switch c.text[i] {
		case '"':
			for i++; i < len(c.text) && c.text[i] != '"'; i++ {
				if c.text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 { // it belongs to what is around the value
				c.failed = c.failed || i == from
				c.at = i
				return c.text[from:i]
			}
			if c.text[i] != ',' {
				depth--
			}
		}
	}
	c.failed = true
	return nil
}
