// Package spelling finds the name that somebody meant who wrote another one. It knows no names of
// its own: whoever reads what people write, sweeps and command lines, calls it.
package spelling

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// DidYouMean proposes the known name nearest to what was written, or lists the
// known names when none is near.
func DidYouMean(got string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	byDistance := slices.Clone(known)
	slices.SortStableFunc(byDistance, func(a, b string) int {
		return cmp.Compare(editDistance(strings.ToLower(got), strings.ToLower(a)), editDistance(strings.ToLower(got), strings.ToLower(b)))
	})
	if editDistance(strings.ToLower(got), strings.ToLower(byDistance[0])) <= max(len(got)/3, 1) {
		return fmt.Sprintf("did you mean %q?", byDistance[0])
	}
	if len(known) > mostListed {
		return "known are " + strings.Join(byDistance[:5], ", ") + " and others"
	}
	slices.Sort(byDistance)
	return "known are " + strings.Join(byDistance, ", ")
}

// mostListed is how many names are listed in full; of more only the nearest.
const mostListed = 24

// editDistance is the number of single-character changes, counting a swap of
// neighbours as one (optimal string alignment distance).
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	// Names are short; a text longer than this is no misspelt name.
	if len(x) > 64 || len(y) > 64 {
		return 64
	}
	older, old := []int(nil), make([]int, len(y)+1)
	for j := range old {
		old[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(old[j]+1, row[j-1]+1, old[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, old = old, row
	}
	return old[len(y)]
}
