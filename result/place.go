package result

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// names calls samples after the places that they were read from: a file without its ending, or a
// folder. Equally named ones of one import are told apart by as much of their path as it takes:
// c8/bench and c16/bench are two workloads.
type names map[string]string // only of the places that others are named like

func (n names) of(place string) string {
	if name, ok := n[place]; ok {
		return name
	}
	return filepath.Base(place)
}

// found is a place, with the path by which it is told apart as long as that will do: within the
// argument that it lies in, so that two folders of one form give the same names.
type found struct{ place, within string }

// namesIn finds out what lies below the paths of an import. What cannot be looked at is named when
// it is to be read.
func namesIn(paths []string) names {
	byName := map[string][]found{}
	seen := map[string]bool{}
	add := func(place, root string) {
		if seen[place] {
			return
		}
		seen[place] = true
		within := filepath.Base(place)
		if rel, err := filepath.Rel(root, place); err == nil && rel != "." && filepath.IsLocal(rel) {
			within = rel
		}
		byName[filepath.Base(place)] = append(byName[filepath.Base(place)], found{place, within})
	}
	addFile := func(file, root string) {
		for _, place := range []string{placeOf(file), filepath.Dir(file), strings.TrimSuffix(file, filepath.Ext(file)), file} {
			add(place, root)
		}
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			addFile(path, filepath.Dir(path))
			continue
		}
		filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case !entry.IsDir():
				addFile(file, path)
			case file != path && strings.HasPrefix(entry.Name(), "."), ownSamples(file) != "":
				return filepath.SkipDir
			}
			return nil
		})
	}
	n := names{}
	for _, alike := range byName {
		if len(alike) < 2 {
			continue
		}
		told := apart(alike, func(f found) string { return f.within })
		if told == nil { // the same in two arguments
			told = apart(alike, func(f found) string { return f.place })
		}
		for i, f := range alike {
			n[f.place] = told[i]
		}
	}
	return n
}

// apart gives for each path the fewest last parts of it that no other one ends with; nil where two
// are the same.
func apart(places []found, path func(found) string) []string {
	told := make([]string, len(places))
	left := make([]int, len(places))
	for i := range left {
		left[i] = i
	}
	for parts := 1; len(left) > 0; parts++ {
		count, longer := map[string]int{}, false
		for _, i := range left {
			told[i] = lastParts(path(places[i]), parts)
			longer = longer || told[i] != path(places[i])
			count[told[i]]++
		}
		left = slices.DeleteFunc(left, func(i int) bool { return count[told[i]] == 1 })
		if !longer && len(left) > 0 {
			return nil
		}
	}
	return told
}

func lastParts(path string, n int) string {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == filepath.Separator {
			if n--; n == 0 {
				return path[i+1:]
			}
		}
	}
	return path
}
