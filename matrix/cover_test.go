package matrix

import (
	"fmt"
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// The chosen cells hold every server and client, and of all choices that do, by
// trying each, none takes fewer starts.
func TestCoverIsSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Plan{}
		for i := range rapid.IntRange(1, 4).Draw(t, "servers") {
			isolation := rapid.SampledFrom([]string{"cell", "launch"}).Draw(t, "isolation")
			p.Servers = append(p.Servers, &Server{Variant: Variant{ID: fmt.Sprint("s", i)}, Isolation: isolation})
		}
		clients := rapid.IntRange(1, 4).Draw(t, "clients")
		var cells []Cell
		for _, s := range p.Servers {
			for c := range clients {
				if len(cells) < 11 && rapid.Bool().Draw(t, "meet") {
					cells = append(cells, Cell{ID: fmt.Sprint(s.ID, "c", c), Server: s.ID, Client: fmt.Sprint("c", c)})
				}
			}
		}
		got := p.cover(cells)
		want := whole(cells)
		if whole(got) != want {
			t.Fatalf("%v is not covered by %v", cells, got)
		}
		least := len(cells)
		for mask := range 1 << len(cells) {
			if n := bits.OnesCount(uint(mask)); n < want/100 && n < want%100 {
				continue
			}
			var some []Cell
			for i, c := range cells {
				if mask&(1<<i) != 0 {
					some = append(some, c)
				}
			}
			if whole(some) == want {
				least = min(least, p.starts(some))
			}
		}
		if n := p.starts(got); n != least {
			t.Fatalf("%v takes %d starts, %d would do; cells %v", got, n, least, cells)
		}
	})
}

// whole counts the servers, in hundreds, and the clients of some cells.
func whole(cells []Cell) int {
	seen := map[string]bool{}
	n := 0
	for _, c := range cells {
		if !seen[c.Server] {
			n += 100
		}
		if !seen[c.Client] {
			n++
		}
		seen[c.Server], seen[c.Client] = true, true
	}
	return n
}
