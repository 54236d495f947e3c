package matrix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Plan is the frozen expansion of a sweep: every server variant, every
// workload and every cell (variant × workload) in the order in which they run.
// Its JSON is plan.json, documented in docs/reference/results.md.
type Plan struct {
	Schema   int       `json:"schema"`   // layout of this document; 1
	Name     string    `json:"name"`     // the sweep's name
	Servers  []*Server `json:"servers"`  // server variants, in plan order
	Clients  []*Client `json:"clients"`  // workloads, in plan order
	Cells    []Cell    `json:"cells"`    // in plan order: by server, then by client
	Dropped  []Dropped `json:"dropped"`  // rows that a rule took out, with the rule
	Launches int       `json:"launches"` // server starts that the whole run needs, blocks included
	Run      Run       `json:"run"`
	Compare  Compare   `json:"compare"`
	Validity string    `json:"validity"` // "normal" or "strict"
	Secrets  []string  `json:"secrets"`  // further names whose values are secret
	Profiles []string  `json:"profiles"` // profile files that the sweep adds
	Hooks    Hooks     `json:"hooks"`
	Lang     string    `json:"lang"`               // language of the text report: "en" or "zh"
	Smoke    *SmokeRun `json:"smoke,omitempty"`    // only in the plan of a smoke run
	Imported *Imported `json:"imported,omitempty"` // only in the plan of an import

	// Hints says what usually helps, by the name of a profile that the plan's commands have.
	Hints map[string]Hints `json:"hints,omitempty"`

	// Literals holds the secret literals that the sweep spells out, by the
	// name of their ${{ secret.NAME }} placeholder. They are never written.
	Literals map[string]string `json:"-"`
}

// NeedsLiterals tells whether a command of the plan holds the placeholder of a
// secret literal, so that it cannot run before Literals is filled.
func (p *Plan) NeedsLiterals() bool {
	for _, s := range p.Servers {
		if s.needsLiterals() {
			return true
		}
	}
	for _, c := range p.Clients {
		if c.needsLiterals() {
			return true
		}
	}
	for _, h := range p.Hooks {
		if slices.ContainsFunc(h.Argv, isLiteral) {
			return true
		}
	}
	return false
}

func (v *Variant) needsLiterals() bool {
	for _, value := range v.Env {
		if isLiteral(value) {
			return true
		}
	}
	return slices.ContainsFunc(v.Argv, isLiteral)
}

func isLiteral(template string) bool {
	return strings.Contains(template, "${{ secret.") || strings.Contains(template, "${{ quote(secret.")
}

// Variant is what a server variant and a workload have in common: one fully
// resolved command. Argv and Env are templates of the run time: they can hold
// ${{ late.port }}, ${{ late.dir }}, ${{ late.devices }}, ${{ late.seed }},
// ${{ server.url }}, ${{ server.port }}, ${{ env.NAME }} for a variable with a secret
// name, and ${{ secret.NAME }} for a secret literal; in a shell script those whose
// value could mean something to a shell stand as ${{ quote(NAME) }}. A literal ${{ is
// written $${{. Fill puts the values in.
type Variant struct {
	ID   string   `json:"id"`   // slug and 12 hex digits of the identity's SHA-256
	Name string   `json:"name"` // value ids joined with "/", or "default"
	Axes Axes     `json:"axes"` // axis → value id, in declaration order
	Argv []string `json:"argv"` // the user's command, resolved
	// Replaced is the sweep's command where the embedded client runs in its place, and LeftOut
	// says which of its flags are not in Argv.
	Replaced []string          `json:"replaced,omitempty"`
	LeftOut  []string          `json:"left_out,omitempty"`
	Env      map[string]string `json:"env"` // the user's explicit environment, resolved
	Unset    []string          `json:"unset,omitempty"`
	Added    Added             `json:"added"`           // what profile or tool adds; no part of the identity
	Shell    bool              `json:"shell,omitempty"` // Argv is bash -c SCRIPT, from the shell key
	Dir      string            `json:"dir,omitempty"`   // working folder; empty: the folder where run was started
	Files    []File            `json:"files,omitempty"` // listed files with their digests
	Profile  string            `json:"profile"`         // engine or client profile; the user's choice, else filled by engine
	Timeout  Duration          `json:"timeout"`         // limit of the whole process, 0: none
	Parts    map[string]string `json:"parts"`           // identity digests by component: argv, env, files, seed
	Origins  map[string]string `json:"origins"`         // setting (such as "ready.log") → "sweep.yaml:12", "profile sglang" or "default"
	At       Pos               `json:"at"`              // where the command stands in the sweep
}

// Server is a server variant.
type Server struct {
	Variant
	Port      string           `json:"port"` // a number, "${{ late.port }}", or "" until engine fills it
	Ready     Ready            `json:"ready"`
	Stop      Stop             `json:"stop"`
	Failure   []FailurePattern `json:"failure,omitempty"` // most important first
	Flush     *Flush           `json:"flush,omitempty"`
	Isolation string           `json:"isolation"` // "cell" or "launch"
}

// Client is a workload.
type Client struct {
	Variant
	Silence Duration `json:"silence"` // ended when it prints nothing for so long; 0: never
	Warmup  int      `json:"warmup"`  // discarded runs of the client before the one that counts
}

