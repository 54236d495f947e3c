package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// workloads is a run of one axis whose values are each a concurrency and lengths of prompts.
func workloads(flags func(load, length int) []Flag) *Data {
	d := &Data{Metrics: []Metric{{Name: "output_throughput", Label: Text{"output tok/s", "输出 tok/s"}, Better: 1}}, Axes: []Axis{{Name: "load"}}}
	for _, load := range []int{4, 8} {
		for _, length := range []int{64, 2048} {
			id := fmt.Sprintf("c%d-%d", load, length)
			d.Axes[0].Values = append(d.Axes[0].Values, id)
			d.Cells = append(d.Cells, Cell{ID: id, Server: "s", Client: id, Values: []int{len(d.Cells)}, Status: "ok", Starts: 1, Blocks: 1,
				Numbers: []Estimate{{Mean: float64(100*load + length), Low: nan, High: nan, N: 1}}, Load: Load{float64(load), nan}, Flags: flags(load, length)})
		}
	}
	return d
}

func flagged(load, length int) []Flag {
	return []Flag{{"--backend", "sglang"}, {"--max-concurrency", fmt.Sprint(load)}, {"--num-prompts", fmt.Sprint(4 * load)}, {"--random-input-len", fmt.Sprint(length)}}
}

func drawnCurves(t *testing.T, d *Data) string {
	t.Helper()
	v, err := viewUntil(d, never)
	if err != nil {
		t.Fatal(err)
	}
	f := v.curves()
	if f == nil {
		t.Fatal("no curve is drawn")
	}
	said := string(f.Views[0].Charts[0].SVG)
	for _, n := range f.Views[0].Notes {
		said += string(n)
	}
	return said
}

// A line joins what differs in its load alone: two lengths of prompts are two lines.
func TestCurvesOfWorkloadsThatShareALoad(t *testing.T) {
	drawn := drawnCurves(t, workloads(flagged))
	for _, name := range []string{"s · --random-input-len 64<", "s · --random-input-len 2048<"} {
		if !strings.Contains(drawn, name) {
			t.Errorf("no line %s", name)
		}
	}
	if n := strings.Count(drawn, `<path class="line"`); n != 2 || strings.Contains(drawn, words["apart"].EN) {
		t.Errorf("%d lines, want 2 and no word of points apart", n)
	}
}

// What has not run is not forgotten: else the rest would look like a curve of its own.
func TestCurvesOfAPartOfTheWorkloads(t *testing.T) {
	d := workloads(flagged)
	for _, i := range []int{0, 3} {
		d.Cells[i].Status, d.Cells[i].Starts, d.Cells[i].Load, d.Cells[i].Numbers[0] = "failed", 0, Load{nan, nan}, Estimate{Mean: nan, Low: nan, High: nan}
	}
	if drawn := drawnCurves(t, d); strings.Count(drawn, "--random-input-len 64<") != 1 || strings.Count(drawn, "--random-input-len 2048<") != 1 {
		t.Error("64 and 2048 tokens are no lines of their own")
	}
}

// Where nobody knows what else differs, no line is drawn, and that is said.
func TestPointsThatNoLineJoins(t *testing.T) {
	for name, flags := range map[string]func(load, length int) []Flag{
		"no command": func(int, int) []Flag { return nil },
		"all differ": func(load, length int) []Flag {
			return []Flag{{"--output-file", fmt.Sprintf("%d-%d.json", load, length)}}
		},
	} {
		drawn := drawnCurves(t, workloads(flags))
		if strings.Contains(drawn, `class="line"`) || !strings.Contains(drawn, words["apart"].EN) {
			t.Errorf("%s: points of other workloads are joined, or it is not said", name)
		}
		if n := strings.Count(drawn, `data-cell="`); n != 4 {
			t.Errorf("%s: %d of 4 points are drawn", name, n)
		}
	}
}

// An axis whose values are loads gives way to the other axes, whatever the flags are.
func TestCurvesOfALoadAxis(t *testing.T) {
	d := workloads(func(int, int) []Flag { return nil })
	d.Axes = []Axis{{Name: "load", Values: []string{"c4", "c8"}}, {Name: "length", Values: []string{"short", "long"}}}
	for i := range d.Cells {
		d.Cells[i].Values = []int{i / 2, i % 2}
	}
	v, err := viewUntil(d, never)
	if err != nil {
		t.Fatal(err)
	}
	l := v.lines(Load.byConcurrency)
	if got := strings.Join(l.names, ", "); got != "s · short, s · long, s · short, s · long" || slices.Contains(slices.Collect(maps.Values(l.apart)), true) {
		t.Errorf("lines %s, apart %v", got, l.apart)
	}
}

func TestFlagsThatFollowTheLoad(t *testing.T) {
	for _, c := range []struct {
		values  string // at the loads 4, 4, 8, 16
		follows bool
	}{
		{"a a a a", true}, {"a a b c", true}, {"a a a b", false}, {"a b a b", false},
		{"64 64 64 128", true}, {"64 64 32 64", false}, {"4 5 8 16", false},
	} {
		d := &Data{}
		for _, value := range strings.Fields(c.values) {
			d.Cells = append(d.Cells, Cell{Flags: []Flag{{"--x", value}}})
		}
		if got := (&view{Data: d}).follows("--x", []float64{4, 4, 8, 16}); got != c.follows {
			t.Errorf("%s follows the load: %v", c.values, got)
		}
	}
}
