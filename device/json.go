package device

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// jsonIn gives the JSON document in a tool's output: warnings can stand before and
// behind it.
func jsonIn(text string, v any) bool {
	for from := 0; from < len(text); {
		at := strings.IndexAny(text[from:], "{[")
		if at < 0 {
			return false
		}
		from += at
		if json.NewDecoder(strings.NewReader(text[from:])).Decode(v) == nil {
			return true
		}
		end := strings.IndexByte(text[from:], '\n')
		if end < 0 {
			return false
		}
		from += end + 1 // a warning such as "[WARN] …": the document begins on another line
	}
	return false
}

// object is a JSON object whose layout changed from version to version.
type object map[string]any

// at gives the object under the first of the keys that has one.
func (o object) at(keys ...string) object {
	for _, k := range keys {
		if inner, ok := o[k].(map[string]any); ok {
			return inner
		}
	}
	return nil
}

// text gives the first of the keys that has a value, as text; "" for N/A.
func (o object) text(keys ...string) string {
	for _, k := range keys {
		switch v := o[k].(type) {
		case string:
			if s := told(v); s != "" {
				return s
			}
		case float64:
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return ""
}

// units are what a quantity can be given in. MB and GB are powers of two in all of these tools.
var units = map[string]float64{
	"B": 1, "KB": 1 << 10, "KIB": 1 << 10, "MB": 1 << 20, "MIB": 1 << 20, "GB": 1 << 30, "GIB": 1 << 30,
}

// bytes reads a quantity of memory: a bare number in the given unit, "16368 MB", or
// {"value": 16368, "unit": "MB"}; nil where there is none.
func (o object) bytes(key, unit string) *uint64 {
	value, ok := o[key]
	if inner, nested := value.(map[string]any); nested {
		if u, named := inner["unit"].(string); named && u != "" {
			unit = u
		}
		value, ok = inner["value"]
	}
	if !ok {
		return nil
	}
	var n float64
	switch v := value.(type) {
	case float64:
		n = v
	case string:
		words := strings.Fields(v)
		if len(words) == 0 || len(words) > 2 {
			return nil
		}
		if len(words) == 2 {
			unit = words[1]
		}
		var err error
		if n, err = strconv.ParseFloat(words[0], 64); err != nil {
			return nil
		}
	default:
		return nil
	}
	factor, known := units[strings.ToUpper(unit)]
	if n *= factor; !known || math.IsNaN(n) || n < 0 || n >= 1<<60 {
		return nil
	}
	return new(uint64(n))
}

// percent reads a share: 12, "12", "12 %" or {"value": 12, "unit": "%"}; nil where there is none.
func (o object) percent(key string) *int {
	if inner := o.at(key); inner != nil {
		return inner.percent("value")
	}
	first, _, _ := strings.Cut(o.text(key), " ")
	return percent(first)
}

// index reads a number that counts devices or processes.
func (o object) index(key string) (int, bool) {
	n, err := strconv.Atoi(o.text(key))
	return n, err == nil && n >= 0
}
