package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"servematrix/matrix"
	"servematrix/metric"
)

// Statuses of a sample.
const (
	StatusOK      = "ok"      // measured and valid
	StatusInvalid = "invalid" // measured, but the validity gate refuses it
	StatusFailed  = "failed"  // not measured
	StatusSkipped = "skipped" // not tried
)

// Sample is one measurement of a cell: one line of results.jsonl, and the whole of an attempt's
// sample.json. In JSON all keys of the contract are always there, in this order, and null stands
// for what nobody knows: a zero Run, Cell, Block or Attempt, a nil pointer or map.
type Sample struct {
	// Run is the name of the run folder; "" for imported samples.
	Run string
	// Cell is the id of the cell; "" where the sample was measured outside any plan.
	Cell string
	// Block is the round over the plan, from 1; 0 when unknown.
	Block int
	// Attempt counts the tries at this cell in this block, from 1; 0 when unknown.
	Attempt int
	// Status is one of the Status constants.
	Status string
	// Failure says why a failed or skipped sample is that.
	Failure *Failure
	// Server is the server variant that was measured, Client the workload.
	Server, Client *Side
	// Metrics are the numbers under the contract's names; nil where nothing was measured.
	Metrics *metric.Values
	// Extra holds what has no contract name, as in Measurement.
	Extra map[string]any
	// Validity is the gate's verdict; nil where nothing was measured.
	Validity *Validity
	// Times gives each phase's begin by the phase's name.
	Times map[string]PhaseTime
	// Source is where an imported sample was read; nil, and no key in JSON, for any other.
	Source *Source
	// Simulated is true when the numbers come from the simulated server; then, and only then,
	// the JSON ends with "simulated": true.
	Simulated bool
}

// Source is a place in a file.
type Source struct {
	// File is the path as it was given to import, or that of a file below the folder that was given.
	File string `json:"file"`
	// Line is where the sample begins in it, from 1; 0 where it is the file as a whole.
	Line int `json:"line,omitempty"`
}

// Failure says why there is no measurement.
type Failure struct {
	// Class is one of the contract's failure classes: "oom", "client_failed" …
	Class string `json:"class"`
	// Phase is where it happened: preflight, start, ready, client or stop.
	Phase string `json:"phase"`
	// Message is one line, for people.
	Message string `json:"message"`
	// File is where the evidence is, relative to the run folder.
	File string `json:"file,omitempty"`
	// Line is its line there, from 1.
	Line int `json:"line,omitempty"`
	// Lines are the log lines that matter, the most telling first, redacted.
	Lines []LogLine `json:"lines,omitempty"`
	// Tail are the last lines of the log that shows it, redacted.
	Tail []string `json:"tail,omitempty"`
}

// LogLine is one line of a log.
type LogLine struct {
	// File is relative to the run folder.
	File string `json:"file"`
	// Line is its number, from 1.
	Line int `json:"line"`
	// Text is the line, without what would move a cursor.
	Text string `json:"text"`
}

// Side is the server variant or the workload of a sample.
type Side struct {
	// Name joins the value ids with "/", or is the name in the report that was imported.
	Name string
	// ID is the plan's identity; "" when unknown.
	ID string
	// Axes gives the value id of each axis, in declaration order; nil when unknown.
	Axes matrix.Axes
	// Argv is the command as executed, redacted; nil when unknown.
	Argv []string
	// Env is the explicit environment, redacted; nil when unknown.
	Env map[string]string
	// Replaced is the sweep's command where the embedded client ran in its place, LeftOut which of
	// its flags that one had not, and why. nil, and no keys in JSON, for any other.
	Replaced, LeftOut []string
	// Config is what the output of an imported result reveals of the configuration: the client's
	// Namespace(...) lines and the configuration keys of its JSON, and of the server what SGLang's
	// server_info says. Credentials are masked. nil, and no key in JSON, where nothing is revealed.
	Config map[string]any
}

