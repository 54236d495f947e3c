package compare

import "strings"

// shortNames gives the sources' names without the folders that all of them begin with: of
// results/guidellm/conc and results/aiperf/conc guidellm/conc and aiperf/conc. Each keeps its last
// part at least.
func shortNames(sources []Source) []string {
	parts := make([][]string, len(sources))
	for i, s := range sources {
		parts[i] = strings.Split(s.Name, "/")
	}
	same := 0
	for len(sources) > 1 && alike(parts, same) {
		same++
	}
	names := make([]string, len(sources))
	for i := range parts {
		names[i] = strings.Join(parts[i][same:], "/")
	}
	return names
}

// alike tells that all names have the same part at a place, and none ends there.
func alike(parts [][]string, at int) bool {
	for _, p := range parts {
		if at+1 >= len(p) || p[at] != parts[0][at] {
			return false
		}
	}
	return true
}

// sourcesCalled finds the sources that a user means: by the name as it was given, or by its last parts.
func (b *book) sourcesCalled(name string) []int {
	name = strings.TrimSuffix(name, "/")
	var found []int
	for i, s := range b.sources {
		if s.Name == name {
			return []int{i}
		}
		if name != "" && strings.HasSuffix(s.Name, "/"+name) {
			found = append(found, i)
		}
	}
	return found
}

// pick gives the names at some places.
func pick(names []string, at []int) []string {
	var out []string
	for _, i := range at {
		out = append(out, names[i])
	}
	return out
}