// Ready says when a server counts as ready. A zero field means "not asked".
type Ready struct {
	Log     string   `json:"log,omitempty"`  // regular expression of a log line
	HTTP    string   `json:"http,omitempty"` // path that must answer 2xx
	TCP     bool     `json:"tcp,omitempty"`  // the port must accept a connection
	Timeout Duration `json:"timeout"`        // from start to ready
	Silence Duration `json:"silence"`        // longest stretch without output before ready
}

// Stop says how a server is told to end.
type Stop struct {
	Signal string   `json:"signal"` // such as "TERM", sent to the main process
	Grace  Duration `json:"grace"`  // until the group is signalled, then killed
}

// FailurePattern names the failure class of a log line.
type FailurePattern struct {
	Class string `json:"class"`
	Log   string `json:"log"`             // regular expression
	Fatal bool   `json:"fatal,omitempty"` // seen before ready: do not wait for the process to exit
}

// Flush is the HTTP request that empties a server's caches between the cells of one launch.
type Flush struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Expect string `json:"expect,omitempty"` // regular expression that the answer's body must match; the status must be 2xx too
}

// Cell is one server variant under one workload.
type Cell struct {
	ID     string `json:"id"`
	Server string `json:"server"` // Server.ID
	Client string `json:"client"` // Client.ID
}

// Dropped is a combination that a rule removed.
type Dropped struct {
	Axes Axes   `json:"axes"`
	Rule string `json:"rule"` // the rule and its reason (why)
	At   Pos    `json:"at"`
}

// Added is what profile and tool add to a command.
type Added struct {
	Argv []string          `json:"argv"`
	Env  map[string]string `json:"env"`
}

// File is a listed input file; its digest is part of the identity.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Run is the sweep's run key.
type Run struct {
	Blocks         int      `json:"blocks"`
	Order          string   `json:"order"` // "grouped" or "blocked"
	Seed           int      `json:"seed"`  // of a blocked order; 0: drawn when the run is made
	Retries        int      `json:"retries"`
	OnFailure      string   `json:"on_failure"`         // "continue" or "stop"
	OnStartFailure string   `json:"on_start_failure"`   // "skip", "continue" or "stop"
	OnForeign      string   `json:"on_foreign_process"` // "warn" or "stop"; plans of older versions have none, which is "warn"
	Cooldown       Duration `json:"cooldown"`
	MaxCells       int      `json:"max_cells"`
	LogLimit       Size     `json:"log_limit"` // bytes on disk that one log file may take; 0: any number
	// Telemetry is how often is looked while a client runs; plans of older versions have none, which is DefaultTelemetry.
	Telemetry *Telemetry `json:"telemetry,omitempty"`
}

// Telemetry is the time between two looks at each source; 0: none.
type Telemetry struct {
	Host    Duration `json:"host"`
	Devices Duration `json:"devices"`
	Engine  Duration `json:"engine"`
}

// DefaultTelemetry disturbs no measurement that is known: see docs/performance.md. Devices are
// looked at seldom, for each look starts a program and asks the driver.
func DefaultTelemetry() *Telemetry {
	return &Telemetry{Host: Duration(2 * time.Second), Devices: Duration(time.Minute), Engine: Duration(10 * time.Second)}
}

// Compare is the sweep's compare key.
type Compare struct {
	Primary   string  `json:"primary"`
	MinEffect float64 `json:"min_effect"` // as a fraction: 2% is 0.02
}

// Hooks are commands around the run, by moment: before_run, before_launch, after_cell, after_run, on_failure.
type Hooks map[string]Hook

// Hook is one command.
type Hook struct {
	Argv    []string `json:"argv"`
	Timeout Duration `json:"timeout"`
	OnError string   `json:"on_error"` // "continue" or "stop"
	At      Pos      `json:"at"`       // where the command stands in the sweep
}

// Axes maps axis names to value ids and keeps their order.
type Axes []Axis

// Axis is one axis and the id of its value.
type Axis struct{ Name, Value string }

// Get gives the value id of an axis.
func (a Axes) Get(name string) (string, bool) {
	for _, x := range a {
		if x.Name == name {
			return x.Value, true
		}
	}
	return "", false
}

// MarshalJSON writes the axes as one object, in order.
func (a Axes) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range a {
		if i > 0 {
			b.WriteByte(',')
		}
		k, err := json.Marshal(x.Name)
		if err != nil {
			return nil, err
		}
		v, err := json.Marshal(x.Value)
		if err != nil {
			return nil, err
		}
		b.Write(k)
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads one object of strings and keeps its order.
func (a *Axes) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("axes: want an object, got %v (%v)", t, err)
	}
	out := Axes{}
	for dec.More() {
		k, err := dec.Token()
		if err != nil {
			return err
		}
		var v string
		if err := dec.Decode(&v); err != nil {
			return fmt.Errorf("axes: %v: %w", k, err)
		}
		out = append(out, Axis{k.(string), v})
	}
	*a = out
	return nil
}

// Duration is a time.Duration written as text, such as "30m0s", in JSON.
type Duration time.Duration

// MarshalText writes the duration as time.Duration does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what time.ParseDuration takes.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = Duration(v)
	return err
}

// String writes the duration as time.Duration does.
func (d Duration) String() string { return time.Duration(d).String() }

// Pos is a place in the sweep file; both count from 1, columns in characters.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

// String writes file:line:col.
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }
