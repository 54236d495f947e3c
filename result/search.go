package result

import "servematrix/metric"

// search warns where a search for the largest load did not see the server fail, so that two servers
// that were not tried any further are not taken for equals.
func (j *judge) search() {
	search, _ := j.m.Extra["find"].(map[string]any)
	if search["outcome"] != "at_least" {
		return
	}
	for _, name := range metric.Found() {
		if level, known := j.m.Metrics.Get(name); known {
			j.warn(LowerBound, "the search saw nothing above %g fail for the server's sake: %s is at least that", level, name)
		}
	}
}
