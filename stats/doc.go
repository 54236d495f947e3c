// Package stats compares two arms of an expensive benchmark honestly: from one value per
// independent server start to a ratio with an interval, a p value and a verdict.
//
// It knows nothing of files, cells or metrics' names, only which direction is good. Package
// compare forms the values and asks it; docs/statistics.md says why it computes what it does.
//
// The mathematics comes from github.com/aclements/go-moremath where that has it. All ratios
// are of positive values and are judged on the log scale, so that "twice" and "half" are
// equally far from "the same", and exchanging the arms inverts a result and changes nothing else.
package stats
