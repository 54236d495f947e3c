package secret

import (
	"cmp"
	"slices"
)

// span is a part of a text, from its first byte to the one after its last.
type span struct{ from, to int }

// merged puts spans in order and makes one of those that overlap or touch.
func merged(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	out := spans[:0]
	for _, x := range spans {
		if n := len(out); n > 0 && x.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, x.to)
			continue
		}
		out = append(out, x)
	}
	return out
}
