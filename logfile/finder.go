package logfile

import "bytes"

// A Finder finds many strings in one pass. It looks at pairs of bytes and skips
// as far as no string can begin (Wu and Manber, "A Fast Algorithm for
// Multi-Pattern Searching", 1994), so that gigabytes are searched about as fast
// for forty strings as for one.
type Finder struct {
	window int                   // length of the shortest string, at least 2
	skip   [1 << 16]uint8        // by pair: how far the window can move on
	ends   map[uint16][]numbered // by the pair at the window's end: the strings that have it there
}

type numbered struct {
	word []byte
	no   int // index in the list that was given
}

// NewFinder is nil when there are no strings, or when one is shorter than two
// bytes: too short to skip by.
func NewFinder(words [][]byte) *Finder {
	f := &Finder{window: 1 << 7, ends: map[uint16][]numbered{}}
	for _, w := range words {
		f.window = min(f.window, len(w))
	}
	if f.window < 2 || len(words) == 0 {
		return nil
	}
	for i := range f.skip {
		f.skip[i] = uint8(f.window - 1)
	}
	for no, w := range words {
		for i := 1; i < f.window; i++ {
			p := pair(w, i)
			f.skip[p] = min(f.skip[p], uint8(f.window-1-i))
		}
		p := pair(w, f.window-1)
		f.ends[p] = append(f.ends[p], numbered{w, no})
	}
	return f
}

func pair(b []byte, i int) uint16 { return uint16(b[i-1])<<8 | uint16(b[i]) }

// Each gives every place where one of the strings begins, in order, with the
// string's index, until found says false.
func (f *Finder) Each(b []byte, found func(at, no int) bool) {
	for i := f.window - 1; i < len(b); {
		p := pair(b, i)
		if n := f.skip[p]; n > 0 {
			i += int(n)
			continue
		}
		at := i - f.window + 1
		for _, w := range f.ends[p] {
			if bytes.HasPrefix(b[at:], w.word) && !found(at, w.no) {
				return
			}
		}
		i++
	}
}

// In says whether one of the strings is in b.
func (f *Finder) In(b []byte) (yes bool) {
	f.Each(b, func(int, int) bool {
		yes = true
		return false
	})
	return yes
}
