package result

import (
	"strconv"
	"sync"
	"unicode/utf8"
)

// words are the names and words that samples have in common, so that each is kept once: a map
// for each goroutine that reads. mostKnown bounds it.
var words sync.Pool

const mostKnown = 1 << 14

// cursor walks over a JSON text. It fails at the first thing that it does not know, which need not
// be wrong: encoding/json has the last word.
type cursor struct {
	rest   []byte
	failed bool
	known  map[string]string

	outcome bool     // only what became of the sample
	wanted  []string // metrics; empty: all
}

func (c *cursor) space() {
	for len(c.rest) > 0 && (c.rest[0] == ' ' || c.rest[0] == '\n' || c.rest[0] == '\t' || c.rest[0] == '\r') {
		c.rest = c.rest[1:]
	}
}

// may takes a literal if it comes next.
func (c *cursor) may(literal string) bool {
	c.space()
	if c.failed || len(c.rest) < len(literal) || string(c.rest[:len(literal)]) != literal {
		return false
	}
	c.rest = c.rest[len(literal):]
	return true
}

func (c *cursor) must(literal string) {
	if !c.may(literal) {
		c.failed = true
	}
}

// bytes takes a string without escapes.
func (c *cursor) bytes() []byte {
	c.must(`"`)
	if c.failed {
		return nil
	}
	ascii := true
	for i, b := range c.rest {
		switch {
		case b == '"':
			text := c.rest[:i]
			c.rest = c.rest[i+1:]
			c.failed = !ascii && !utf8.Valid(text)
			return text
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

// text takes a string that may well come again.
func (c *cursor) text() string {
	b := c.bytes()
	if s, ok := c.known[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(c.known) < mostKnown && len(s) < 256 {
		c.known[s] = s
	}
	return s
}

// number takes a number and tells whether it is a whole one. Its text is held against JSON's
// grammar, for strconv takes more.
func (c *cursor) number() (text []byte, whole bool) {
	c.space()
	b, i := c.rest, 0
	digits := func() bool {
		from := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	zero := i < len(b) && b[i] == '0'
	from := i
	ok := digits() && !(zero && i > from+1)
	whole = true
	if ok && i < len(b) && b[i] == '.' {
		i++
		whole, ok = false, digits()
	}
	if ok && i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		whole, ok = false, digits()
	}
	if !ok {
		c.failed = true
		return nil, false
	}
	c.rest = b[i:]
	return b[:i], whole
}

func (c *cursor) float() float64 {
	text, _ := c.number()
	v, err := strconv.ParseFloat(string(text), 64)
	c.failed = c.failed || err != nil
	return v
}

func (c *cursor) integer() int {
	text, whole := c.number()
	v, err := strconv.Atoi(string(text))
	c.failed = c.failed || !whole || err != nil
	return v
}

// object calls each with every key; each takes the value.
func (c *cursor) object(each func(key string)) {
	c.must("{")
	if c.may("}") {
		return
	}
	for !c.failed {
		key := c.text()
		c.must(":")
		if c.failed {
			return
		}
		each(key)
		if !c.may(",") {
			c.must("}")
			return
		}
	}
}

func (c *cursor) array(each func()) {
	c.must("[")
	if c.may("]") {
		return
	}
	for !c.failed {
		each()
		if !c.may(",") {
			c.must("]")
			return
		}
	}
}

// pass passes over a value by its brackets and quotes.
func (c *cursor) pass() {
	c.space()
	depth := 0
	for i := 0; i < len(c.rest); i++ {
		switch c.rest[i] {
		case '"':
			for i++; i < len(c.rest) && c.rest[i] != '"'; i++ {
				if c.rest[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 { // it belongs to what is around the value
				c.rest, c.failed = c.rest[i:], c.failed || i == 0
				return
			}
			if c.rest[i] != ',' {
				depth--
			}
		}
	}
	c.failed = true
}

// scalar takes a value of Extra; one with members is left to encoding/json.
func (c *cursor) scalar() any {
	c.space()
	switch {
	case len(c.rest) == 0:
		c.failed = true
		return nil
	case c.rest[0] == '"':
		return c.text()
	case c.may("null"):
		return nil
	case c.rest[0] == 't' || c.rest[0] == 'f':
		return c.truth()
	}
	text, whole := c.number()
	if whole {
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return n
		}
	}
	v, err := strconv.ParseFloat(string(text), 64)
	c.failed = c.failed || err != nil
	return v
}

func (c *cursor) truth() bool {
	if c.may("true") {
		return true
	}
	c.must("false")
	return false
}
