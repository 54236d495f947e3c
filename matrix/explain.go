package matrix

import (
	"maps"
	"slices"
	"strings"
)

// Difference is one thing in which two variants of the same name are not the
// same command, so that they have different ids.
type Difference struct {
	What string `json:"what"` // argv, script, env NAME, file PATH or seed policy
	Was  string `json:"was"`  // "" where there was nothing
	Is   string `json:"is"`   // "" where there is nothing any more
}

// String writes the difference for people.
func (d Difference) String() string {
	switch {
	case strings.HasPrefix(d.What, "file ") && d.Was != "" && d.Is != "":
		return d.What + " has other contents"
	case strings.HasPrefix(d.What, "file ") && d.Is != "":
		return d.What + " is new"
	case strings.HasPrefix(d.What, "file "):
		return d.What + " is no longer listed"
	case d.Was == "" && d.Is != "":
		return d.What + ": + " + d.Is
	case d.Is == "" && d.Was != "":
		return d.What + ": − " + d.Was
	case d.Was == "":
		return d.What
	}
	is := d.Is
	if flag, value, ok := strings.Cut(d.Is, " "); ok && strings.HasPrefix(flag, "-") && strings.HasPrefix(d.Was, flag+" ") {
		is = value // the flag is named once
	}
	return d.What + ": " + d.Was + " → " + is
}

// Differences says why two variants have different ids, by the components of
// their identity: words of the command, variables of the environment, listed files,
// the seed policy. It is empty for the same id.
func Differences(was, is *Variant) []Difference {
	if Hex(was.ID) == Hex(is.ID) {
		return nil
	}
	out := argvDifferences(was, is)
	out = append(out, envDifferences(was, is)...)
	out = append(out, fileDifferences(was.Files, is.Files)...)
	if was.Parts["seed"] != is.Parts["seed"] {
		out = append(out, Difference{What: "seed policy"})
	}
	return out
}

func argvDifferences(was, is *Variant) (out []Difference) {
	if slices.Equal(was.Argv, is.Argv) {
		return nil
	}
	if was.Shell && is.Shell {
		return []Difference{{What: "script"}} // of many lines; the sweeps tell more than a list of its words
	}
	for _, h := range hunks(was.Argv, is.Argv) {
		out = append(out, Difference{What: "argv", Was: strings.Join(h.was, " "), Is: strings.Join(h.is, " ")})
	}
	return out
}

// hunk is a stretch of words in which two commands differ.
type hunk struct{ was, is []string }

// hunks finds the shortest lists of words that were taken out and put in. A changed
// value brings the flag before it along: "--tp 4" says more than "4".
func hunks(was, is []string) (out []hunk) {
	common := longestCommon(was, is)
	i, j := 0, 0
	for i < len(was) || j < len(is) {
		if i < len(was) && j < len(is) && common[i][j] == common[i+1][j+1]+1 && was[i] == is[j] {
			i, j = i+1, j+1
			continue
		}
		from, to := i, j
		for i < len(was) || j < len(is) {
			if i < len(was) && j < len(is) && was[i] == is[j] {
				break
			}
			if j == len(is) || i < len(was) && common[i+1][j] >= common[i][j+1] {
				i++
			} else {
				j++
			}
		}
		h := hunk{was[from:i], is[to:j]}
		if from > 0 && strings.HasPrefix(was[from-1], "-") && to > 0 && was[from-1] == is[to-1] && from < i && to < j {
			h = hunk{was[from-1 : i], is[to-1 : j]}
		}
		out = append(out, h)
	}
	return out
}

// longestCommon gives, for each pair of places, how many words the rests have in common, in order.
func longestCommon(a, b []string) [][]int {
	n := make([][]int, len(a)+1)
	for i := range n {
		n[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				n[i][j] = n[i+1][j+1] + 1
			} else {
				n[i][j] = max(n[i+1][j], n[i][j+1])
			}
		}
	}
	return n
}

func envDifferences(was, is *Variant) (out []Difference) {
	names := map[string]bool{}
	for _, v := range []*Variant{was, is} {
		for name := range v.Env {
			names[name] = true
		}
		for _, name := range v.Unset {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a, b := envWord(was, name), envWord(is, name); a != b {
			out = append(out, Difference{What: "env " + name, Was: a, Is: b})
		}
	}
	return out
}

func envWord(v *Variant, name string) string {
	if value, set := v.Env[name]; set {
		if value == "" {
			return `""`
		}
		return value
	}
	if slices.Contains(v.Unset, name) {
		return "(unset)"
	}
	return ""
}

func fileDifferences(was, is []File) (out []Difference) {
	digests := func(files []File) map[string]string {
		m := map[string]string{}
		for _, f := range files {
			m[f.Path] = f.SHA256
		}
		return m
	}
	before, now := digests(was), digests(is)
	all := maps.Clone(before)
	maps.Copy(all, now)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if before[path] != now[path] {
			out = append(out, Difference{What: "file " + path, Was: before[path], Is: now[path]})
		}
	}
	return out
}
