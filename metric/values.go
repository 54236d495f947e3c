package metric

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Values holds the metrics of one measurement by contract name. A name that is absent is
// unknown. A value may be NaN or infinite: whoever judges the measurement wants to name it.
type Values map[string]float64

// Get gives a metric's value, and whether it is known and finite.
func (v Values) Get(name string) (float64, bool) {
	f, ok := v[name]
	return f, ok && finite(f)
}

// Names gives the names v holds, in the order in which MarshalJSON writes them.
func (v Values) Names() []string {
	held := make([]string, 0, len(v))
	for _, name := range names {
		if _, ok := v[name]; ok {
			held = append(held, name)
		}
	}
	return append(held, v.further(len(held))...)
}

// MarshalJSON writes an object with every base name of the contract in the contract's order,
// null where the value is absent or not finite, followed by further percentiles: by latency in
// the contract's order, then by number. Names unknown to the contract come last, sorted.
func (v Values) MarshalJSON() ([]byte, error) { return v.AppendJSON(make([]byte, 0, 2048)) }

// AppendJSON appends what MarshalJSON gives.
func (v Values) AppendJSON(out []byte) ([]byte, error) {
	out = append(out, '{')
	base := 0
	for i, name := range names {
		out = append(out, keys[i]...)
		if f, ok := v[name]; ok {
			base++
			out = append(AppendNumber(out, f), ',')
		} else {
			out = append(out, "null,"...)
		}
	}
	for _, name := range v.further(base) {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("metric name %q: %w", name, err)
		}
		out = append(append(out, key...), ':')
		out = append(AppendNumber(out, v[name]), ',')
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
	case f == 0 || size >= 1e-6 && size < 1e21:
		return strconv.AppendFloat(out, f, 'f', -1, 64)
	}
	number, _ := json.Marshal(f) // with an exponent; a finite number is always written
	return append(out, number...)
}

// UnmarshalJSON reads an object of numbers and nulls; null means absent. Names that the
// contract does not know are kept, so that a file of a later version loses nothing.
func (v *Values) UnmarshalJSON(data []byte) error {
	if plain, ok := plainObject(data); ok {
		*v = plain
		return nil
	}
	var raw map[string]*float64
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("metrics must be an object of numbers and nulls: %w", err)
	}
	if raw == nil {
		*v = nil
		return nil
	}
	*v = make(Values, len(raw))
	for name, f := range raw {
		if f != nil {
			(*v)[name] = *f
		}
	}
	return nil
}

// further gives the names in v beyond so many base names: percentiles, then unknown names.
func (v Values) further(base int) []string {
	if len(v) == base {
		return nil
	}
	var more []string
	for name := range v {
		if _, base := byName[name]; !base {
			more = append(more, name)
		}
	}
	slices.SortFunc(more, func(a, b string) int {
		an, al, aok := splitPercentile(a)
		bn, bl, bok := splitPercentile(b)
		switch {
		case aok && bok:
			af, _ := strconv.ParseFloat(an, 64)
			bf, _ := strconv.ParseFloat(bn, 64)
			return cmp.Or(cmp.Compare(al, bl), cmp.Compare(af, bf))
		case aok != bok:
			if aok {
				return -1
			}
			return 1
		}
		return cmp.Compare(a, b)
	})
	return more
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
