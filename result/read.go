package result

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"

	"servematrix/engine"
	"servematrix/logfile"
	"servematrix/metric"
)

// Inputs names what a client left behind. A path may be empty, and the file may be missing.
type Inputs struct {
	// Stdout is the file with what the client printed.
	Stdout string
	// Stderr is the file with what it printed there; it is read where Stdout has no result.
	Stderr string
	// Result is the file that the client was told to write: JSON or JSONL.
	Result string
	// Profile is the client's; where it has a layout, Result is read by it and what the client
	// printed is not looked at.
	Profile *engine.ClientProfile
	// First takes the first result in the output, as for a client without a profile; else the
	// last one counts, since a client may print results of its own warm-up before.
	First bool
}

// ErrNoResult says that neither file holds a result of a known form.
var ErrNoResult = errors.New("no benchmark result found")

// Read gives the measurement in a client's output. The result file is preferred, because its
// numbers are not rounded; the printed block is the fallback, gives what the file lacks, and is
// checked against it. The reasons are also in the measurement's Findings. The error wraps
// ErrNoResult when there is nothing to be had; an unreadable file is another error.
func Read(in Inputs) (*Measurement, []Reason, error) {
	if in.Profile != nil && in.Profile.Layout != nil {
		return readByLayout(in)
	}
	fromJSON, note, err := readResult(in)
	if err != nil {
		return nil, nil, err
	}
	fromText, err := readPrinted(in)
	if err != nil {
		return nil, nil, err
	}
	var m *Measurement
	switch {
	case fromJSON != nil && fromText != nil:
		m = join(fromJSON, fromText)
	case fromJSON != nil:
		m = fromJSON
	case fromText != nil:
		m = fromText
	default:
		what := "looked in " + places(in)
		for _, r := range note {
			what += "; " + r.Detail
		}
		return nil, note, fmt.Errorf("%w: %s", ErrNoResult, what)
	}
	m.Findings = append(m.Findings, note...)
	return m, m.Findings, nil
}

func places(in Inputs) string {
	var names []string
	for _, name := range []string{in.Result, in.Stdout, in.Stderr} {
		if name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "no file"
	}
	return strings.Join(names, " and ")
}

// readResult takes the result file's last object.
func readResult(in Inputs) (*Measurement, []Reason, error) {
	found, note, err := readResultFile(in.Result)
	if err != nil || len(found) == 0 {
		return nil, note, err
	}
	return found[len(found)-1], note, nil
}

// readResultFile reads a result file that may be missing. A damaged one counts for nothing: its
// last whole object may be an older run's. The printed block then stands in.
func readResultFile(path string) ([]*Measurement, []Reason, error) {
	if path == "" {
		return nil, nil, nil
	}
	in, err := openSource(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read result: %w", err)
	}
	defer in.Close()
	found, err := ParseJSON(in.Reader)
	if err != nil {
		return nil, []Reason{{Partial, SeverityWarning, fmt.Sprintf("the result file %s was not used: %v", filepath.Base(path), err)}}, nil
	}
	return found, nil, nil
}

// readPrinted gives the result in what the client printed; on stderr where stdout has none.
func readPrinted(in Inputs) (*Measurement, error) {
	for _, path := range []string{in.Stdout, in.Stderr} {
		f, err := openMaybe(path)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		found, err := ParseText(logfile.Past(f, logfile.Words))
		f.Close()
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case len(found) > 0 && in.First:
			return found[0], nil
		case len(found) > 0:
			return found[len(found)-1], nil
		}
	}
	return nil, nil
}

// openMaybe opens a file that may be missing; then it returns neither file nor error.
func openMaybe(path string) (*os.File, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	return f, nil
}

// join completes the JSON's measurement with what only the text has, and compares the rest.
func join(m, text *Measurement) *Measurement {
	for _, name := range text.Metrics.Names() {
		value := text.Metrics.Value(name)
		own, has := m.Metrics.Known(name)
		if !has {
			m.Metrics.Set(name, value)
			continue
		}
		half, printed := text.halfUnit[name]
		if !printed && finite(value) {
			continue // from the arguments, or with an exponent: not the same statement
		}
		if !agree(own, value, half) {
			m.Findings = append(m.Findings, Reason{TextJSONDiffer, SeverityError,
				fmt.Sprintf("%s: %v in the result file, %v in the printed block", name, own, value)})
		}
	}
	for label, value := range text.Extra {
		if _, has := m.Extra[label]; !has {
			if name, _, known := textMetric(label); known && repeats(m.Metrics, name) {
				continue // request_rate inf stands there under the JSON's key already
			}
			m.Extra[label] = value
		}
	}
	config := maps.Clone(text.Config)
	maps.Copy(config, m.Config)
	m.Config = config
	if m.Client == "" {
		m.Client = text.Client
	}
	m.Simulated = m.Simulated || text.Simulated
	m.complete()
	return m
}

func repeats(v *metric.Values, name string) bool {
	f, ok := v.Known(name)
	return ok && !finite(f)
}

// sameResult tells whether a printed block says what a result file's object says: some numbers
// in common, and none of them another one.
func sameResult(m, text *Measurement) bool {
	shared := 0
	for name, half := range text.halfUnit {
		own, has := m.Metrics.Known(name)
		if !has {
			continue
		}
		if !agree(own, text.Metrics.Value(name), half) {
			return false
		}
		shared++
	}
	return shared >= 3
}

// agree compares a number with its printed form, which is rounded to half a unit of its last
// digit. Whatever a float loses on the way is far below a billionth of it.
func agree(exact, printed, halfUnit float64) bool {
	if !finite(exact) || !finite(printed) {
		return math.IsNaN(exact) && math.IsNaN(printed) || exact == printed
	}
	return math.Abs(exact-printed) <= halfUnit+1e-9*math.Max(1, math.Abs(exact))
}
