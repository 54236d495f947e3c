// Package reference reads published numbers with the conditions under which they were measured,
// as far as anybody stated them, and holds a run against them: first which conditions differ,
// are unstated there or unknown here, and only then by how much.
//
// It reads one YAML file and is given samples; package report draws what comes out. One
// published number has no spread, so nothing here is a verdict: that is for package compare.
package reference
