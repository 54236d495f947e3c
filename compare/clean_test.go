package compare

import (
	"strings"
	"testing"

	"servematrix/result"
)

// An arm that differs from a baseline of two axes in one of them is a clean A/B.
func TestOnlyWhatAnArmHasOtherwiseIsComparedAtOnce(t *testing.T) {
	var s []*result.Sample
	for block := 1; block <= 2; block++ {
		for _, server := range []string{"radix=on slow=1", "radix=on slow=2", "radix=off slow=1", "radix=off slow=2"} {
			s = append(s, sample(server, "load=a", block, float64(100+block)))
		}
	}
	r := mustCompare(t, Options{Baseline: []string{"radix=on,slow=1"}}, Source{Samples: s})
	got := map[string]string{}
	for _, c := range r.Clean {
		got[c.Arm] = answerOf(c)
	}
	for arm, want := range map[string]string{
		"radix=on,slow=2":  "yes: 1 flag differs (--slow)",
		"radix=off,slow=1": "yes: 1 flag differs (--radix)",
		"radix=off,slow=2": "no: 2 things are compared at once; 2 flags differ (--radix, --slow), so that the effect cannot be put down to one of them",
	} {
		if got[arm] != want {
			t.Errorf("%s: %s, want %s", arm, got[arm], want)
		}
	}
}

func answerOf(c Clean) string {
	if c.Yes {
		return "yes: " + strings.Join(c.Why, "; ")
	}
	return "no: " + strings.Join(c.Why, "; ")
}

// A variant is the same whether its axis, its name or its flag is asked for.
func TestAnAxisAndItsFlagAreOneThing(t *testing.T) {
	var s []*result.Sample
	for block := 1; block <= 2; block++ {
		s = append(s, sample("attn=fi", "load=a", block, float64(100+block)), sample("attn=tr", "load=a", block, float64(110+block)))
	}
	for _, baseline := range []string{"attn=fi", "server=fi", "flag:attn=fi"} {
		r := mustCompare(t, Options{Baseline: []string{baseline}}, Source{Samples: s})
		if got := answerOf(r.Clean[0]); got != "yes: 1 flag differs (--attn)" {
			t.Errorf("%s: %s", baseline, got)
		}
	}
}

// An axis that no command tells is a thing of its own, beside the flag of another.
func TestAnAxisThatNoCommandTellsCounts(t *testing.T) {
	var s []*result.Sample
	for block := 1; block <= 2; block++ {
		for i, server := range []string{"attn=fi clock=low", "attn=fi clock=high", "attn=tr clock=low", "attn=tr clock=high"} {
			x := sample(server, "load=a", block, float64(100+block+i))
			x.Server.Argv = x.Server.Argv[:3] // --attn alone
			s = append(s, x)
		}
	}
	r := mustCompare(t, Options{Baseline: []string{"server=fi/low"}}, Source{Samples: s})
	want := map[string]string{
		"server=fi/high": "yes: 1 axis differs (clock)",
		"server=tr/low":  "yes: 1 flag differs (--attn)",
		"server=tr/high": "no: 1 flag differs (--attn) and 1 axis differs (clock), so that the effect cannot be put down to one of them",
	}
	for _, c := range r.Clean {
		if got := answerOf(c); got != want[c.Arm] {
			t.Errorf("%s: %s", c.Arm, got)
		}
	}
}

// A cell that was paired by command is named by the axes that vary within its arm, not by the
// whole name of the arm's server.
func TestVariantsAreNamedByWhatVariesInTheirArm(t *testing.T) {
	var s []*result.Sample
	for _, server := range []string{"radix=on slow=1", "radix=on slow=2", "radix=off slow=1", "radix=off slow=2"} {
		for _, load := range []string{"load=c4", "load=c16"} {
			s = append(s, sample(server, load, 1, 100))
		}
	}
	r := mustCompare(t, Options{Baseline: []string{"flag:radix=on"}}, Source{Samples: s})
	var names []string
	for _, p := range r.Pairs {
		names = append(names, p.Cell)
	}
	if got := strings.Join(names, " "); got != "1/c4 2/c4 1/c16 2/c16" {
		t.Error(got)
	}
}

// How much was measured is said, and is no reason against an answer.
func TestOneStartIsNoMatterOfCleanness(t *testing.T) {
	r := mustCompare(t, Options{Baseline: []string{"radix=on"}}, Source{Samples: blocks([]float64{100}, []float64{110})})
	if got := answerOf(r.Clean[0]); got != "yes: 1 flag differs (--radix); one start per arm allows no verdict" {
		t.Error(got)
	}
}
