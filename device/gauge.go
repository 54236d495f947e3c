package device

import (
	"strconv"
	"strings"
)

// Bounds of what can be a reading of a device. What lies beyond is a marker for "not
// known" that a driver prints as a number, such as 65535 or 2^32-1.
const (
	mostWatts     = 10_000
	mostCelsius   = 250
	mostMegahertz = 20_000
)

func watts(value string) *float64     { return gauge(value, mostWatts) }
func celsius(value string) *float64   { return gauge(value, mostCelsius) }
func megahertz(value string) *float64 { return gauge(value, mostMegahertz) }

// gauge reads a number from 0 to below most, of which a unit may stand behind, as in
// "20 W" or "(800Mhz)"; nil where there is none.
func gauge(value string, most float64) *float64 {
	value = strings.Trim(strings.TrimSpace(value), "()")
	end := strings.IndexFunc(value, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end >= 0 {
		if unit := strings.ToUpper(strings.TrimSpace(value[end:])); unit != "W" && unit != "C" && unit != "MHZ" {
			return nil // a remark
		}
		value = value[:end]
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || n >= most {
		return nil
	}
	return &n
}

// gauge reads what stands under the first of the keys that has a number: 12, "12",
// "12 W" or {"value": 12, "unit": "W"}.
func (o object) gauge(read func(string) *float64, keys ...string) *float64 {
	for _, k := range keys {
		if inner := o.at(k); inner != nil {
			if n := read(inner.text("value")); n != nil {
				return n
			}
			continue
		}
		if n := read(o.text(k)); n != nil {
			return n
		}
	}
	return nil
}
