package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// kinds orders the differences: what was asked for, what came of it, how it was measured.
var kinds = []string{KindFlag, KindEnv, KindCommand, KindAxis, KindConfig, KindOrder, KindStarts}

// asked is how many of the kinds are what was asked for.
const asked = 5

func kindPlace(d Difference) int {
	if at := slices.Index(kinds[:asked], d.Kind); at >= 0 {
		return at
	}
	if at := slices.Index(kinds[asked:], d.Kind); at >= 0 {
		return 1000 + at
	}
	return 100 // host, driver, effective …: in the order in which they were found
}

// finish orders the differences and answers "Is this a clean A/B?".
func (d *differ) finish() {
	slices.SortStableFunc(d.Differences, func(a, b Difference) int {
		return cmp.Or(
			cmp.Compare(slices.Index(d.Arms, a.Arm), slices.Index(d.Arms, b.Arm)),
			cmp.Compare(kindPlace(a), kindPlace(b)),
			cmp.Compare(flip(a.Compared), flip(b.Compared)),
		)
	})
	for _, arm := range d.Arms[1:] {
		pairs := 0
		for _, p := range d.Pairs {
			if p.Arm == arm {
				pairs++
			}
		}
		if pairs > 0 {
			d.Clean = append(d.Clean, d.answer(arm, pairs))
		}
	}
}

func flip(b bool) int {
	if b {
		return 0
	}
	return 1
}

// answer says whether what was measured can be put down to one thing.
func (d *differ) answer(arm string, pairs int) Clean {
	wanted := map[string][]string{} // kind → names of what was asked for otherwise
	var around []string
	clean := Clean{Arm: arm}
	say := func(format string, args ...any) { clean.Why = append(clean.Why, fmt.Sprintf(format, args...)) }
	causes := 0
	for _, x := range d.Differences {
		if x.Arm != arm || x.Harmless {
			continue
		}
		switch x.Kind {
		case KindFlag, KindEnv, KindCommand, KindAxis, KindConfig:
			kind := x.Kind
			if x.Client {
				kind = "client " + kind
			}
			if !slices.Contains(wanted[kind], x.Name) {
				wanted[kind] = append(wanted[kind], x.Name)
				causes++
			}
		case KindOrder, KindStarts:
		default:
			if name := strings.TrimSpace(x.Kind + " " + x.Name); !slices.Contains(around, name) {
				around = append(around, name)
			}
		}
	}
	if n := d.asked[arm]; n > 1 {
		say("%d things are compared at once", n)
	}
	if said := inWords(wanted); causes > 1 {
		say("%s, so that the effect cannot be put down to one of them", said)
	}
	if len(around) > 0 {
		say("%s %s too", list(around, 6), verb(len(around), "differs", "differ"))
	}
	if d.terms[0].kind == bySource {
		say("the arms were measured in different runs, so that a drift of the host looks like an effect")
	}
	for _, x := range d.Differences {
		if x.Arm == arm && x.Kind == KindOrder {
			if *x.Baseline == "first" {
				say("all starts of the baseline came before those of %s, so that a drift of the host looks like an effect", arm)
			} else {
				say("all starts of %s came before those of the baseline, so that a drift of the host looks like an effect", arm)
			}
			break
		}
	}
	if n := d.lost[arm]; n > 0 {
		say("in %s starts were left out because they failed or are invalid", cells(n))
	}
	if n := d.blank[arm]; n > 0 {
		say("%s %s no valid %s in one of the arms", cells(n), verb(n, "has", "have"), d.Primary)
	}
	if clean.Yes = len(clean.Why) == 0; clean.Yes {
		said := inWords(wanted)
		if causes == 0 {
			said = "nothing that is known differs between the arms"
		}
		clean.Why = []string{said}
	}
	// How much was measured is no matter of what differs: it is said beside either answer.
	switch n := d.lone[arm]; {
	case n == pairs:
		say("one start per arm allows no verdict")
	case n > 0:
		say("in %s one start per arm allows no verdict", cells(n))
	}
	return clean
}

// inWords says what was asked for otherwise: "2 flags differ (--a, --b)".
func inWords(wanted map[string][]string) string {
	words := map[string][2]string{
		KindFlag: {"flag", "flags"}, KindEnv: {"environment variable", "environment variables"},
		KindCommand: {"command", "commands"}, KindAxis: {"axis", "axes"},
		KindConfig: {"key of the configuration", "keys of the configuration"},
	}
	var parts []string
	for _, side := range []string{"", "client "} {
		for _, kind := range kinds[:asked] {
			names := wanted[side+kind]
			switch {
			case len(names) == 0:
			case kind == KindCommand:
				parts = append(parts, side+"the program differs")
			case len(names) == 1:
				parts = append(parts, fmt.Sprintf("1 %s%s differs (%s)", side, words[kind][0], names[0]))
			default:
				parts = append(parts, fmt.Sprintf("%d %s%s differ (%s)", len(names), side, words[kind][1], list(names, 8)))
			}
		}
	}
	return strings.Join(parts, " and ")
}

func cells(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

func verb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}
