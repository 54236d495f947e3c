package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"servematrix/compare"
	"servematrix/journal"
	"servematrix/report"
	"servematrix/result"
)

// compareSources reads what is to be compared.
func compareSources(env Env, args []string) ([]compare.Source, error) {
	var out []compare.Source
	names := map[string]int{}
	for _, arg := range args {
		src, err := compareSource(env, arg)
		if err != nil {
			return nil, err
		}
		if len(src.Samples) == 0 {
			return nil, usageError("%s has no sample yet", arg)
		}
		if names[src.Name]++; names[src.Name] > 1 {
			return nil, usageError("%s is given twice", arg)
		}
		out = append(out, *src)
	}
	return out, nil
}

// compareSource reads a run folder, or what import reads.
func compareSource(env Env, arg string) (*compare.Source, error) {
	folder, err := openRun(env, arg)
	if err == nil {
		return runSource(env, arg, folder)
	}
	if _, serr := os.Stat(env.path(arg)); serr != nil {
		return nil, err
	}
	samples, err := result.Import([]string{env.path(arg)})
	if err != nil {
		return nil, &exitError{code: exitUsage, err: err}
	}
	src := &compare.Source{Name: filepath.Clean(arg)}
	for i := range samples {
		src.Samples = append(src.Samples, &samples[i])
	}
	return src, nil
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
	facts := sessionFacts(folder, m.Sessions)
	around := make(map[*result.Sample]*compare.Facts, len(m.All))
	for _, one := range m.All {
		src.Samples = append(src.Samples, one.Sample)
		if at := one.Session - 1; at >= 0 && at < len(facts) {
			around[one.Sample] = facts[at]
		}
	}
	src.Around = func(s *result.Sample) *compare.Facts { return around[s] }
	return src, nil
}

// sessionFacts are what is known of host and tool in each session; sessions that tell the same
// share their facts.
func sessionFacts(folder journal.Folder, sessions []journal.Session) []*compare.Facts {
	host := hostFactsOf(folder)
	var out []*compare.Facts
	for _, s := range sessions {
		facts := &compare.Facts{List: append([]compare.Fact{{Kind: "host", Name: "name", Value: s.Host}, {Kind: "servematrix", Name: "version", Value: s.Version}}, host...)}
		for _, known := range out {
			if slices.Equal(known.List, facts.List) {
				facts = known
				break
			}
		}
		out = append(out, facts)
	}
	return out
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
