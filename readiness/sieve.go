package readiness

import "bytes"

// A sieve tells in one pass whether a line holds any of many strings. It looks
// at pairs of bytes and skips as far as no string can begin (Wu and Manber, "A
// Fast Algorithm for Multi-Pattern Searching", 1994), so that a log of
// gigabytes is read about as fast with forty patterns as with one.
type sieve struct {
	window int                 // length of the shortest string, at least 2
	skip   [1 << 16]uint8      // by pair: how far the window can move on
	ends   map[uint16][][]byte // by the pair at the window's end: the strings that have it there
}

// newSieve is nil when some string is too short to skip by.
func newSieve(words [][]byte) *sieve {
	s := &sieve{window: 1 << 7, ends: map[uint16][][]byte{}}
	for _, w := range words {
		s.window = min(s.window, len(w))
	}
	if s.window < 2 || len(words) == 0 {
		return nil
	}
	for i := range s.skip {
		s.skip[i] = uint8(s.window - 1)
	}
	for _, w := range words {
		for i := 1; i < s.window; i++ {
			p := pair(w, i)
			s.skip[p] = min(s.skip[p], uint8(s.window-1-i))
		}
		p := pair(w, s.window-1)
		s.ends[p] = append(s.ends[p], w)
	}
	return s
}

func pair(b []byte, i int) uint16 { return uint16(b[i-1])<<8 | uint16(b[i]) }

// holds says whether line holds one of the strings.
func (s *sieve) holds(line []byte) bool {
	for i := s.window - 1; i < len(line); {
		p := pair(line, i)
		if n := s.skip[p]; n > 0 {
			i += int(n)
			continue
		}
		for _, w := range s.ends[p] {
			if bytes.HasPrefix(line[i-s.window+1:], w) {
				return true
			}
		}
		i++
	}
	return false
}
