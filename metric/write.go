package metric

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// MarshalJSON writes an object with every base name of the contract in the contract's order,
// null where the value is absent or not finite, followed by further percentiles: by latency in
// the contract's order, then by number. Names unknown to the contract come last, sorted.
func (v Values) MarshalJSON() ([]byte, error) { return v.AppendJSON(make([]byte, 0, 2048)) }

// AppendJSON appends what MarshalJSON gives.
func (v *Values) AppendJSON(out []byte) ([]byte, error) {
	out = append(out, '{')
	for i, key := range keys {
		out = append(out, key...)
		if v.held&(1<<i) != 0 {
			out = append(AppendNumber(out, v.base[i]), ',')
		} else {
			out = append(out, "null,"...)
		}
	}
	for _, name := range v.further() {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("metric name %q: %w", name, err)
		}
		out = append(append(out, key...), ':')
		out = append(AppendNumber(out, v.more[name]), ',')
	}
	out[len(out)-1] = '}'
	return out, nil
}

// keys are the names as MarshalJSON writes them; those of the contract need no escapes.
var keys = func() (all []string) {
	for _, name := range names {
		all = append(all, `"`+name+`":`)
	}
	return all
}()

// AppendNumber appends a number as encoding/json writes it, null for one that is not finite.
func AppendNumber(out []byte, f float64) []byte {
	switch size := math.Abs(f); {
	case !finite(f):
		return append(out, "null"...)
	case size >= 1 && size < 1e15 && f == math.Trunc(f): // counts; a whole number is written sooner
		return strconv.AppendInt(out, int64(f), 10)
	case f == 0 || size >= 1e-6 && size < 1e21:
		return strconv.AppendFloat(out, f, 'f', -1, 64)
	}
	number, _ := json.Marshal(f) // with an exponent; a finite number is always written
	return append(out, number...)
}
