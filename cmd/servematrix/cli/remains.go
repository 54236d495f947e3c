package cli

import (
	"fmt"
	"strings"

	"servematrix/journal"
	"servematrix/orchestrator"
)

// clearRemains takes away the shared memory and the sockets that the servers of
// runs which are over left, and says what it did. Where something of theirs is held
// on, nothing may start: the error says what holds what.
func clearRemains(env Env, runs []journal.Folder) (done []string, err error) {
	for _, f := range runs {
		r, err := orchestrator.FindRemains(f)
		if err != nil {
			continue // ls names its problem
		}
		name := shown(env, string(f))
		removed, problems := r.GiveBack()
		if len(removed) > 0 {
			done = append(done, fmt.Sprintf("a server of %s had left %s, which nobody used; removed", name, strings.Join(removed, ", ")))
		}
		for _, p := range problems {
			done = append(done, fmt.Sprintf("a server of %s had left %s", name, p))
		}
		if err := orchestrator.StillNotClean(name, r.Held()); err != nil {
			return done, &exitError{code: exitPreflight, err: err, hint: "end what holds it on; servematrix doctor shows more"}
		}
	}
	return done, nil
}

// deadRuns are the runs in a folder that no process works on. Of a folder that is
// not there, or cannot be read, whoever makes a run in it will tell.
func deadRuns(parent string) (dead []journal.Folder) {
	runs, err := journal.List(parent)
	if err != nil {
		return nil
	}
	for _, f := range runs {
		if !f.Live() {
			dead = append(dead, f)
		}
	}
	return dead
}

// remains lists what runs that are over left besides processes, and takes away
// what it can when asked to.
func (d *diagnosis) findRemains(env Env, runs []journal.Folder, clean bool) {
	for _, f := range runs {
		r, err := orchestrator.FindRemains(f)
		if err != nil || f.Live() {
			continue
		}
		if clean {
			removed, _ := r.GiveBack()
			d.Removed = append(d.Removed, removed...)
		}
		for _, o := range r.Objects() {
			d.Remains = append(d.Remains, fmt.Sprintf("%s, left by a server of %s", o, shown(env, string(f))))
		}
		for _, h := range r.Held() {
			d.Remains = append(d.Remains, fmt.Sprintf("%s, since %s ended", h, shown(env, string(f))))
		}
	}
}
