package compare

import (
	"cmp"
	"slices"
)

// book is what a comparison works on.
type book struct {
	sources  []Source
	names    []string // of the sources, as people are told
	cells    []*cell
	commands commands
	around   map[[2]*Facts][]change
	between  map[[2]*invocation][]change
	guessed  bool // only commands told which of several variants belong together
}

func newBook(sources []Source) *book {
	return &book{
		sources: sources, names: shortNames(sources), cells: cellsOf(sources), commands: commands{},
		around: map[[2]*Facts][]change{}, between: map[[2]*invocation][]change{},
	}
}

func sortByPlace(cells []*cell) {
	slices.SortStableFunc(cells, func(a, b *cell) int { return cmp.Compare(a.place, b.place) })
}

// changesBetween gives what differs between two commands, worked out once for each two.
func (b *book) changesBetween(x, y *invocation) []change {
	key := [2]*invocation{x, y}
	out, known := b.between[key]
	if !known {
		out = x.changes(y)
		b.between[key] = out
	}
	return out
}
