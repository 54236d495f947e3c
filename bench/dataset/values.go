package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
)

// place is where a value of a file stands.
type place struct {
	at         int64
	size, line int32
}

// places finds the values of a file: the elements of one JSON array, as ShareGPT is published, or
// one value a line.
func places(f *os.File) ([]place, error) {
	r := bufio.NewReaderSize(whole(f), 1<<18)
	var list []place
	if array, err := isArray(r); err != nil || array {
		if err != nil {
			return nil, err
		}
		return elements(r)
	}
	err := lines(r, func(rec record) error {
		list = append(list, place{rec.at, int32(len(rec.raw)), int32(rec.line)})
		return nil
	})
	return list, err
}

// whole reads a file from its beginning, wherever others read it.
func whole(f *os.File) io.Reader { return io.NewSectionReader(f, 0, math.MaxInt64) }

// isArray looks for the first byte that is no space, within what r holds at once.
func isArray(r *bufio.Reader) (bool, error) {
	ahead, err := r.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return bytes.HasPrefix(bytes.TrimSpace(ahead), []byte("[")), nil
}

// elements finds the elements of the array that r is. It looks at brackets and quotes alone, which
// is ten times as fast as to read each value; those that are sent are read whole.
func elements(r *bufio.Reader) (list []place, err error) {
	var c elementScanner
	buffer := make([]byte, 1<<18)
	for c.line = 1; ; {
		n, err := r.Read(buffer)
		for _, b := range buffer[:n] {
			if err := c.next(b, &list); err != nil {
				return nil, atLine{c.line, err}
			}
			c.at++
		}
		switch {
		case errors.Is(err, io.EOF) && !c.done:
			return nil, atLine{c.line, errors.New("not JSON: it ends within the array")}
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		}
	}
}

// elementScanner is where a scan through an array is.
type elementScanner struct {
	at               int64
	line             int
	depth            int // 1 between the elements
	inString, escape bool
	begun            bool // within an element
	comma            bool // after one
	done             bool // behind the array
	element          place
}

// next looks at one byte.
func (c *elementScanner) next(b byte, list *[]place) error {
	switch {
	case c.escape:
		c.escape = false
	case c.inString:
		c.escape = b == '\\'
		c.inString = b != '"'
	case b == '\n':
		c.line++
	case b == ' ' || b == '\t' || b == '\r':
	case c.done:
		return fmt.Errorf("not JSON: %q behind the array", b)
	case c.depth == 0:
		c.depth = 1 // the array's own bracket
	case c.depth == 1 && (b == ',' || b == ']'):
		if !c.begun && (b == ',' || c.comma) {
			return fmt.Errorf("not JSON: %q where an element is wanted", b)
		}
		c.done, c.comma = b == ']', b == ','
		return c.end(list)
	default:
		if !c.begun {
			c.begun, c.element = true, place{at: c.at, line: int32(c.line)}
		}
		switch b {
		case '"':
			c.inString = true
		case '{', '[':
			c.depth++
		case '}', ']':
			c.depth--
		}
	}
	return nil
}

// end notes the element that ends here.
func (c *elementScanner) end(list *[]place) error {
	if !c.begun {
		return nil
	}
	c.begun = false
	size := c.at - c.element.at
	if size > maxRecord {
		return fmt.Errorf("an element is longer than %d MiB", maxRecord>>20)
	}
	c.element.size = int32(size)
	*list = append(*list, c.element)
	return nil
}

// read gives the value at a place.
func (p place) read(f *os.File) ([]byte, error) {
	raw := make([]byte, p.size)
	if _, err := f.ReadAt(raw, p.at); err != nil {
		return nil, fmt.Errorf("cannot be read again, has it changed? %w", err)
	}
	return raw, nil
}

// decode reads a JSON object; the errors are for people.
func decode(text []byte, v any) error {
	if err := json.Unmarshal(text, v); err != nil {
		return plainly(err)
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return fmt.Errorf("want a JSON object, got %.40s", text)
	}
	return nil
}

// plainly says what is wrong with JSON without words of Go.
func plainly(err error) error {
	var mistyped *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &mistyped) && mistyped.Field == "":
		return fmt.Errorf("want a JSON object, got %s", mistyped.Value)
	case errors.As(err, &mistyped):
		return fmt.Errorf("%s: cannot be %s", mistyped.Field, mistyped.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON: %w", err)
	}
	return err
}

// missing names a field that an object lacks, and those that it has.
func missing(field string, object []byte) error {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(object, &fields) // it was decoded before
	return fmt.Errorf("no %s; there is %s", field, strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
}
