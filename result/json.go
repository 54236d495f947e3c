package result

import (
	"errors"
	"fmt"
	"io"

	"servematrix/secret"
)

// Bounds of the JSON form: per-request arrays are passed over, never held.
const (
	maxDepth    = 32
	maxKept     = 1024 // values of one nested object or array that are kept
	maxErrors   = 5    // distinct error messages that are kept
	maxErrorLen = 2000 // bytes of one of them
)

// ParseJSON gives every benchmark result in a client's result file: one object, JSONL, objects
// one after another without a newline, or arrays of them. It accepts the bare Infinity and NaN
// that Python writes. Objects that hold no benchmark result are left out. What is damaged is
// passed over up to the next line that begins an object: all that is whole is returned beside an
// error that names each damage (*DamagedError, and *TruncatedError for a cut-off tail).
func ParseJSON(r io.Reader) ([]*Measurement, error) {
	var found []*Measurement
	err := eachResult(r, func(m *Measurement) error {
		found = append(found, m)
		return nil
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

// eachResult hands over the results in a stream one by one, and holds no more than one. An
// error of each ends the reading and is returned.
func eachResult(r io.Reader, each func(*Measurement) error) error {
	return newScanner(r).results(each)
}

func (s *scanner) results(each func(*Measurement) error) error {
	return s.objects(func(o *object) error {
		if m := o.measurement(); m.recognised() {
			return each(m)
		}
		return nil
	})
}

// callerError is an error of whoever takes the objects, which ends the reading.
type callerError struct{ error }

// objects hands over each object at the top of the stream or in an array there.
func (s *scanner) objects(each func(*object) error) error {
	if s.offset() == 0 {
		s.byteOrderMark()
	}
	var bad damages
	take := func(o *object) error {
		s.passedBy++
		if err := each(o); err != nil {
			return callerError{err}
		}
		return nil
	}
	for {
		c, err := s.peek()
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return bad.err() // between values this is simply the end
		case err != nil:
			return err
		case len(bad.all) > 0 && (c == ',' || c == ']' || c == '}'):
			s.pos++ // of what was damaged
			continue
		}
		s.begin, s.restart = s.offset(), -1
		if err = s.top(take, 0); err == nil {
			continue
		}
		var caller callerError
		var syntax *syntaxError
		switch cut := errors.Is(err, io.ErrUnexpectedEOF); {
		case errors.As(err, &caller):
			return caller.error
		case cut && s.restart < 0:
			bad.add(&TruncatedError{Whole: s.passedBy, Offset: s.begin})
			return bad.err()
		case !cut && !errors.As(err, &syntax):
			return err
		}
		bad.add(&DamagedError{Offset: s.begin, Err: err})
		more, err := s.recover()
		if err != nil {
			return err
		}
		if !more {
			return bad.err()
		}
	}
}

// top reads a value that is not inside an object; objects go to each.
func (s *scanner) top(each func(*object) error, depth int) error {
	c, err := s.peek()
	switch {
	case err != nil:
		return err
	case c == '{':
		s.begin, s.restart = s.offset(), -1
		o := newObject()
		o.line = int(s.passed()) + 1
		if err := s.result(func(key *keyMeaning) error { return o.value(s, key) }); err != nil {
			return err
		}
		return each(o)
	case c == '[' && depth < maxDepth:
		return s.array(func() error { return s.top(each, depth+1) })
	case c == '[' || c == '"':
		return s.skip()
	}
	if _, err = s.scalar(c); depth == 0 && errors.Is(err, io.ErrUnexpectedEOF) {
		return s.bad("a word that JSON does not have")
	}
	return err
}

// nested reads a value into plain Go values; ok is false when it holds too much to keep. It is
// read to its end in any case.
func (s *scanner) nested(left *int, depth int) (value any, ok bool, err error) {
	c, err := s.peek()
	switch {
	case err != nil:
		return nil, false, err
	case c != '{' && c != '[':
		*left--
		v, err := s.scalar(c)
		return v.value(), *left >= 0, err
	case depth >= maxDepth:
		return nil, false, s.skip()
	}
	object, array, ok := map[string]any{}, []any{}, true
	entry := func(key string) error {
		if *left < 0 { // already too much: no need to hold the rest
			ok = false
			return s.skip()
		}
		v, fits, err := s.nested(left, depth+1)
		ok = ok && fits
		switch {
		case c == '[':
			array = append(array, v)
		case v != nil && meaning(key).secret:
			object[key] = secret.Mask
		default:
			object[key] = v
		}
		return err
	}
	if c == '{' {
		err = s.object(entry)
		return object, ok, err
	}
	err = s.array(func() error { return entry("") })
	return array, ok, err
}

// TruncatedError says that a result file ends in the middle: its writer died or is still
// writing. What came whole before it is returned beside the error.
type TruncatedError struct {
	// Whole is how many complete objects precede the damage.
	Whole int
	// Offset is the byte at which the incomplete value begins.
	Offset int64
}

func (e *TruncatedError) Error() string {
	return fmt.Sprintf("the result is cut off: the value that begins at byte %d has no end (%d whole before it)", e.Offset, e.Whole)
}

// DamagedError says that a value in the middle of a result file is no JSON. It was passed over,
// and reading went on at the next line that begins an object.
type DamagedError struct {
	// Offset is the byte at which the damaged value begins.
	Offset int64
	// Err says where the damage was noticed and what it is.
	Err error
}

func (e *DamagedError) Error() string {
	why := e.Err.Error()
	if errors.Is(e.Err, io.ErrUnexpectedEOF) {
		why = "it has no end"
	}
	return fmt.Sprintf("the value that begins at byte %d is damaged and was passed over: %s", e.Offset, why)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// maxDamages is how many damages of one file are told one by one.
const maxDamages = 10

// damages gathers what is wrong with one file.
type damages struct {
	all  []error
	more int
}

func (d *damages) add(err error) {
	if len(d.all) < maxDamages {
		d.all = append(d.all, err)
	} else {
		d.more++
	}
}

func (d *damages) err() error {
	switch {
	case d.more > 0:
		return errors.Join(append(d.all, fmt.Errorf("and %d more", d.more))...)
	case len(d.all) == 1:
		return d.all[0]
	}
	return errors.Join(d.all...)
}
