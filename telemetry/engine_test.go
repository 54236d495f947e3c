package telemetry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/engine"
)

var gauges = engine.Gauges{Running: []string{"e:running"}, Waiting: []string{"e:queue"}, KVCache: []string{"e:usage", "e:old_usage"}}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		name, page string
		want       Engine
	}{
		{"one engine", "# TYPE e:running gauge\ne:running{model_name=\"a b}\"} 3.0\ne:queue 7 1732232232000\ne:usage{} 0.12345\n", Engine{new(3.0), new(7.0), new(0.123)}},
		{"two engines", "e:running{engine=\"0\"} 3\ne:running{engine=\"1\"} 4\ne:usage{engine=\"0\"} 0.25\ne:usage{engine=\"1\"} 0.5\n", Engine{Running: new(7.0), KVCache: new(0.5)}},
		{"ranks that say the same", "e:running{tp_rank=\"0\",pp_rank=\"0\"} 3\ne:running{tp_rank=\"1\",pp_rank=\"0\"} 3\n", Engine{Running: new(3.0)}},
		{"an older name", "e:old_usage 0.5\n", Engine{KVCache: new(0.5)}},
		{"names that only begin so", "e:running_total 9\ne:runnin 8\n", Engine{}},
		{"no values", "e:running NaN\ne:queue\ne:usage{ 1\ne:usage -1\ne:usage +Inf\n", Engine{}},
		{"no end of line", "e:queue 2", Engine{Waiting: new(2.0)}},
		{"nothing", "", Engine{}},
	} {
		if d := cmp.Diff(c.want, pick([]byte(c.page), gauges)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// What engines were seen to print, with the gauges of their profiles.
func TestPickFromRecordedPages(t *testing.T) {
	catalog, err := engine.Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Engine{
		"vllm":      {new(0.0), new(0.0), new(0.0)},
		"llama.cpp": {Running: new(0.0), Waiting: new(0.0)},
	} {
		page, err := os.ReadFile("testdata/" + name + ".metrics")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, pick(page, catalog.Server(name).Gauges)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// An engine that has nothing to tell is asked once; one that does not answer is asked again.
func TestEngineThatDoesNotTell(t *testing.T) {
	for _, c := range []struct {
		page string
		err  error
		want int
	}{
		{"e:running 1\n", nil, 3},
		{"other 1\n", nil, 1},
		{"", fmt.Errorf("GET /metrics: %w", ErrNoMetrics), 1},
		{"", errors.New("connection refused"), 3},
		{"", context.DeadlineExceeded, 3},
	} {
		asked := 0
		m := &EngineMeter{Gauges: gauges, Page: func(ctx context.Context) ([]byte, error) {
			if _, limited := ctx.Deadline(); !limited {
				t.Error("it may take for ever")
			}
			asked++
			return []byte(c.page), c.err
		}}
		for range 3 {
			if got := m.Look(t.Context()); (len(got) == 1) != (c.want == 3 && c.err == nil) {
				t.Errorf("%q, %v: %v", c.page, c.err, got)
			}
		}
		if asked != c.want {
			t.Errorf("%q, %v: asked %d times, want %d", c.page, c.err, asked, c.want)
		}
	}
}
