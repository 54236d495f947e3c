package compare

import (
	"fmt"
	"strings"
	"testing"
)

func TestStarts(t *testing.T) {
	for _, c := range []struct{ samples, starts, lost string }{
		{"b1a1+ b2a1+ b3a1-", "b1a1 | b2a1", "b3a1"},
		{"b1a1+ b1a2+", "b1a2", ""},             // the last valid attempt counts, not the mean
		{"b1a1+ b1a2-", "b1a1", ""},             // also where a later one failed
		{"b1a1- b1a2+ b1a3- b1a4-", "b1a2", ""}, // whatever else was tried
		{"b1a1- b2a1- b1a2- b2a2+", "b2a2", "b1a2"},
		{"b0a0+ b0a0+ b0a0-", "b0a0 b0a0", "b0a0"}, // nobody knows of which start they are
		{"b0a1- b0a2+", "b0a2", ""},
		{"", "", ""},
	} {
		starts, lost := Starts(strings.Fields(c.samples), func(s string) (a Attempt) {
			if _, err := fmt.Sscanf(s, "b%da%d", &a.Block, &a.Number); err != nil {
				t.Fatal(err)
			}
			a.Valid = strings.HasSuffix(s, "+")
			return a
		})
		var got []string
		for _, s := range starts {
			got = append(got, strings.Join(s, " "))
		}
		bare := strings.NewReplacer("+", "", "-", "")
		if have := bare.Replace(strings.Join(got, " | ")); have != c.starts {
			t.Errorf("%s: starts %s, want %s", c.samples, have, c.starts)
		}
		if have := bare.Replace(strings.Join(lost, " ")); have != c.lost {
			t.Errorf("%s: lost %s, want %s", c.samples, have, c.lost)
		}
	}
}
