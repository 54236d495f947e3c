package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"servematrix/secret"
)

// Bounds of the JSON form: per-request arrays are read over, never held.
const (
	maxDepth    = 32
	maxKept     = 512  // values of one nested object or array that are kept
	maxErrors   = 5    // distinct error messages that are kept
	maxErrorLen = 2000 // bytes of one of them
)

// TruncatedError says that a result file ends in the middle: its writer died or is still
// writing. What came whole before it is returned beside the error.
type TruncatedError struct {
	// Whole is how many complete values precede the damage.
	Whole int
	// Offset is the byte at which the incomplete value begins.
	Offset int64
}

func (e *TruncatedError) Error() string {
	return fmt.Sprintf("the result is cut off: the value that begins at byte %d has no end (%d whole before it)", e.Offset, e.Whole)
}

// ParseJSON gives every benchmark result in a client's result file: one object, JSONL, objects
// one after another without a newline, or arrays of them. It accepts the bare Infinity and NaN
// that Python writes. Objects that hold no benchmark result are left out. At a cut-off tail it
// returns what is whole and a *TruncatedError.
func ParseJSON(r io.Reader) ([]*Measurement, error) {
	var found []*Measurement
	err := readObjects(r, func(o *object) {
		if m := o.measurement(); m.recognised() {
			found = append(found, m)
		}
	})
	source := "json"
	if len(found) > 1 {
		source = "jsonl"
	}
	for _, m := range found {
		m.Source = source
	}
	return found, err
}

// readObjects hands over each object at the top of the stream or in an array there.
func readObjects(r io.Reader, each func(*object)) error {
	d := json.NewDecoder(&pythonJSON{r: r})
	d.UseNumber()
	whole := 0
	for {
		begin := d.InputOffset()
		err := readTop(d, each)
		switch {
		case err == nil:
			whole++
		case errors.Is(err, errDone):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
			return &TruncatedError{Whole: whole, Offset: begin}
		default:
			return fmt.Errorf("result JSON at byte %d: %w", d.InputOffset(), err)
		}
	}
}

var errDone = errors.New("end of input between values")

func readTop(d *json.Decoder, each func(*object)) error {
	t, err := d.Token()
	if errors.Is(err, io.EOF) {
		return errDone
	}
	if err != nil {
		return err
	}
	return readValue(d, t, each, 0)
}

// readValue reads over a value that began with t; objects that are not inside others go to each.
func readValue(d *json.Decoder, t json.Token, each func(*object), depth int) error {
	switch t {
	case json.Delim('{'):
		o := object{config: map[string]any{}, extra: map[string]any{}}
		if err := o.read(d); err != nil {
			return err
		}
		each(&o)
	case json.Delim('['):
		for d.More() {
			t, err := d.Token()
			if err != nil {
				return err
			}
			if depth >= maxDepth {
				err = skip(d, t)
			} else {
				err = readValue(d, t, each, depth+1)
			}
			if err != nil {
				return err
			}
		}
		_, err := d.Token()
		return err
	}
	return nil
}

// skip reads over the rest of a value that began with t.
func skip(d *json.Decoder, t json.Token) error {
	for depth := 0; ; {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		var err error
		if t, err = d.Token(); err != nil {
			return err
		}
	}
}

// scalar makes a token that is no bracket fit for Extra and Config, and gives its number.
func scalar(t json.Token) (value any, f float64, numeric bool) {
	switch v := t.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(v.String(), 64)
		if err != nil {
			return v.String(), 0, false
		}
		return plain(f, !strings.ContainsAny(v.String(), ".eE")), f, true
	case string:
		if f, ok := nonFinite(v); ok {
			return spell(f), f, true
		}
		return redactor.String(v), 0, false
	}
	return t, 0, false
}

// nested reads an object or array that began with t into plain Go values; ok is false when it
// holds too much to keep. It is read to its end in any case.
func nested(d *json.Decoder, t json.Token, left *int, depth int) (value any, ok bool, err error) {
	delim, is := t.(json.Delim)
	if !is {
		*left--
		v, _, _ := scalar(t)
		return v, *left >= 0, nil
	}
	if depth >= maxDepth {
		return nil, false, skip(d, t)
	}
	object, array, ok := map[string]any{}, []any{}, true
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, false, err
		}
		key := ""
		if delim == '{' {
			key, _ = t.(string)
			if t, err = d.Token(); err != nil {
				return nil, false, err
			}
		}
		if *left < 0 { // already too much: no need to hold the rest
			ok = false
			if err := skip(d, t); err != nil {
				return nil, false, err
			}
			continue
		}
		v, fits, err := nested(d, t, left, depth+1)
		if err != nil {
			return nil, false, err
		}
		ok = ok && fits
		if delim == '{' {
			if secret.IsSecretName(key, nil) && v != nil {
				v = secret.Mask
			}
			object[key] = v
		} else {
			array = append(array, v)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, false, err
	}
	if delim == '{' {
		return object, ok, nil
	}
	return array, ok, nil
}
