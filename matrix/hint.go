package matrix

import "slices"

// Hint says in a sentence what usually helps against a class of failures, as the profile of an
// engine or a client tells it.
type Hint struct {
	EN     string `yaml:"en" json:"en"`         // in English
	ZH     string `yaml:"zh" json:"zh"`         // in Chinese
	Source string `yaml:"source" json:"source"` // who says so: a public URL, or "seen: " and what was seen where
}

// Hints are hints by failure class.
type Hints map[string]Hint

// FailureClasses are the failure classes of results.jsonl.
func FailureClasses() []string { return slices.Clone(failureClasses) }
