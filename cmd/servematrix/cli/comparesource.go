package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"servematrix/compare"
	"servematrix/journal"
	"servematrix/report"
	"servematrix/result"
)

// compareSources reads what is to be compared.
func compareSources(env Env, args []string) ([]compare.Source, error) {
	var out []compare.Source
	given := newGiven()
	for _, arg := range args {
		src, place, err := compareSource(env, arg)
		if err != nil {
			return nil, err
		}
		if len(src.Samples) == 0 {
			return nil, usageError("%s has no sample yet", arg)
		}
		if err := given.add(arg, place, src.Samples); err != nil {
			return nil, err
		}
		out = append(out, *src)
	}
	return out, nil
}

// compareSource reads a run folder, or what import reads, and says where that lies.
func compareSource(env Env, arg string) (src *compare.Source, place string, err error) {
	folder, err := openRun(env, arg)
	if err == nil {
		src, err = runSource(env, arg, folder)
		return src, string(folder), err
	}
	place = env.path(arg)
	if _, serr := os.Stat(place); serr != nil || errors.Is(err, fs.ErrPermission) {
		return nil, "", err
	}
	if isRunWithoutPlan(place) {
		fmt.Fprintf(env.Stderr, "%s is a run folder without its %s: what its samples tell is compared, as of an import; what the run knows of its servers and host is not\n", arg, journal.PlanFile)
	}
	samples, unreadable := result.Import([]string{place})
	switch {
	case unreadable != nil && isYAML(place):
		return nil, "", err // a sweep, most likely; err says how to run one
	case unreadable != nil:
		return nil, "", unread(unreadable, []string{arg}, []string{place})
	}
	src = &compare.Source{Name: filepath.Clean(arg)}
	for i := range samples {
		src.Samples = append(src.Samples, &samples[i])
	}
	return src, place, nil
}

// isRunWithoutPlan tells of a folder that has a run's journal but not its plan.
func isRunWithoutPlan(place string) bool {
	_, journalled := os.Stat(filepath.Join(place, journal.EventsFile))
	_, planned := os.Stat(filepath.Join(place, journal.PlanFile))
	return journalled == nil && errors.Is(planned, fs.ErrNotExist)
}

// runSource reads a run folder.
func runSource(env Env, arg string, folder journal.Folder) (*compare.Source, error) {
	plan, err := readPlan(folder)
	if err != nil {
		return nil, planTrouble(shown(env, string(folder)), err)
	}
	m, err := report.MeasurementsOf(folder)
	if err != nil {
		return nil, err
	}
	if plan.Imported == nil {
		tellUnmeasured(env, folder, true)
	}
	for _, gap := range m.Gaps {
		fmt.Fprintf(env.Stderr, "%s: %s\n", arg, gap)
	}
	if m.Former > 0 {
		fmt.Fprintf(env.Stderr, "%s: %s of what the sweep no longer asks for left out\n", arg, count(m.Former, "sample"))
	}
	return m.Source(filepath.Clean(arg)), nil
}
