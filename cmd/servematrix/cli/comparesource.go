package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"servematrix/compare"
	"servematrix/effective"
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
	if _, serr := os.Stat(place); serr != nil {
		return nil, "", err
	}
	if isRunWithoutPlan(place) {
		fmt.Fprintf(env.Stderr, "%s is a run folder without its %s: what its samples tell is compared, as of an import; what the run knows of its servers and host is not\n", arg, journal.PlanFile)
	}
	samples, err := result.Import([]string{place})
	if err != nil {
		return nil, "", unread(err)
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

// runSource reads a run folder: its samples, and what is known around each server start.
func runSource(env Env, arg string, folder journal.Folder) (*compare.Source, error) {
	if _, err := readPlan(folder); err != nil {
		return nil, planTrouble(shown(env, string(folder)), err)
	}
	m, err := report.MeasurementsOf(folder)
	if err != nil {
		return nil, err
	}
	if m.Former > 0 {
		fmt.Fprintf(env.Stderr, "%s: %s of what the sweep no longer asks for left out\n", arg, count(m.Former, "sample"))
	}
	src := &compare.Source{Name: filepath.Clean(arg), Settings: &m.Plan.Compare, Smoke: m.Plan.Smoke != nil}
	for _, c := range m.Plan.Cells {
		src.Cells = append(src.Cells, c.ID)
	}
	known := newAround(folder, m)
	around := make(map[*result.Sample]*compare.Facts, len(m.All))
	for _, one := range m.All {
		src.Samples = append(src.Samples, one.Sample)
		around[one.Sample] = known.of(one)
	}
	src.Around = func(s *result.Sample) *compare.Facts { return around[s] }
	return src, nil
}

// around finds what is known around the samples of a run: starts of which the same is known share
// their facts.
type around struct {
	folder journal.Folder
	run    *report.Measurements
	host   []compare.Fact
	facts  map[aroundKey]*compare.Facts
}

type aroundKey struct{ host, version, identity string }

func newAround(folder journal.Folder, m *report.Measurements) *around {
	return &around{folder: folder, run: m, host: hostFactsOf(folder), facts: map[aroundKey]*compare.Facts{}}
}

func (a *around) of(m report.Measurement) *compare.Facts {
	key := aroundKey{identity: a.run.Configured[m.Launch]}
	if at := m.Session - 1; at >= 0 && at < len(a.run.Sessions) {
		key.host, key.version = a.run.Sessions[at].Host, a.run.Sessions[at].Version
	}
	if f := a.facts[key]; f != nil {
		return f
	}
	f := &compare.Facts{
		List: []compare.Fact{{Kind: "servematrix", Name: "version", Value: key.version}},
		Host: append([]compare.Fact{{Kind: "host", Name: "name", Value: key.host}}, a.host...),
	}
	if key.identity != "" {
		// A file that is gone or damaged tells nothing; the samples do not depend on it.
		f.Server, _ = effective.Read(a.folder.LaunchDir(m.Launch))
	}
	a.facts[key] = f
	return f
}

// hostFactsOf reads host.json; what it does not tell is no fact.
func hostFactsOf(folder journal.Folder) []compare.Fact {
	data, err := os.ReadFile(folder.Path(journal.HostFile))
	if err != nil {
		return nil
	}
	var h hostReport
	if json.Unmarshal(data, &h) != nil {
		return nil // a damaged file tells nothing; the samples do not depend on it
	}
	var out []compare.Fact
	add := func(kind, name, value string) {
		if value != "" && value != "0" {
			out = append(out, compare.Fact{Kind: kind, Name: name, Value: value})
		}
	}
	add("host", "os", h.OS)
	add("host", "kernel", h.Kernel)
	add("host", "CPU", h.CPU)
	add("host", "usable cores", strconv.Itoa(h.Usable))
	add("host", "memory", strconv.FormatUint(h.Memory>>30, 10)+" GiB")
	for _, tool := range h.Devices {
		var devices []string
		for _, d := range tool.Devices {
			devices = append(devices, d.Name)
		}
		add("driver", "of "+tool.Tool, tool.Driver)
		add("devices", "of "+tool.Tool, strings.Join(devices, ", "))
	}
	return out
}
