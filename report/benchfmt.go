package report

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/perf/benchfmt"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
)

// Benchfmt draws the run in the format of Go benchmarks
// (https://go.dev/design/14313-benchmark-format), for benchstat: one line for each server start
// with a valid sample of a cell, in plan order. The axes are in the benchmark's name, so that
// benchstat can compare along any of them. What is not valid, and numbers that are not finite, are
// left out. It tells how many lines there are; where there is none it writes nothing at all.
func Benchfmt(w io.Writer, folder journal.Folder) (lines int, err error) {
	t, err := tallyOf(folder)
	if err != nil {
		return lines, err
	}
	t.whole = true
	if err := t.eachSample(func(*result.Sample) error { return nil }); err != nil {
		return lines, err
	}
	buffer := bufio.NewWriterSize(w, 64<<10)
	out, units := benchfmt.NewWriter(buffer), benchUnits{}
	for _, r := range repeats(t.table()) {
		if r.former {
			continue
		}
		name := benchfmt.Name(t.benchName(r.rows[0].Cell))
		for _, s := range r.starts {
			line := &benchfmt.Result{Config: t.benchConfig(r, s), Name: name, Iters: 1, Values: units.of(s)}
			if len(line.Values) == 0 {
				continue
			}
			if lines == 0 {
				if err := writeUnits(out); err != nil {
					return lines, err
				}
			}
			lines++
			if err := out.Write(line); err != nil {
				return lines, err
			}
		}
	}
	return lines, buffer.Flush()
}

// writeUnits says of each metric which direction is good.
func writeUnits(out *benchfmt.Writer) error {
	for _, name := range metric.Names() {
		info, _ := metric.Lookup(name)
		if info.Better == metric.Neutral {
			continue
		}
		unit, _ := benchUnit(name)
		about := &benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: info.Better.String()}
		if err := out.Write(about); err != nil {
			return err
		}
	}
	return nil
}

// benchConfig is what all lines of a run have in common, and what a start's server is. benchstat
// makes tables of their own where these differ.
func (t *tally) benchConfig(r *repeat, at *Row) []benchfmt.Config {
	var config []benchfmt.Config
	add := func(key, value string) {
		if value != "" {
			config = append(config, benchfmt.Config{Key: key, Value: []byte(visible(value)), File: true})
		}
	}
	add("sweep", t.plan.Name)
	add("run", filepath.Base(string(t.folder)))
	if t.plan.Imported == nil { // who imported did not measure
		add("host", t.session.Host)
		add("servematrix", t.session.Version)
	}
	cell := t.cells[r.rows[0].Cell]
	if s := t.servers[cell.Server]; s != nil {
		add("engine", s.Profile)
	}
	if l := t.launches[at.Launch]; l != nil {
		add("engine-version", l.version)
	}
	if c := t.clients[cell.Client]; c != nil {
		add("client", c.Profile)
	}
	if simulated(r.rows) {
		add("simulated", "true")
	}
	return config
}

// benchName is the cell's benchmark: Serve/backend=triton/load=c64, the servers' axes first. A
// side without axes stands there by its name.
func (t *tally) benchName(cell string) string {
	c := t.cells[cell]
	name := "Serve"
	side := func(key string, v *matrix.Variant) {
		if len(v.Axes) == 0 {
			name += "/" + key + "=" + benchWord(v.Name)
		}
		for _, a := range v.Axes {
			name += "/" + benchWord(a.Name) + "=" + benchWord(a.Value)
		}
	}
	if s := t.servers[c.Server]; s != nil {
		side("server", &s.Variant)
	}
	if c := t.clients[c.Client]; c != nil {
		side("client", &c.Variant)
	}
	return name
}

// meant matches what means something in a benchmark's name: the ends of its parts, and -8 at the
// end, which would be read as GOMAXPROCS.
var meant = regexp.MustCompile(`[/%=]|[\p{Z}\p{C}]|-\d+$`)

// benchWord spells out in a name or value, as a URL does, what would end it.
func benchWord(s string) string {
	return meant.ReplaceAllStringFunc(s, func(found string) string {
		if found[0] == '-' {
			return "%2D" + found[1:]
		}
		var out strings.Builder
		for _, b := range []byte(found) {
			fmt.Fprintf(&out, "%%%02X", b)
		}
		return out.String()
	})
}

// benchUnit is a metric's name with the unit in which benchstat knows to scale it, and what the
// number is divided by: mean_ttft_ms is in mean-ttft-sec.
func benchUnit(name string) (unit string, per float64) {
	info, _ := metric.Lookup(name)
	dashed := strings.ReplaceAll(name, "_", "-")
	switch {
	case info.Unit == "ms":
		return strings.TrimSuffix(dashed, "-ms") + "-sec", 1000
	case info.Unit == "s":
		return strings.TrimSuffix(dashed, "-s") + "-sec", 1
	case info.Unit == "" || strings.HasSuffix(dashed, "-"+info.Unit):
		return dashed, 1
	}
	return dashed + "-" + info.Unit, 1
}

// benchUnits are the units of metrics that came already.
type benchUnits map[string]struct {
	name string
	per  float64
}

// of gives a start's numbers, in the order of the contract.
func (units benchUnits) of(s *Row) []benchfmt.Value {
	values := make([]benchfmt.Value, 0, len(s.Metrics.names))
	for i, name := range s.Metrics.names {
		if v, ok := s.Metrics.at(i); ok {
			unit, known := units[name]
			if !known {
				unit.name, unit.per = benchUnit(name)
				units[name] = unit
			}
			values = append(values, benchfmt.Value{Value: v / unit.per, Unit: unit.name})
		}
	}
	return values
}
