package tally

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"servematrix/bench/wire"
)

// Goodput are objectives of a request in milliseconds; 0 is none. It is the value of a flag that
// reads them as `vllm bench serve` does, "ttft:500 tpot:50 e2el:1000", in one word or in several,
// with blanks or commas between them.
type Goodput struct{ TTFT, TPOT, E2EL float64 }

func (g *Goodput) parts() map[string]*float64 {
	return map[string]*float64{"ttft": &g.TTFT, "tpot": &g.TPOT, "e2el": &g.E2EL}
}

// Asked tells whether there are objectives.
func (g Goodput) Asked() bool { return g != Goodput{} }

// Type names the kind of value, for help.
func (g *Goodput) Type() string { return "objectives" }

// Set adds the objectives of a text.
func (g *Goodput) Set(text string) error {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
	if len(words) == 0 {
		return fmt.Errorf("want objectives such as ttft:500 tpot:50 e2el:1000, in milliseconds")
	}
	for _, word := range words {
		name, number, _ := strings.Cut(word, ":")
		limit, err := strconv.ParseFloat(number, 64)
		part := g.parts()[name]
		if part == nil || err != nil || !(limit > 0) || math.IsInf(limit, 1) {
			return fmt.Errorf("%q: want ttft:MS, tpot:MS or e2el:MS with milliseconds of more than 0", word)
		}
		*part = limit
	}
	return nil
}

// String gives the text that Set reads.
func (g *Goodput) String() string {
	var words []string
	for _, name := range []string{"ttft", "tpot", "e2el"} {
		if limit := *g.parts()[name]; limit > 0 {
			words = append(words, name+":"+strconv.FormatFloat(limit, 'f', -1, 64))
		}
	}
	return strings.Join(words, " ")
}

// met tells whether a request that was served keeps all objectives: each latency is at most its
// limit, and a TPOT that an answer of one token does not have is 0, as in vLLM's client.
func (g Goodput) met(r *wire.Record) bool {
	within := func(d time.Duration, limit float64) bool { return limit == 0 || Millis(d) <= limit }
	tpot, _ := TPOT(r)
	return within(r.TTFT, g.TTFT) && within(tpot, g.TPOT) && within(r.E2E, g.E2EL)
}
