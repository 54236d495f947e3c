package report

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"

	"servematrix/compare"
	"servematrix/effective"
	"servematrix/journal"
	"servematrix/result"
)

// Source gives the measurements to be compared, under a name, with what is known around each
// server start.
func (m *Measurements) Source(name string) *compare.Source {
	src := m.source(name)
	settings := m.Plan.Compare
	settings.Primary = primaryOf(m.Plan, compare.Found(*src), func() bool { return primarySaid(m.folder) })
	src.Settings = &settings
	return src
}

func (m *Measurements) source(name string) *compare.Source {
	src := &compare.Source{Name: name, Smoke: m.Plan.Smoke != nil}
	for _, c := range m.Plan.Cells {
		src.Cells = append(src.Cells, c.ID)
	}
	if m.Plan.Imported != nil { // the host that imported is not the one that measured
		for _, one := range m.All {
			src.Samples = append(src.Samples, one.Sample)
		}
		return src
	}
	known := &around{run: m, host: hostFacts(m.folder), facts: map[aroundKey]*compare.Facts{}}
	facts := make(map[*result.Sample]*compare.Facts, len(m.All))
	for _, one := range m.All {
		src.Samples = append(src.Samples, one.Sample)
		facts[one.Sample] = known.of(one)
	}
	src.Around = func(s *result.Sample) *compare.Facts { return facts[s] }
	return src
}

// around finds what is known around the samples of a run: starts of which the same is known share
// their facts.
type around struct {
	run   *Measurements
	host  []compare.Fact
	facts map[aroundKey]*compare.Facts
}

type aroundKey struct{ host, version, identity string }

func (a *around) of(m Measurement) *compare.Facts {
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
		f.Server, _ = effective.Read(a.run.folder.LaunchDir(m.Launch))
	}
	a.facts[key] = f
	return f
}

// hostSays is what of host.json is a fact around a measurement.
type hostSays struct {
	OS      string `json:"os"`
	Kernel  string `json:"kernel"`
	CPU     string `json:"cpu"`
	Usable  int    `json:"usable_cores"`
	Memory  uint64 `json:"memory_bytes"`
	Devices []struct {
		Tool    string `json:"tool"`
		Driver  string `json:"driver"`
		Devices []struct {
			Name string `json:"name"`
		} `json:"devices"`
	} `json:"devices"`
}

// hostFacts reads host.json; what it does not tell is no fact.
func hostFacts(folder journal.Folder) []compare.Fact {
	data, err := os.ReadFile(folder.Path(journal.HostFile))
	if err != nil {
		return nil
	}
	var h hostSays
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
