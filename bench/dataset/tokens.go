package dataset

import (
	"math/rand/v2"
	"strings"
)

// Each use of randomness has a stream of its own, so that one option does not change what another
// one draws.
const (
	streamLengths = iota + 1
	streamTokens
	streamOrder
	_ // arrivals, of package load
	streamWarmup
	streamSystem
	streamBlock
)

// rng is the randomness of one use, and there of one place: a group, a prompt in it, a block.
// Each place can be drawn anew without those before it.
func (o Options) rng(stream uint64, place ...uint64) *rand.Rand {
	for _, p := range place {
		stream = mix(stream ^ mix(p+1))
	}
	return rand.New(rand.NewPCG(o.Seed, stream))
}

// mix is the finalizer of SplitMix64: neighbours become strangers. Source: Steele, Lea, Flood,
// Fast Splittable Pseudorandom Number Generators (2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Words is token ids as text, for an endpoint that takes no ids: a short word for each. How many
// tokens that is only the server's tokenizer knows; equal ids are equal words.
func Words(ids []int32) string {
	var b strings.Builder
	b.Grow(5 * len(ids))
	for _, id := range ids {
		b.WriteByte(' ')
		for n, i := int(id), 0; i < 4; i++ {
			b.WriteByte(byte('a' + n%26))
			n /= 26
		}
	}
	return b.String()
}
