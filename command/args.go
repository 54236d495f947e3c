package command

import (
	"slices"
	"strconv"
	"strings"
)

// Args are the arguments of a program.
type Args []string

// Value gives the value of a flag, written "--flag value" or "--flag=value"; "" for one without.
// The last one counts, as in argparse; underscores count as hyphens, as in vLLM.
// A flag can be given by several names, "-w|--work-dir", or as a part of its
// value: "--output kind=json,path" is what stands behind path= in the value of
// an --output that has kind=json too, as guidellm takes it.
func (a Args) Value(flag string) (string, bool) {
	at, ok := a.find(flag)
	return at.value, ok
}

// Has tells whether a flag is given.
func (a Args) Has(flag string) bool {
	_, ok := a.find(flag)
	return ok
}

// Several tells whether more than one value follows a flag.
func (a Args) Several(flag string) bool {
	at, ok := a.find(flag)
	return ok && at.before == "" && at.word+1 < len(a) && a[at.word+1] != "--" && !IsFlag(a[at.word+1])
}

// Set puts another value in the place of that which a flag has; a flag without one stays as it is.
func (a Args) Set(flag, value string) {
	if at, ok := a.find(flag); ok && (at.value != "" || at.before != "") {
		a[at.word] = at.before + value + at.after
	}
}

// Without leaves a flag out wherever it is given, each time with its first value; a is not changed.
func (a Args) Without(flag string) Args {
	out := slices.Clone(a)
	for {
		at, ok := out.find(flag)
		if !ok {
			return out
		}
		first := at.word
		if !IsFlag(out[first]) {
			first-- // its value is a word of its own
		}
		out = slices.Delete(out, first, at.word+1)
	}
}

// place is where a flag's value stands: a[word] is before + value + after.
type place struct {
	word                 int
	value, before, after string
}

func (a Args) find(flag string) (at place, ok bool) {
	names, part, _ := strings.Cut(flag, " ")
	a = a.flagged()
	for i := len(a) - 1; i >= 0; i-- {
		name, value, joined := strings.Cut(a[i], "=")
		if !SameFlag(name, names) {
			continue
		}
		switch {
		case joined:
			at = place{word: i, value: value, before: name + "="}
		case i+1 < len(a) && !IsFlag(a[i+1]):
			at = place{word: i + 1, value: a[i+1]}
		default:
			at = place{word: i}
		}
		if part == "" || at.narrow(part) {
			return at, true
		}
	}
	return place{}, false
}

// flagged are the arguments before "--", behind which nothing is a flag.
func (a Args) flagged() Args {
	if end := slices.Index(a, "--"); end >= 0 {
		return a[:end]
	}
	return a
}

// narrow goes to one part of a value like kind=json,path=F; part is kind=json,path.
func (at *place) narrow(part string) bool {
	wanted := strings.Split(part, ",")
	key := wanted[len(wanted)-1] + "="
	fields := strings.Split(at.value, ",")
	for _, w := range wanted[:len(wanted)-1] {
		if !slices.Contains(fields, w) {
			return false
		}
	}
	i := slices.IndexFunc(fields, func(f string) bool { return strings.HasPrefix(f, key) })
	if i < 0 {
		return false
	}
	before, after := strings.Join(fields[:i], ","), strings.Join(fields[i+1:], ",")
	if before != "" {
		before += ","
	}
	if after != "" {
		after = "," + after
	}
	at.value = strings.TrimPrefix(fields[i], key)
	at.before, at.after = at.before+before+key, after+at.after
	return true
}

// Flag is a flag as it is given once.
type Flag struct {
	Name   string   // with its hyphens
	Values []string // all words up to the next flag; one for --flag=value; none for a flag that stands alone
}

// Flags gives every flag in order, and the words that belong to none: those before the first
// flag, behind --flag=value and behind "--". Which of the words behind a flag is its value and
// which stands for itself only its program knows: all count as the flag's.
func (a Args) Flags() (flags []Flag, words []string) {
	open := false // a flag that takes words
	for i, word := range a {
		switch {
		case word == "--":
			return flags, append(words, a[i+1:]...)
		case IsFlag(word):
			name, value, joined := strings.Cut(word, "=")
			f := Flag{Name: name}
			if joined {
				f.Values = []string{value}
			}
			flags, open = append(flags, f), !joined
		case open:
			last := &flags[len(flags)-1]
			last.Values = append(last.Values, word)
		default:
			words = append(words, word)
		}
	}
	return flags, words
}

// IsFlag tells a flag from a value: a negative number is a value, and so is what holds a space
// where a flag's name would be, as argparse has it.
func IsFlag(word string) bool {
	if len(word) < 2 || word[0] != '-' || word == "--" || '0' <= word[1] && word[1] <= '9' {
		return false
	}
	if name, _, _ := strings.Cut(word, "="); strings.ContainsAny(name, " \t\n") {
		return false
	}
	_, err := strconv.ParseFloat(word, 64)
	return err != nil
}

// SameFlag tells whether a word is a flag of the names "-w|--work-dir".
func SameFlag(word, names string) bool {
	if names == "" || !strings.HasPrefix(word, "-") {
		return false
	}
	for name := range strings.SplitSeq(names, "|") {
		if word == name || Plain(word) == Plain(name) {
			return true
		}
	}
	return false
}

// Plain writes a flag's name with hyphens alone: --num_prompts is --num-prompts.
func Plain(name string) string { return strings.ReplaceAll(name, "_", "-") }
