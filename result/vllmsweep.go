package result

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"servematrix/matrix"
)

// What vllm bench sweep serve leaves (vllm/benchmarks/sweep/serve.py): a folder for each
// combination, SERVE-…-BENCH-…, with run=N.json, the client's own object into which the
// parameters of both sides are merged, warmup.json, which is not measured, and summary.json, the
// runs once more; summary.csv above them has a row for each run. What failed under
// --continue-on-error lies in *failure.json. One server is started for each configuration of it and
// all runs of all clients go there, so that N numbers no start: the block of a run is unknown.
var (
	sweepRun  = regexp.MustCompile(`^run=(\d+)\.json$`)
	sweepAxis = regexp.MustCompile(`(?:^|-)([A-Za-z_][A-Za-z0-9_.]*)=`)
)

// isSweepFolder tells whether a folder is one combination of a sweep.
func isSweepFolder(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Type().IsRegular() && (sweepRun.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".failure.json"))
	})
}

// sweepFolder gives a sample for each run of one combination.
func (i *importer) sweepFolder(folder string, entries []fs.DirEntry) error {
	server, client := sweepSides(filepath.Base(folder))
	type run struct {
		path   string
		number int
		failed bool
	}
	var runs []run
	for _, entry := range entries {
		name := entry.Name()
		plain := strings.Replace(name, ".failure.json", ".json", 1)
		if m := sweepRun.FindStringSubmatch(plain); m != nil {
			n, _ := strconv.Atoi(m[1])
			runs = append(runs, run{filepath.Join(folder, name), n, plain != name})
		}
	}
	slices.SortStableFunc(runs, func(a, b run) int { return a.number - b.number })
	var problems []error
	for _, r := range runs {
		if r.failed {
			s := Sample{Server: server, Client: client}
			problems = append(problems, s.sweepFailure(r.path, "client_failed", "client"))
			if err := i.each(s); err != nil {
				return err
			}
			continue
		}
		in, err := openSource(r.path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		e := &emitter{client: client, server: server, each: i.each}
		err = eachResult(in.Reader, from(r.path, func(m *Measurement) error {
			parted(m, server, client)
			return e.take(m)
		}))
		if err == nil && e.held == nil {
			err = ErrNoResult
		}
		problems = append(problems, named(r.path, err), e.finish(nil), in.Close())
	}
	return errors.Join(problems...)
}

// sweepTop reads what lies above the combinations: a failed sample for each whose server did
// not start, and the runs in summary.csv where the combinations themselves are not there.
func (i *importer) sweepTop(folder string, entries []fs.DirEntry) error {
	var problems []error
	for _, entry := range entries {
		if path := filepath.Join(folder, entry.Name()); entry.Name() == "summary.csv" && !hasSweepRuns(folder) {
			problems = append(problems, i.file(path, nil))
		}
		stem, ok := strings.CutSuffix(entry.Name(), "-failure.json")
		if !ok || !strings.HasPrefix(stem, "SERVE-") {
			continue
		}
		server, _ := sweepSides(stem)
		s := Sample{Server: server}
		problems = append(problems, s.sweepFailure(filepath.Join(folder, entry.Name()), "start_failed", "start"))
		if err := i.each(s); err != nil {
			return err
		}
	}
	return errors.Join(problems...)
}

// sweepFailure makes a failed sample of a failure's record.
func (s *Sample) sweepFailure(path, class, phase string) error {
	s.Status, s.Failure = StatusFailed, &Failure{Class: class, Phase: phase, Message: "vllm bench sweep recorded a failure"}
	var record struct {
		Type  string `json:"error_type"`
		Error string `json:"error"`
	}
	s.at(Source{File: path})
	text, err := readSmall(path)
	if err == nil {
		err = json.Unmarshal([]byte(text), &record)
	}
	if record.Type != "" {
		s.Failure.Message = redactor.String(record.Type + ": " + record.Error)
	}
	return named(path, err)
}

// sweepSides reads the name of a combination's folder. The words between SERVE and BENCH are the
// server's parameters, the others the client's.
func sweepSides(folder string) (server, client *Side) {
	serve, bench, both := strings.Cut(folder, "BENCH-")
	if !both {
		bench = ""
	}
	serve, served := strings.CutPrefix(serve, "SERVE-")
	side := func(name string, there bool) *Side {
		name = strings.Trim(name, "-")
		if !there || name == "" {
			return &Side{Name: "default"}
		}
		return &Side{Name: name, Axes: sweepAxes(name)}
	}
	return side(serve, served), side(bench, both)
}

// sweepAxes reads "a=1-b=two": the parameters that a combination varies. A name that the user
// gave the combination has none.
func sweepAxes(name string) matrix.Axes {
	var axes matrix.Axes
	at := sweepAxis.FindAllStringSubmatchIndex(name, -1)
	for i, m := range at {
		end := len(name)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		axes = append(axes, matrix.Axis{Name: name[m[2]:m[3]], Value: name[m[1]:end]})
	}
	return axes
}

// parted takes the parameters that the sweep merged into the client's object out again: they say
// what was asked for, of the server or of the client.
func parted(m *Measurement, server, client *Side) {
	delete(m.Extra, "run_number")
	for _, side := range []*Side{server, client} {
		for _, axis := range side.Axes {
			if v, has := m.Extra[axis.Name]; has {
				delete(m.Extra, axis.Name)
				m.Config[axis.Name] = v
			}
		}
	}
}

// isSweepHeader tells summary.csv by its first line, which pandas wrote.
func isSweepHeader(line string) bool {
	fields := strings.Split(strings.TrimSpace(line), ",")
	return slices.Contains(fields, "duration") && slices.Contains(fields, "completed") && slices.Contains(fields, "run_number")
}

// sweepCSV reads a sweep's summary.csv. Which of its columns were the server's parameters and
// which the client's, it does not say: all stay in extra.
func (i *importer) sweepCSV(path string, r io.Reader) error {
	rows := csv.NewReader(r)
	rows.ReuseRecord = true
	head, err := rows.Read()
	if err != nil {
		return err
	}
	head = slices.Clone(head)
	head[0] = strings.TrimPrefix(head[0], "\ufeff")
	for n := 1; ; n++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
		o := newObject()
		for column, key := range head {
			switch cell := row[column]; {
			case key == "" || cell == "" || perRequest[key] || key == "errors" || key == "run_number":
			default:
				o.cell(meaning(key), cell)
			}
		}
		m := o.measurement()
		if !m.recognised() {
			return fmt.Errorf("row %d: %w", n, ErrNoResult)
		}
		m.at.File = path
		m.at.Line, _ = rows.FieldPos(0)
		client := &Side{Name: fmt.Sprintf("row %d", n)}
		if told, ok := i.names[placeOf(path)]; ok {
			client.Name = told + " " + client.Name
		}
		e := &emitter{client: client, each: i.each}
		if err := errors.Join(e.take(m), e.finish(nil)); err != nil {
			return err
		}
	}
}

// cell takes a value as pandas writes it.
func (o *object) cell(key *keyMeaning, text string) {
	o.keys |= key.tells
	f, places, ok := parseNumber(text)
	switch {
	case ok:
		o.scalar(key, scalar{f: f, numeric: true, whole: places == 0})
	case text == "True" || text == "False":
		o.scalar(key, scalar{other: text == "True"})
	default:
		o.scalar(key, scalar{other: redactor.String(text)})
	}
}

// hasSweepRuns tells whether the combinations below a summary.csv are there too.
func hasSweepRuns(folder string) bool {
	for _, pattern := range []string{"run=*.json", "*/run=*.json"} {
		if found, _ := filepath.Glob(filepath.Join(quoteGlob(folder), pattern)); len(found) > 0 {
			return true
		}
	}
	return false
}

func quoteGlob(path string) string {
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllString(path, `\$0`)
}
