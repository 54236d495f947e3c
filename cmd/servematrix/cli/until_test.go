package cli

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"servematrix/journal"
)

// What a resumed run is not told anew, it keeps: the budget of the night is not lifted by a word
// about the precision.
func TestUntilReplacesOnlyWhatIsGiven(t *testing.T) {
	before := &journal.Until{Precision: 0.02, Least: 3, Most: 6, Budget: 3600, Spent: 100}
	for _, c := range []struct {
		name   string
		opt    untilOptions
		before *journal.Until
		blocks int
		want   *journal.Until
	}{
		{"nothing is given", untilOptions{}, before, 0, &journal.Until{Precision: 0.02, Least: 3, Most: 6, Budget: 3600, Spent: 150}},
		{"another precision", untilOptions{until: "precision=1%"}, before, 0, &journal.Until{Precision: 0.01, Least: 3, Most: 6, Budget: 3600, Spent: 150}},
		{"more blocks", untilOptions{most: 8}, before, 0, &journal.Until{Precision: 0.02, Least: 3, Most: 8, Budget: 3600, Spent: 150}},
		{"another budget, spent from now on", untilOptions{until: "precision=1%", budget: time.Minute}, before, 0, &journal.Until{Precision: 0.01, Least: 3, Most: 6, Budget: 60}},
		{"more blocks at the least than there were at the most", untilOptions{until: "precision=1%"}, before, 9, &journal.Until{Precision: 0.01, Least: 9, Most: 9, Budget: 3600, Spent: 150}},
		{"none", untilOptions{until: "none"}, before, 0, nil},
		{"a first intention", untilOptions{until: "precision=1%"}, nil, 2, &journal.Until{Precision: 0.01, Least: 3, Most: 20}},
		{"no intention", untilOptions{}, nil, 2, nil},
	} {
		got, err := c.opt.settle(c.before, 50, c.blocks)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
