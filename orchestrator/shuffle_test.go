package orchestrator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"servematrix/matrix"
	"servematrix/stats"
)

// armsPlan is a plan of so many variants and workloads, with nothing but names.
func armsPlan(servers, clients int) *matrix.Plan {
	p := &matrix.Plan{}
	for i := range servers {
		p.Servers = append(p.Servers, &matrix.Server{Variant: matrix.Variant{ID: fmt.Sprintf("s-%x", i)}})
	}
	for i := range clients {
		p.Clients = append(p.Clients, &matrix.Client{Variant: matrix.Variant{ID: fmt.Sprintf("c-%x", i)}})
	}
	return p
}

func serverIDs(p *matrix.Plan, seed, block int) (ids []string) {
	servers, _ := BlockOrder(p, seed, block)
	for _, s := range servers {
		ids = append(ids, s.ID)
	}
	return ids
}

func TestBlocksAreBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := armsPlan(rapid.IntRange(2, 9).Draw(t, "variants"), rapid.IntRange(1, 5).Draw(t, "workloads"))
		seed, four := rapid.IntRange(1, 1<<40).Draw(t, "seed"), 4*rapid.IntRange(0, 20).Draw(t, "fours")
		places, before := map[string]int{}, map[[2]string]int{}
		for b := four + 1; b <= four+4; b++ {
			ids := serverIDs(p, seed, b)
			for i, id := range ids {
				places[id] += i
				for _, later := range ids[i+1:] {
					before[[2]string{id, later}]++
				}
			}
		}
		for _, s := range p.Servers {
			if want := 2 * (len(p.Servers) - 1); places[s.ID] != want {
				t.Errorf("the places of %s in four blocks sum up to %d, want %d", s.ID, places[s.ID], want)
			}
			for _, o := range p.Servers {
				if n := before[[2]string{s.ID, o.ID}]; s != o && n != 2 {
					t.Errorf("%s comes before %s in %d of four blocks", s.ID, o.ID, n)
				}
			}
		}
	})
}

func TestOtherVariantsMoveNoneAgainstEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := armsPlan(8, 8)
		part := &matrix.Plan{Clients: whole.Clients}
		for _, s := range whole.Servers {
			if rapid.Bool().Draw(t, s.ID) {
				part.Servers = append(part.Servers, s)
			}
		}
		seed, block := rapid.IntRange(1, 1000).Draw(t, "seed"), rapid.IntRange(1, 30).Draw(t, "block")
		left := serverIDs(part, seed, block)
		all := slices.DeleteFunc(serverIDs(whole, seed, block), func(id string) bool { return !slices.Contains(left, id) })
		if !slices.Equal(left, all) {
			t.Errorf("alone %v, among others %v", left, all)
		}
	})
}

// A seed that a journal names has to give the same order in every version: a run that
// is resumed after an update goes on in the order that it began with.
func TestOrderOfASeedIsForEver(t *testing.T) {
	p := armsPlan(3, 2)
	var got []string
	for b := 1; b <= 5; b++ {
		servers, clients := BlockOrder(p, 17, b)
		line := ""
		for _, s := range servers {
			line += s.ID + " "
		}
		for _, c := range clients {
			line += c.ID + " "
		}
		got = append(got, line)
	}
	want := []string{"s-2 s-1 s-0 c-1 c-0 ", "s-1 s-0 s-2 c-0 c-1 ", "s-0 s-1 s-2 c-0 c-1 ", "s-2 s-0 s-1 c-1 c-0 ", "s-1 s-2 s-0 c-0 c-1 "}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// drifts are what a host does beside the measuring, over n starts in a row, in
// units of the spread of a single start.
var drifts = map[string]func(r *rand.Rand, n int) []float64{
	"rises by 10": func(_ *rand.Rand, n int) []float64 {
		return each(n, func(i int) float64 { return 10 * float64(i) / float64(n) })
	},
	"warms up": func(_ *rand.Rand, n int) []float64 {
		return each(n, func(i int) float64 { return 5 * math.Exp(-float64(i)/4) })
	},
	"wanders, AR(1) 0.7": func(r *rand.Rand, n int) []float64 {
		x := 3 * r.NormFloat64()
		return each(n, func(int) float64 { x = 0.7*x + 3*math.Sqrt(1-0.7*0.7)*r.NormFloat64(); return x })
	},
}

func each(n int, f func(int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// Arms that are the same must not be told apart more often than in one of twenty
// comparisons, whatever drifts meanwhile: the figures of docs/adr/0011.
func TestDriftDoesNotLookLikeADifference(t *testing.T) {
	const arms, blocks, runs = 4, 5, 4000
	p := armsPlan(arms, 1)
	for name, drift := range drifts {
		r := rand.New(rand.NewPCG(1, 2))
		wrong, asked := 0, 0
		for seed := 1; seed <= runs; seed++ {
			host, at := drift(r, arms*blocks), 0
			values := map[string][]float64{}
			for b := 1; b <= blocks; b++ {
				for _, id := range serverIDs(p, seed, b) {
					values[id] = append(values[id], math.Exp((host[at]+r.NormFloat64())/100))
					at++
				}
			}
			for _, s := range p.Servers[1:] {
				ratio, err := stats.Paired(values[p.Servers[0].ID], values[s.ID], 0.95)
				if err != nil {
					t.Fatal(err)
				}
				if asked++; ratio.Low > 1 || ratio.High < 1 {
					wrong++
				}
			}
		}
		rate := float64(wrong) / float64(asked)
		t.Logf("%s: %.1f %% of %d comparisons of the same find a difference", name, 100*rate, asked)
		if rate > 0.058 {
			t.Errorf("%s: %.1f %% of the comparisons find a difference that is none", name, 100*rate)
		}
	}
}
