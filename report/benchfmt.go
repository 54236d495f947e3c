package report

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

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
	incomplete := t.eachSample(func(*result.Sample) error { return nil })
	out := newBenchWriter(w)
	for _, r := range repeats(t.table()) {
		if r.former {
			continue
		}
		name, version := benchfmt.Name(t.benchName(r.rows[0].Cell)), ""
		var config []benchfmt.Config
		for _, s := range r.starts {
			if v := t.engineVersion(s); config == nil || v != version {
				config, version = t.benchConfig(r, v), v
			}
			if err := out.write(config, name, s); err != nil {
				return out.lines, err
			}
		}
	}
	return out.lines, cmp.Or(out.to.Flush(), incomplete)
}

// benchWriter writes lines of benchmarks: what is before the numbers as benchfmt does, and the
// numbers, of which a large run has millions, without fmt.
type benchWriter struct {
	to    *bufio.Writer
	heads *benchfmt.Writer
	head  bytes.Buffer // that was written by heads
	lines int
	names []string // of the last line's metrics
	units []unitOf // of these
}

func newBenchWriter(w io.Writer) *benchWriter {
	out := &benchWriter{to: bufio.NewWriterSize(w, 64<<10)}
	out.heads = benchfmt.NewWriter(&out.head)
	return out
}

// write writes the line of a start, unless it has no number.
func (out *benchWriter) write(config []benchfmt.Config, name benchfmt.Name, s *Row) error {
	if !slices.ContainsFunc(s.Metrics.values, func(v float64) bool { return !math.IsNaN(v) }) {
		return nil
	}
	if out.lines == 0 {
		if err := writeUnits(out.heads); err != nil {
			return err
		}
	}
	out.lines++
	if err := out.heads.Write(&benchfmt.Result{Config: config, Name: name, Iters: 1}); err != nil {
		return err
	}
	if !slices.Equal(out.names, s.Metrics.names) {
		out.names, out.units = s.Metrics.names, out.units[:0]
		for _, name := range out.names {
			out.units = append(out.units, benchUnit(name))
		}
	}
	line := bytes.TrimSuffix(out.head.Bytes(), []byte("\n"))
	for i, unit := range out.units {
		if v, ok := s.Metrics.at(i); ok {
			line = strconv.AppendFloat(append(line, ' '), v/unit.per, 'g', -1, 64)
			line = append(append(line, ' '), unit.name...)
		}
	}
	_, err := out.to.Write(append(line, '\n'))
	out.head.Reset()
	return err
}

// writeUnits says of each metric which direction is good.
func writeUnits(out *benchfmt.Writer) error {
	for _, name := range metric.Names() {
		info, _ := metric.Lookup(name)
		if info.Better == metric.Neutral {
			continue
		}
		unit := benchUnit(name).name
		about := &benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: info.Better.String()}
		if err := out.Write(about); err != nil {
			return err
		}
	}
	return nil
}

// engineVersion is what the server of a start told; "" where it told nothing.
func (t *tally) engineVersion(start *Row) string {
	if l := t.launches[start.Launch]; l != nil {
		return l.version
	}
	return ""
}

// benchConfig is what all lines of a run have in common, and what a start's server is. benchstat
// makes tables of their own where these differ.
func (t *tally) benchConfig(r *repeat, version string) []benchfmt.Config {
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
	add("engine-version", version)
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
// end, which would be read as GOMAXPROCS. It holds half of Unicode's tables, which takes longer than
// all else that the program does before it begins.
var meant = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[/%=]|[\p{Z}\p{C}]|-\d+$`) })

// benchWord spells out in a name or value, as a URL does, what would end it.
func benchWord(s string) string {
	return meant().ReplaceAllStringFunc(s, func(found string) string {
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

// unitOf is a metric's name with the unit in which benchstat knows to scale it, and what the number
// is divided by: mean_ttft_ms is in mean-ttft-sec.
type unitOf struct {
	name string
	per  float64
}

func benchUnit(name string) unitOf {
	info, _ := metric.Lookup(name)
	dashed := strings.ReplaceAll(name, "_", "-")
	switch {
	case info.Unit == "ms":
		return unitOf{strings.TrimSuffix(dashed, "-ms") + "-sec", 1000}
	case info.Unit == "s":
		return unitOf{strings.TrimSuffix(dashed, "-s") + "-sec", 1}
	case info.Unit == "" || strings.HasSuffix(dashed, "-"+info.Unit):
		return unitOf{dashed, 1}
	}
	return unitOf{dashed + "-" + info.Unit, 1}
}
