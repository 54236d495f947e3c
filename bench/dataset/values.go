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
		return elements(f)
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

// elements finds the elements of the array that the file is.
func elements(f *os.File) (list []place, err error) {
	newlines := &lineCounter{r: whole(f)}
	d := json.NewDecoder(newlines)
	_, err = d.Token() // the bracket
	for err == nil && d.More() {
		var raw json.RawMessage
		if err = d.Decode(&raw); err == nil {
			end := d.InputOffset()
			list = append(list, place{end - int64(len(raw)), int32(len(raw)), 0})
			if len(raw) > maxRecord {
				err = fmt.Errorf("element %d is longer than %d MiB", len(list), maxRecord>>20)
			}
		}
	}
	if err == nil {
		_, err = d.Token()
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("element %d of the array, near line %d: %w", len(list)+1, newlines.n+1, plainly(err))
	}
	return list, nil
}

// lineCounter counts the lines that went through it.
type lineCounter struct {
	r io.Reader
	n int
}

func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += bytes.Count(p[:n], []byte("\n"))
	return n, err
}

// lineOf is the line in which a place's value begins.
func lineOf(f *os.File, p place) int {
	if p.line > 0 {
		return int(p.line)
	}
	c := &lineCounter{r: io.NewSectionReader(f, 0, p.at)}
	_, _ = io.Copy(io.Discard, c) // of a file that cannot be read again the line so far
	return c.n + 1
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
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("not JSON: it ends too early")
	}
	return err
}

// missing names a field that an object lacks, and those that it has.
func missing(field string, object []byte) error {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(object, &fields) // it was decoded before
	return fmt.Errorf("no %s; there is %s", field, strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
}
