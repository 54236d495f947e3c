package metric

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// Values holds the metrics of one measurement by contract name. A name that is absent is
// unknown. A value may be NaN or infinite: whoever judges the measurement wants to name it.
// The zero Values are empty and ready for use; nil ones can be read, and are empty.
type Values struct {
	held uint64             // bit i: the contract's i-th name is held
	base [baseNames]float64 // by the place of its name in the table
	more map[string]float64 // further percentiles, and names unknown to the contract
}

// Of gives the values that a map lists.
func Of(listed map[string]float64) *Values {
	v := &Values{}
	for name, f := range listed {
		v.Set(name, f)
	}
	return v
}

// Set makes a metric known.
func (v *Values) Set(name string, f float64) {
	if i, ok := place(name); ok {
		v.held |= 1 << i
		v.base[i] = f
		return
	}
	if v.more == nil {
		v.more = map[string]float64{}
	}
	v.more[name] = f
}

// Known gives a metric's value, NaN and infinity too, and whether it is known.
func (v *Values) Known(name string) (f float64, ok bool) {
	if v == nil {
		return 0, false
	}
	if i, ok := place(name); ok {
		return v.base[i], v.held&(1<<i) != 0
	}
	f, ok = v.more[name]
	return f, ok
}

// Get gives a metric's value, and whether it is known and finite.
func (v *Values) Get(name string) (float64, bool) {
	f, ok := v.Known(name)
	return f, ok && finite(f)
}

// Value gives a metric's value, NaN and infinity too, and 0 where it is unknown.
func (v *Values) Value(name string) float64 {
	f, _ := v.Known(name)
	return f
}

// Delete makes a metric unknown.
func (v *Values) Delete(name string) {
	if i, ok := place(name); ok {
		v.held &^= 1 << i
		v.base[i] = 0
		return
	}
	delete(v.more, name)
}

// Len is how many metrics are known.
func (v *Values) Len() int {
	if v == nil {
		return 0
	}
	return bits.OnesCount64(v.held) + len(v.more)
}

// All gives the names that are known with their values, in the order in which MarshalJSON writes them.
func (v *Values) All() iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		if v == nil {
			return
		}
		for held := v.held; held != 0; held &= held - 1 {
			i := bits.TrailingZeros64(held)
			if !yield(names[i], v.base[i]) {
				return
			}
		}
		for _, name := range v.further() {
			if !yield(name, v.more[name]) {
				return
			}
		}
	}
}

// Names gives the names that are known, in the order in which MarshalJSON writes them.
func (v *Values) Names() []string {
	known := make([]string, 0, v.Len())
	for name := range v.All() {
		known = append(known, name)
	}
	return known
}

// Equal tells whether the same metrics are known with the same values; NaN is the same as NaN.
func (v *Values) Equal(other *Values) bool {
	if (v == nil) != (other == nil) || v.Len() != other.Len() {
		return false
	}
	for name, f := range v.All() {
		if g, ok := other.Known(name); !ok || f != g && !(math.IsNaN(f) && math.IsNaN(g)) {
			return false
		}
	}
	return true
}

// further gives the names beyond the contract's base names: percentiles, then those that are told
// sometimes, then unknown names.
func (v *Values) further() []string {
	if len(v.more) == 0 {
		return nil
	}
	return slices.SortedFunc(maps.Keys(v.more), func(a, b string) int {
		an, al, aok := splitPercentile(a)
		bn, bl, bok := splitPercentile(b)
		if aok && bok {
			af, _ := strconv.ParseFloat(an, 64)
			bf, _ := strconv.ParseFloat(bn, 64)
			return cmp.Or(cmp.Compare(al, bl), cmp.Compare(af, bf))
		}
		return cmp.Or(cmp.Compare(kind(a, aok), kind(b, bok)), cmp.Compare(a, b))
	})
}

// kind orders further names: percentiles, those told sometimes in the table's order, others.
func kind(name string, percentile bool) int {
	at := seldom(name)
	switch {
	case percentile && at < 0:
		return -1
	case at < 0:
		return len(sometimes)
	}
	return at
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