// PhaseTime is when a phase began.
type PhaseTime struct {
	// Start is the wall clock's time, written as RFC 3339.
	Start time.Time `json:"start"`
	// Since is in seconds since the launch, by the monotonic clock.
	Since float64 `json:"since"`
}

// sideJSON and sampleJSON are the shapes in JSON, with a pointer where null can stand: for reading,
// and for the schema; AppendJSON writes them.
type sideJSON struct {
	Name *string           `json:"name"`
	ID   *string           `json:"id"`
	Axes *matrix.Axes      `json:"axes"`
	Argv []string          `json:"argv"`
	Env  map[string]string `json:"env"`

	Replaced []string `json:"replaced,omitempty"`
	LeftOut  []string `json:"left_out,omitempty"`

	Config map[string]any `json:"config,omitempty"`
}

type sampleJSON struct {
	Run       *string              `json:"run"`
	Cell      *string              `json:"cell"`
	Block     *int                 `json:"block"`
	Attempt   *int                 `json:"attempt"`
	Status    string               `json:"status"`
	Failure   *Failure             `json:"failure"`
	Server    *Side                `json:"server"`
	Client    *Side                `json:"client"`
	Metrics   *metric.Values       `json:"metrics"`
	Extra     map[string]any       `json:"extra"`
	Validity  *Validity            `json:"validity"`
	Times     map[string]PhaseTime `json:"times"`
	Source    *Source              `json:"source,omitempty"`
	Simulated bool                 `json:"simulated,omitempty"`
}

// sideIn is sideJSON on the way back.
type sideIn struct {
	sideJSON
	Config json.RawMessage `json:"config"`
}

// UnmarshalJSON is the way back.
func (s *Side) UnmarshalJSON(data []byte) error {
	var in sideIn
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	side, err := in.side()
	if err == nil {
		*s = *side
	}
	return err
}

func (in *sideIn) side() (*Side, error) {
	if in == nil {
		return nil, nil
	}
	s := &Side{Name: value(in.Name), ID: value(in.ID), Argv: in.Argv, Env: in.Env, Replaced: in.Replaced, LeftOut: in.LeftOut}
	if in.Axes != nil {
		s.Axes = *in.Axes
	}
	var err error
	s.Config, err = objectOf(in.Config)
	return s, err
}

// objectOf reads an object, or null as nil; whole numbers become int64.
func objectOf(data []byte) (map[string]any, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&object); err != nil || object == nil {
		return nil, err
	}
	object, _ = numbersIn(object).(map[string]any)
	return object, nil
}

// UnmarshalJSON is the way back. Whole numbers in extra come back as int64.
func (s *Sample) UnmarshalJSON(data []byte) error {
	in, err := parseSample(data)
	if err == nil {
		*s = *in
	}
	return err
}

// parseSample reads any sample. json.Unmarshal would look through the text once more for each
// value in it that reads itself, which takes longer than all else.
func parseSample(data []byte) (*Sample, error) {
	var in struct {
		sampleJSON
		// In place of those that read themselves, and of numbers that are to stay as they are.
		Server *sideIn         `json:"server"`
		Client *sideIn         `json:"client"`
		Extra  json.RawMessage `json:"extra"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	server, err1 := in.Server.side()
	client, err2 := in.Client.side()
	extra, err3 := objectOf(in.Extra)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	s := &Sample{
		Run: value(in.Run), Cell: value(in.Cell), Block: value(in.Block), Attempt: value(in.Attempt),
		Status: in.Status, Failure: in.Failure, Server: server, Client: client, Extra: extra,
		Metrics: in.Metrics, Validity: in.Validity, Times: in.Times, Source: in.Source, Simulated: in.Simulated,
	}
	return s, nil
}

// value gives the zero value for nil.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// numbersIn turns json.Number into int64 or float64.
func numbersIn(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case []any:
		for i := range v {
			v[i] = numbersIn(v[i])
		}
	case map[string]any:
		for key, inner := range v {
			v[key] = numbersIn(inner)
		}
	}
	return v
}
