package result

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"servematrix/metric"
)

// encoder appends JSON with the bytes that encoding/json gives without its escapes for HTML:
// commands hold < and &, and a result file is read by people too. What is rare is left to it.
type encoder struct {
	out []byte
	err error
}

// take goes on with what an appending function gives.
func (e *encoder) take(out []byte, err error) {
	switch {
	case err == nil:
		e.out = out
	case e.err == nil:
		e.err = err
	}
}

func (e *encoder) raw(text string) { e.out = append(e.out, text...) }

// plainByte is set for the bytes of a string that stand in JSON as they are.
var plainByte = func() (set [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		set[c] = c != '"' && c != '\\'
	}
	return set
}()

func (e *encoder) text(s string) {
	for i := range len(s) {
		if !plainByte[s[i]] {
			e.any(s)
			return
		}
	}
	e.out = append(append(append(e.out, '"'), s...), '"')
}

// known writes null for what is empty.
func (e *encoder) known(s string) {
	if s == "" {
		e.raw("null")
		return
	}
	e.text(s)
}

// count writes null for 0.
func (e *encoder) count(n int) {
	if n == 0 {
		e.raw("null")
		return
	}
	e.out = strconv.AppendInt(e.out, int64(n), 10)
}

func (e *encoder) list(n int, each func(i int)) {
	e.raw("[")
	for i := range n {
		if i > 0 {
			e.raw(",")
		}
		each(i)
	}
	e.raw("]")
}

func (e *encoder) texts(list []string) {
	if list == nil {
		e.raw("null")
		return
	}
	e.list(len(list), func(i int) { e.text(list[i]) })
}

// mapOf writes a map with its keys sorted.
func mapOf[V any](e *encoder, m map[string]V, each func(V)) {
	if m == nil {
		e.raw("null")
		return
	}
	type entry struct {
		key   string
		value V
	}
	var room [24]entry
	entries := room[:0]
	for key, value := range m {
		entries = append(entries, entry{key, value})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	e.raw("{")
	for i, one := range entries {
		if i > 0 {
			e.raw(",")
		}
		e.text(one.key)
		e.raw(":")
		each(one.value)
	}
	e.raw("}")
}

// value writes a value of Extra or Config, null for a number that JSON cannot hold.
func (e *encoder) value(v any) {
	switch v := v.(type) {
	case nil:
		e.raw("null")
	case string:
		e.text(v)
	case bool:
		e.out = strconv.AppendBool(e.out, v)
	case int64:
		e.out = strconv.AppendInt(e.out, v, 10)
	case float64:
		e.out = metric.AppendNumber(e.out, v)
	case []any:
		e.list(len(v), func(i int) { e.value(v[i]) })
	case map[string]any:
		if v == nil {
			v = map[string]any{}
		}
		mapOf(e, v, e.value)
	default:
		e.any(v)
	}
}

// any writes what encoding/json has to see.
func (e *encoder) any(v any) {
	var out bytes.Buffer
	j := json.NewEncoder(&out)
	j.SetEscapeHTML(false)
	if err := j.Encode(v); err != nil {
		e.take(nil, err)
		return
	}
	e.out = append(e.out, bytes.TrimRight(out.Bytes(), "\n")...)
}
