package compare

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/result"
)

func TestShortNames(t *testing.T) {
	for _, c := range []struct{ given, want []string }{
		{[]string{"/long/path/guidellm/conc", "/long/path/aiperf/conc"}, []string{"guidellm/conc", "aiperf/conc"}},
		{[]string{"runs/a", "runs/b"}, []string{"a", "b"}},
		{[]string{"runs/a", "others/a"}, []string{"runs/a", "others/a"}},
		{[]string{"x", "x/y"}, []string{"x", "x/y"}},
		{[]string{"a/x", "a/x/y", "a/z"}, []string{"x", "x/y", "z"}},
		{[]string{"runs/a"}, []string{"runs/a"}},
	} {
		var sources []Source
		for _, name := range c.given {
			sources = append(sources, Source{Name: name})
		}
		if diff := cmp.Diff(c.want, shortNames(sources)); diff != "" {
			t.Error(diff)
		}
	}
}

// A run goes by its bare name, by more of its path, and by what was given.
func TestRunsByTheirNames(t *testing.T) {
	one := func(name string) Source {
		return Source{Name: name, Samples: []*result.Sample{sample("radix=on", "load=a", 1, 100)}}
	}
	for baseline, want := range map[string]string{"b": "b", "runs/b": "b", "deep/runs/b": "b", "deep/runs/b/": "b"} {
		r := mustCompare(t, Options{Baseline: []string{"run=" + baseline}}, one("deep/runs/a"), one("deep/runs/b"))
		if r.Arms[0] != want {
			t.Errorf("%s: %q", baseline, r.Arms)
		}
	}
	for baseline, want := range map[string]string{"x": `"x" could be a/x, b/x`, "y": `run is never "y"`} {
		_, err := Compare([]Source{one("a/x"), one("b/x")}, Options{Baseline: []string{"run=" + baseline}})
		var wrong *UsageError
		if !errors.As(err, &wrong) || !strings.Contains(wrong.Message, want) {
			t.Errorf("%s: %v", baseline, err)
		}
	}
}

// Runs that share nothing are told so, and no baseline is offered that cannot be.
func TestRunsWithNothingInCommon(t *testing.T) {
	one := func(name, server, client string) Source {
		return Source{Name: name, Samples: []*result.Sample{sample(server, client, 1, 100)}}
	}
	for _, c := range []struct {
		b    Source
		want string
	}{
		{one("runs/b", "attn=fi", "conc=1"), "the runs have no axis or workload in common"},
		{one("runs/b", "radix=on", "load=b"), "the runs have no value of load in common"},
	} {
		_, err := Compare([]Source{one("runs/a", "radix=on", "load=a"), c.b}, Options{})
		var wrong *UsageError
		if !errors.As(err, &wrong) || wrong.Hint != c.want {
			t.Errorf("%v: %+v, want %s", err, wrong, c.want)
		}
	}
}
