package metric

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// UnmarshalJSON reads an object of numbers and nulls; null means absent. Names that the
// contract does not know are kept, so that a file of a later version loses nothing.
func (v *Values) UnmarshalJSON(data []byte) error {
	if plain, ok := plainObject(data); ok {
		*v = *plain
		return nil
	}
	var raw map[string]*float64
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("metrics must be an object of numbers and nulls: %w", err)
	}
	*v = Values{}
	for name, f := range raw {
		if f != nil {
			v.Set(name, *f)
		}
	}
	return nil
}

// plainObject reads an object of plain names, numbers and nulls, with null for absent, as
// MarshalJSON writes it, indented or not. A large run has millions of metrics, and encoding/json
// takes ten times as long for them. It gives up on whatever is not so plain: encoding/json has
// the last word on that. data is valid JSON.
func plainObject(data []byte) (*Values, bool) {
	c := cursor{data}
	if !c.take('{') {
		return nil, false
	}
	v := &Values{}
	if c.take('}') {
		return v, true
	}
	for {
		name, ok := c.name()
		if !ok || !c.take(':') {
			return nil, false
		}
		word := c.word()
		if string(word) != "null" {
			f, err := strconv.ParseFloat(string(word), 64)
			if err != nil {
				return nil, false
			}
			v.Set(name, f)
		}
		if c.take(',') {
			continue
		}
		return v, c.take('}') && len(bytes.TrimSpace(c.rest)) == 0
	}
}

// cursor walks over a text.
type cursor struct{ rest []byte }

// take takes the next character if it is the one given.
func (c *cursor) take(b byte) bool {
	c.rest = bytes.TrimLeft(c.rest, " \t\r\n")
	if len(c.rest) == 0 || c.rest[0] != b {
		return false
	}
	c.rest = c.rest[1:]
	return true
}

// name takes a string without escapes; those of the contract are not allocated anew.
func (c *cursor) name() (string, bool) {
	if !c.take('"') {
		return "", false
	}
	end := bytes.IndexByte(c.rest, '"')
	if end < 0 {
		return "", false
	}
	text := c.rest[:end]
	c.rest = c.rest[end+1:]
	if name, ok := Named(text); ok {
		return name, true
	}
	for _, b := range text {
		if b == '\\' || b < ' ' || b > '~' {
			return "", false
		}
	}
	return string(text), true
}

// word takes a number or a word.
func (c *cursor) word() []byte {
	c.rest = bytes.TrimLeft(c.rest, " \t\r\n")
	end := bytes.IndexAny(c.rest, ",} \t\r\n")
	if end < 0 {
		end = len(c.rest)
	}
	word := c.rest[:end]
	c.rest = c.rest[end:]
	return word
}
