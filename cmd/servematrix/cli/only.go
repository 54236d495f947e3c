package cli

import (
	"fmt"

	"servematrix/matrix"
)

// selectCells gives the ids of the cells for which --only holds, of all where it
// is empty. A wrong expression is a usage error; that nothing is selected is an
// error of its own (exit code 5).
func selectCells(plan *matrix.Plan, only string) (map[string]bool, error) {
	keep := func(int) bool { return true }
	if only != "" {
		var err error
		if keep, err = matrix.Select(plan, only); err != nil {
			return nil, usageError("%w", err) // it says --only itself
		}
	}
	kept := map[string]bool{}
	for i, c := range plan.Cells {
		if keep(i) {
			kept[c.ID] = true
		}
	}
	if len(kept) == 0 && only != "" {
		return nil, &exitError{code: exitNothing, err: fmt.Errorf("--only %q selects none of the %s", only, count(len(plan.Cells), "cell")),
			hint: "servematrix plan shows the cells and their axes"}
	}
	return kept, nil
}
