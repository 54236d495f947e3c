package matrix

// Key is one key of a sweep: what the loader takes, and what an editor is told of it.
// The loader refuses what is not here, and `servematrix schema sweep` is made from it.
type Key struct {
	Name    string
	About   string // for people, a sentence or two
	Kind    Kind
	Default string   // what its absence means; "" where there is no such value
	Choices []string // of a KindChoice
	Example string   // YAML
	Keys    []Key    // of a mapping, or of each in a list of mappings
	Needed  bool
}

// Kind is the form of a key's value. Wherever a single value stands, an expression can.
type Kind int

// Kinds of values.
const (
	KindText         Kind = iota
	KindChoice            // one of Choices
	KindBool              // true or false
	KindNumber            // a whole number
	KindShare             // 2% or 0.02
	KindTime              // a duration such as 90s or 1h30m
	KindBytes             // a size such as 512MiB
	KindPattern           // a regular expression; null or false switches a profile's off
	KindPlace             // a path on the server, or null or false likewise
	KindCondition         // an expression without ${{ }}
	KindTexts             // a list of texts
	KindWords             // a command: one text, or a list of words
	KindValues            // name → any value
	KindVariables         // name → a single value, or null
	KindAxes              // name → list of values
	KindZip               // axes that go side by side
	KindRules             // a list of name → value, with when and why
	KindRows              // a list of axis → value
	KindRequirements      // a list of expressions, or of {assert, when, why}
	KindMapping           // Keys
	KindMappings          // a list of Keys
	KindOffOrMapping      // Keys, or null or false
)

// namesOf gives the names of keys, in order.
func namesOf(keys []Key) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.Name
	}
	return out
}

// keyOf finds a key; the loader asks only for those that there are.
func keyOf(keys []Key, name string) Key {
	for _, k := range keys {
		if k.Name == name {
			return k
		}
	}
	panic("a sweep has no key " + name)
}

// SweepKeys are the keys of a sweep, with all below them.
func SweepKeys() []Key { return topKeys }
