package tally

import (
	"time"

	"servematrix/bench/wire"
)

// bins divide a run into whole seconds from its beginning, as sglang.bench_serving does:
//
//	peak output throughput   the most tokens that arrived within one bin
//	peak concurrent requests the most requests of which any part lies in one bin, which with
//	                         short requests exceeds the concurrency at any moment
//
// An arrival counts as n_out over the arrivals of its request: events, or tokens where Define spread ITL.
type bins struct {
	tokens   []float64
	requests []int
}

func (b *bins) at(t time.Duration) int {
	bin := int(t / time.Second)
	for len(b.tokens) <= bin {
		b.tokens, b.requests = append(b.tokens, 0), append(b.requests, 0)
	}
	return bin
}

func (b *bins) add(r *wire.Record) {
	last := b.at(r.Start + r.E2E)
	for bin := b.at(r.Start); bin <= last; bin++ {
		b.requests[bin]++
	}
	share := float64(r.Output) / float64(len(r.Gaps)+1)
	t := r.Start + r.TTFT
	b.tokens[b.at(t)] += share
	for _, gap := range r.Gaps {
		t += gap
		b.tokens[b.at(t)] += share
	}
}

func (b *bins) mostTokens() float64 {
	most := 0.0
	for _, n := range b.tokens {
		most = max(most, n)
	}
	return most
}

func (b *bins) mostRequests() int {
	most := 0
	for _, n := range b.requests {
		most = max(most, n)
	}
	return most
}
