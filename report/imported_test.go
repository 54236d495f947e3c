package report

import (
	"math"
	"testing"

	"servematrix/page"
)

// A curve joins the loads of one server; results that other workloads gave it, or a server that
// nobody names, are no points of one.
func TestLoadsThatMakeNoCurve(t *testing.T) {
	load := func(concurrency float64) page.Load { return page.Load{Concurrency: concurrency, Rate: math.NaN()} }
	cells := []page.Cell{
		{Server: "one", Load: load(8)}, {Server: "one", Load: load(16)},
		{Server: "mixed", Load: load(8)}, {Server: "mixed", Load: load(8)}, {Server: "mixed", Load: load(16)},
		{Server: "unknown", Load: load(8)}, {Server: "unknown", Load: load(16)},
	}
	unloaded(cells)
	for i, c := range cells {
		if known := !math.IsNaN(c.Load.Concurrency); known != (i < 2) {
			t.Errorf("%d %s: %v", i, c.Server, c.Load)
		}
	}
}

// A path in a note is cut at its folders, and a name stays whole.
func TestEndingOfAPath(t *testing.T) {
	long := "a-name-that-is-longer-than-the-forty-characters-of-a-note.json:12"
	for path, want := range map[string]string{
		"night/c8/bench.jsonl:3":                                 "night/c8/bench.jsonl:3",
		"/data/of/night/" + long:                                 "…/" + long,
		"/a/very/long/way/to/the/results/night/c8/bench.jsonl:3": "…/to/the/results/night/c8/bench.jsonl:3",
	} {
		if got := ending(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
