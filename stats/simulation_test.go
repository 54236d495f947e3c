package stats

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	moremath "github.com/aclements/go-moremath/stats"
)

// What is simulated: server starts whose log values scatter by startSD, runs on a start that
// scatter by runSD around it, and a host that drifts. docs/statistics.md shows the tables:
//
//	go test ./stats -run Simulation -sims 10000 -v
var sims = flag.Int("sims", 400, "sweeps simulated for each figure; docs/statistics.md has those of 10000")

const (
	startSD = 0.01
	runSD   = 0.005
	// drift is what the last start of a session has over the first, where the host drifts.
	drift = 0.02
	// persistence is the AR(1) coefficient from one start to the next.
	persistence = 0.7
)

// order gives the arm (0 or 1) of each start of a session of n starts per arm, in time.
type order struct {
	name string
	deal func(rng *rand.Rand, n int) []int
}

var (
	oneThenOther = order{"AAAAABBBBB", func(_ *rand.Rand, n int) []int {
		return append(make([]int, n), slices.Repeat([]int{1}, n)...)
	}}
	alternating = order{"ABAB…", func(_ *rand.Rand, n int) []int { return slices.Repeat([]int{0, 1}, n) }}
	abba        = order{"ABBA…", func(_ *rand.Rand, n int) []int {
		return slices.Repeat([]int{0, 1, 1, 0}, (n+1)/2)[:2*n]
	}}
	random = order{"random within blocks", func(rng *rand.Rand, n int) []int {
		var out []int
		for range n {
			out = append(out, toss(rng)...)
		}
		return out
	}}
	// mirrored is what a run with blocks does: two blocks at random, then both reversed.
	mirrored = order{"random, mirrored two blocks on", func(rng *rand.Rand, n int) []int {
		var out []int
		for len(out) < 2*n {
			one, two := toss(rng), toss(rng)
			out = append(out, one[0], one[1], two[0], two[1], one[1], one[0], two[1], two[0])
		}
		return out[:2*n]
	}}
)

func toss(rng *rand.Rand) []int {
	first := rng.IntN(2)
	return []int{first, 1 - first}
}

// host gives what each of k starts in a row deviates by, in logs, besides its runs.
type host struct {
	name    string
	deviate func(rng *rand.Rand, k int) []float64
}

var (
	steady   = host{"no drift", func(rng *rand.Rand, k int) []float64 { return startNoise(rng, k, 0) }}
	drifting = host{"+2 % drift", func(rng *rand.Rand, k int) []float64 {
		out := startNoise(rng, k, 0)
		for i := range out {
			out[i] += drift * float64(i) / float64(k-1)
		}
		return out
	}}
	persistent = host{"AR(1) 0.7", func(rng *rand.Rand, k int) []float64 { return startNoise(rng, k, persistence) }}
	hosts      = []host{steady, drifting, persistent}
)

// startNoise is a stationary AR(1) series with the standard deviation startSD.
func startNoise(rng *rand.Rand, k int, coefficient float64) []float64 {
	out := make([]float64, k)
	fresh := startSD * math.Sqrt(1-coefficient*coefficient)
	for i := range out {
		if i == 0 {
			out[i] = startSD * rng.NormFloat64()
		} else {
			out[i] = coefficient*out[i-1] + fresh*rng.NormFloat64()
		}
	}
	return out
}

// session measures both arms n times on a host, with some runs a start, and gives the values
// of each arm's runs, start by start; the second arm is better by the log ratio effect.
func session(rng *rand.Rand, o order, h host, n, runs int, effect float64) (arms [2][][]float64) {
	deviations := h.deviate(rng, 2*n)
	for i, arm := range o.deal(rng, n) {
		start := make([]float64, runs)
		for j := range start {
			start[j] = 1000 * math.Exp(effect*float64(arm)+deviations[i]+runSD*rng.NormFloat64())
		}
		arms[arm] = append(arms[arm], start)
	}
	return arms
}

// startMeans gives one value per start: what enters a comparison.
func startMeans(starts [][]float64) []float64 {
	out := make([]float64, len(starts))
	for i, runs := range starts {
		out[i] = moremath.Mean(runs)
	}
	return out
}

// share simulates *sims times and gives the percentage of hits. Each table cell has its own
// generator, seeded by its name, so that adding one changes no other.
func share(name string, hit func(rng *rand.Rand) bool) float64 {
	seed := uint64(14695981039346656037) // FNV-1a
	for _, b := range []byte(name) {
		seed = (seed ^ uint64(b)) * 1099511628211
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	hits := 0
	for range *sims {
		if hit(rng) {
			hits++
		}
	}
	return 100 * float64(hits) / float64(*sims)
}

// atMost fails where a percentage is over its limit. With fewer simulations than the documented
// tables have, chance is granted three standard errors more.
func atMost(t *testing.T, what string, percent, limit float64) {
	t.Helper()
	if percent > limit+slack(limit) {
		t.Errorf("%s: %.2f %%, more than %.2f %%", what, percent, limit)
	}
}

func atLeast(t *testing.T, what string, percent, limit float64) {
	t.Helper()
	if percent < limit-slack(limit) {
		t.Errorf("%s: %.2f %%, less than %.2f %%", what, percent, limit)
	}
}

func slack(limit float64) float64 {
	if *sims >= 10000 {
		return 0
	}
	return 3 * math.Sqrt(limit*(100-limit)/float64(*sims))
}

// table is a Markdown table, one row after the other.
type table struct{ lines []string }

func newTable(head ...string) *table {
	t := &table{}
	t.row(head...)
	t.lines = append(t.lines, "|"+strings.Repeat("---|", len(head)))
	return t
}

func (t *table) row(cells ...string) { t.lines = append(t.lines, "| "+strings.Join(cells, " | ")+" |") }

// show logs the table; with 10000 simulations the documentation must have it word for word.
func (t *table) show(test *testing.T) {
	test.Helper()
	text := strings.Join(t.lines, "\n")
	test.Logf("%d simulations\n%s", *sims, text)
	if *sims != 10000 {
		return
	}
	page, err := os.ReadFile("../docs/statistics.md")
	if err != nil {
		test.Fatal(err)
	}
	if !strings.Contains(string(page), text) {
		test.Errorf("docs/statistics.md does not show this table:\n%s", text)
	}
}

func percent(v float64) string { return fmt.Sprintf("%.1f", v) }
