package dataset

import "math/bits"

// twister draws what Python's random module and NumPy's RandomState draw of the same seed, so that
// the rows that a Python client chooses from a file can be chosen too. It is the generator MT19937.
// Source: Matsumoto, Nishimura, Mersenne Twister (1998), with the initialization of 2002.
type twister struct {
	state [624]uint32
	next  int
}

// seeded is RandomState(seed).
func seeded(seed uint32) *twister {
	t := &twister{next: len(twister{}.state)}
	t.state[0] = seed
	for i := uint32(1); int(i) < len(t.state); i++ {
		before := t.state[i-1]
		t.state[i] = 1812433253*(before^before>>30) + i
	}
	return t
}

// pythonSeeded is random.seed(seed) of Python 3.
func pythonSeeded(seed uint64) *twister {
	key := []uint32{uint32(seed), uint32(seed >> 32)}
	if key[1] == 0 {
		key = key[:1]
	}
	t := seeded(19650218)
	n, i, k := len(t.state), 1, 0
	step := func(factor, add uint32) {
		before := t.state[i-1]
		t.state[i] = (t.state[i] ^ (before^before>>30)*factor) + add
		if i++; i == n {
			t.state[0], i = t.state[n-1], 1
		}
	}
	for range n {
		step(1664525, key[k]+uint32(k))
		k = (k + 1) % len(key)
	}
	for range n - 1 {
		step(1566083941, -uint32(i))
	}
	t.state[0] = 1 << 31
	return t
}

// Uint32 is the generator's next number.
func (t *twister) Uint32() uint32 {
	if t.next == len(t.state) {
		t.twist()
	}
	y := t.state[t.next]
	t.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (t *twister) twist() {
	n := len(t.state)
	for i := range t.state {
		y := t.state[i]&(1<<31) | t.state[(i+1)%n]&(1<<31-1)
		t.state[i] = t.state[(i+397)%n] ^ y>>1 ^ y&1*0x9908b0df
	}
	t.next = 0
}

// below is random.randrange(n): as many bits as n has, until they are less.
func (t *twister) below(n int) int {
	for {
		if r := int(t.Uint32() >> (32 - bits.Len32(uint32(n)))); r < n {
			return r
		}
	}
}

// upTo is a number from 0 to most as RandomState draws it: as many bits as most has, the lowest.
func (t *twister) upTo(most int) int {
	mask := uint32(1)<<bits.Len32(uint32(most)) - 1
	for {
		if r := int(t.Uint32() & mask); r <= most {
			return r
		}
	}
}

// shuffle puts a list in random order, as random.shuffle does with below and RandomState.shuffle
// with upTo.
func shuffle[T any](list []T, upTo func(most int) int) {
	for i := len(list) - 1; i > 0; i-- {
		j := upTo(i)
		list[i], list[j] = list[j], list[i]
	}
}
