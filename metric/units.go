package metric

import (
	"maps"
	"slices"
)

// units gives each spelling that clients use the unit of the table.
var units = map[string]string{
	"s": "s", "sec": "s", "seconds": "s", "ms": "ms", "milliseconds": "ms", "us": "us", "ns": "ns",
	"req/s": "req/s", "requests/s": "req/s", "requests/sec": "req/s", "rps": "req/s",
	"tok/s": "tok/s", "token/s": "tok/s", "tokens/s": "tok/s", "tokens/sec": "tok/s",
	"requests": "requests", "tokens": "tokens",
}

// Unit gives the unit that a client's spelling of it means, as in the table: "sec" is "s".
func Unit(spelling string) (unit string, ok bool) {
	unit, ok = units[spelling]
	return unit, ok
}

// UnitSpellings lists all that Unit knows, sorted.
func UnitSpellings() []string { return slices.Sorted(maps.Keys(units)) }
