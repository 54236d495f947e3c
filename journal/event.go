package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"servematrix/jsonwalk"
	"servematrix/result"
)

// Type says what happened.
type Type string

// The types of events, in the order in which a run produces them.
const (
	RunStarted       Type = "run.started"       // Session
	RunResumed       Type = "run.resumed"       // Session
	CellSkipped      Type = "cell.skipped"      // Skip
	LaunchStarted    Type = "launch.started"    // Launch
	LaunchRunning    Type = "launch.running"    // Running
	LaunchReady      Type = "launch.ready"      // Ready
	LaunchConfigured Type = "launch.configured" // Configured
	LaunchHolds      Type = "launch.holds"      // process.Holdings: what the server's tree holds besides its processes
	LaunchFailed     Type = "launch.failed"     // Failure
	CacheFlushed     Type = "cache.flushed"     // Flushed
	SampleStarted    Type = "sample.started"    // Sample
	ClientStarted    Type = "client.started"    // Running
	ClientExited     Type = "client.exited"     // Exited
	SampleEnded      Type = "sample.ended"      // Ended
	LaunchStopping   Type = "launch.stopping"   // Stopping
	LaunchEnded      Type = "launch.ended"      // Gone
	BlockEnded       Type = "block.ended"       // Look: only in a run that goes on by itself
	HookEnded        Type = "hook.ended"        // HookRun
	Warning          Type = "warning"           // Note
	RunInterrupted   Type = "run.interrupted"   // Note
	RunEnded         Type = "run.ended"         // Verdict
)

// Event is one line of events.jsonl.
type Event struct {
	Seq     int64           `json:"seq"`               // 1, 2, 3 … over the run's whole life
	Time    time.Time       `json:"time"`              // wall clock, UTC, RFC 3339
	Mono    float64         `json:"mono"`              // seconds since the session began, by the monotonic clock: the difference of two events of one session is exact
	Session int             `json:"session"`           // 1 for `run`, one more for each `resume`
	Type    Type            `json:"type"`              // one of the types below
	Launch  string          `json:"launch,omitempty"`  // the start of a server, a folder under `launches/`
	Cell    string          `json:"cell,omitempty"`    // id of the cell; the start of a server that serves several cells (`isolation: launch`) names none
	Block   int             `json:"block,omitempty"`   // the round, from 1
	Attempt int             `json:"attempt,omitempty"` // the try at this cell in this block, from 1
	Data    json.RawMessage `json:"data,omitempty"`    // what belongs to the type
}

// DamageError says that a line of a journal is no event though others stand
// behind it: not a crash did that.
type DamageError struct {
	Path string
	Line int // from 1
	Err  error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s:%d: not an event: %v", e.Path, e.Line, e.Err)
}
func (e *DamageError) Unwrap() error { return e.Err }

// Clone is the event with data of its own, to be kept.
func (e Event) Clone() Event {
	e.Data = bytes.Clone(e.Data)
	return e
}

// Decode reads the event's data as T, the struct that belongs to its type.
func Decode[T any](e Event) (T, error) {
	var v T
	if w, ok := any(&v).(jsonwalk.Walker); ok && jsonwalk.Read(e.Data, w) {
		return v, nil
	}
	v = *new(T)
	if err := json.Unmarshal(e.Data, &v); err != nil {
		return v, fmt.Errorf("event %d (%s): %w", e.Seq, e.Type, err)
	}
	return v, nil
}

// Session is the data of run.started and run.resumed.
type Session struct {
	Version   string   `json:"version"`         // of servematrix
	Process   Running  `json:"process"`         // the orchestrator
	Host      string   `json:"host"`            // host name
	Argv      []string `json:"argv"`            // how it was called
	Dir       string   `json:"dir"`             // working folder, the default dir of every command
	SweepPath string   `json:"sweep_path"`      // where the sweep was read
	Blocks    int      `json:"blocks"`          // rounds asked for
	Only      string   `json:"only,omitempty"`  // the expression of `--only`
	Cells     int      `json:"cells"`           // cells selected
	Seed      int      `json:"seed,omitempty"`  // that decides the order of a blocked run; sessions of older versions have none
	Until     *Until   `json:"until,omitempty"` // when the run is to end that goes on by itself
	// Plan is which plan of the run this session works on: 1 for the first, one more for each that
	// an edited sweep put in its place.
	Plan       int    `json:"plan,omitempty"`
	PlanSHA256 string `json:"plan_sha256,omitempty"` // digest of plan.json
}

// Until says how long a run goes on by itself, block after block.
type Until struct {
	Precision float64 `json:"precision"`                // that the primary metric of every cell shall have: half its 95 % interval, as a share of its mean
	Least     int     `json:"least_blocks"`             // before precision is looked at
	Most      int     `json:"most_blocks"`              // after which it ends
	Budget    float64 `json:"budget_seconds,omitempty"` // for all sessions together; 0: none
	Spent     float64 `json:"spent_seconds,omitempty"`  // of the budget, by the sessions before this one
}

// What a Look decides.
const (
	GoOn        = "go_on"        // another block is measured
	Reached     = "reached"      // the precision
	MostBlocks  = "most_blocks"  // are measured
	BudgetSpent = "budget"       // has no room for another block
	NothingLeft = "nothing_left" // no cell gives valid samples any more
)

// Look is the data of block.ended: how precisely the cells are known, and what follows.
type Look struct {
	Blocks     int     `json:"blocks"`                // that the run has from now on, the next one included where one follows
	Decision   string  `json:"decision"`              // `go_on`, `reached`, `most_blocks`, `budget` or `nothing_left`
	Message    string  `json:"message"`               // all of it in words
	Metric     string  `json:"metric"`                // the primary one
	Cells      int     `json:"cells,omitempty"`       // looked at; 0: it was too early for that
	Tight      int     `json:"tight,omitempty"`       // of these, known to the precision
	LeftOut    int     `json:"left_out,omitempty"`    // of these, without a valid sample in the last blocks
	Widest     float64 `json:"widest,omitempty"`      // the greatest half width, as a share of the mean
	WidestCell string  `json:"widest_cell,omitempty"` // id of its cell
	Seconds    float64 `json:"seconds,omitempty"`     // that the block took; absent where more than one session measured it
}

// Skip is the data of cell.skipped: a cell that will not be tried, and why.
type Skip struct {
	Failure Failure `json:"failure"` // of that launch
	Cause   string  `json:"cause"`   // launch whose failure is the reason
}

// Launch is the data of launch.started.
type Launch struct {
	Server    string            `json:"server"`              // id of the server variant
	Name      string            `json:"name"`                // its name
	Number    int               `json:"number"`              // which start of this variant in the run
	Argv      []string          `json:"argv"`                // as executed, redacted
	Env       map[string]string `json:"env"`                 // explicit and added, redacted
	Unset     []string          `json:"unset,omitempty"`     // variables taken out of the environment
	Dir       string            `json:"dir"`                 // working folder
	Port      int               `json:"port"`                // where it listens
	URL       string            `json:"url"`                 // its base URL
	Logs      []string          `json:"logs"`                // stdout and stderr, relative to the run folder
	Devices   string            `json:"devices,omitempty"`   // what late.devices was
	LatePort  int               `json:"late_port,omitempty"` // what late.port was, where that is not the port
	Simulated bool              `json:"simulated,omitempty"` // it is the embedded simulated server
}

// Running is the data of launch.running and client.started: a process, its
// identity proven by pid, start and boot together.
type Running struct {
	PID   int    `json:"pid"`   // process id
	SID   int    `json:"sid"`   // session id
	Start uint64 `json:"start"` // clock ticks since boot, /proc/PID/stat field 22
	Boot  string `json:"boot"`  // boot id
}

// Ready is the data of launch.ready.
type Ready struct {
	Line    string   `json:"line,omitempty"`    // the ready line, redacted
	File    string   `json:"file,omitempty"`    // relative to the run folder
	LineNo  int      `json:"line_no,omitempty"` // its place in the file
	By      []string `json:"by"`                // conditions in the order in which they were met
	Seconds float64  `json:"seconds"`           // since the start
}

// Configured is the data of launch.configured: what the server really ran with. It comes before
// launch.ended, when the server was asked and its file is there.
type Configured struct {
	File     string   `json:"file"`              // effective.json, relative to the run folder
	SHA256   string   `json:"sha256"`            // digest of that file
	Identity string   `json:"identity"`          // the same for starts that differ in nothing that counts
	Version  string   `json:"version,omitempty"` // of the engine
	Args     int      `json:"args"`              // how many arguments are known
	Changed  []Choice `json:"changed,omitempty"` // the first of what the engine chose by itself
}

// Choice is something that an engine set otherwise than asked, or by itself.
type Choice struct {
	Flag  string `json:"flag,omitempty"`  // the argument, where the engine names one
	Asked string `json:"asked,omitempty"` // in the command
	Is    string `json:"is,omitempty"`    // in force
	Said  string `json:"said,omitempty"`  // what the engine printed about it
	At    string `json:"at,omitempty"`    // where, such as "server.err:7"
}

// Failure says what went wrong: class and phase are those of docs/reference/results.md. It is a sample's, so
// that what failed a sample and what failed its launch are told alike.
type Failure = result.Failure

// LogLine is a line of a log that matters for a failure.
type LogLine = result.LogLine

// Flushed is the data of cache.flushed.
type Flushed struct {
	Request string  `json:"request"`         // such as "POST /flush_cache"
	Status  int     `json:"status"`          // of the answer
	Body    string  `json:"body"`            // of the answer
	OK      bool    `json:"ok"`              // the answer proves that the caches are empty
	Error   string  `json:"error,omitempty"` // why there was no answer
	Seconds float64 `json:"seconds"`         // that it took
}

// Sample is the data of sample.started.
type Sample struct {
	Folder string            `json:"folder"`           // relative to the run folder
	Client string            `json:"client"`           // id of the workload
	Name   string            `json:"name"`             // its name
	Warmup bool              `json:"warmup,omitempty"` // it is a warm-up, whose numbers are thrown away
	Argv   []string          `json:"argv"`             // as executed, redacted
	Env    map[string]string `json:"env"`              // explicit and added, redacted
}

// Exited is the data of client.exited.
type Exited struct {
	Code    int     `json:"code"`             // -1 when ended by a signal
	Signal  string  `json:"signal,omitempty"` // that ended it
	Why     string  `json:"why,omitempty"`    // the failure class for which we ended it
	Seconds float64 `json:"seconds"`          // since its start
}

// Ended is the data of sample.ended; the sample itself is sample.json in its folder.
type Ended struct {
	Status  string   `json:"status"`            // ok, invalid or failed
	Failure *Failure `json:"failure,omitempty"` // as in the sample
	Reasons []string `json:"reasons,omitempty"` // reasons of the validity gate, as in the sample
	SHA256  string   `json:"sha256"`            // of sample.json
	Final   bool     `json:"final"`             // no further attempt follows by itself
}

// Stopping is the data of launch.stopping.
type Stopping struct {
	Why string `json:"why"` // the reason, in words
}

// Gone is the data of launch.ended: how the server was stopped and what was left.
type Gone struct {
	Code      int             `json:"code"`              // exit code; -1 when ended by a signal
	Signal    string          `json:"signal,omitempty"`  // that ended it
	Orderly   bool            `json:"orderly"`           // this end is normal for the engine and came before the grace ran out
	Killed    bool            `json:"killed"`            // something needed SIGKILL
	Steps     json.RawMessage `json:"steps"`             // what was done and seen, in order
	Survivors int             `json:"survivors"`         // processes that outlived SIGKILL
	PortFree  bool            `json:"port_free"`         // nobody listens on its port
	Seconds   float64         `json:"seconds"`           // from the stop's begin to nothing left and port free
	Gate      float64         `json:"gate_seconds"`      // of these: from the last process gone to the host as before
	Retried   bool            `json:"retried,omitempty"` // it took a second try, behind a search for processes that had escaped
	Held      []Held          `json:"held,omitempty"`    // what the host did not get back: it is not clean, and the run ends
	Removed   []string        `json:"removed,omitempty"` // shared memory and sockets of the server that were left and taken away
	Devices   []DeviceLevel   `json:"devices,omitempty"` // that the server could use, where a tool tells of them
	Note      string          `json:"note,omitempty"`    // what else there is to say, in words
}

// Unseen tells whether something of the launch may live on that nobody could look for,
// be it because nothing tells of its end: the zero of *Gone.
func (g *Gone) Unseen() bool {
	return g == nil || slices.ContainsFunc(g.Held, func(h Held) bool { return h.What == HeldTree })
}

// DeviceLevel is how much memory of a device was in use around a launch.
type DeviceLevel struct {
	Tool   string `json:"tool"`         // that was asked, such as nvidia-smi
	Index  int    `json:"index"`        // the device's number, as in CUDA_VISIBLE_DEVICES
	ID     string `json:"id,omitempty"` // its UUID, or what the tool calls it
	Before uint64 `json:"before_bytes"` // while nothing of the run used it
	After  uint64 `json:"after_bytes"`  // when the gate was passed or given up
}

// What a Held can be.
const (
	HeldProcess = "process"
	HeldTree    = "tree" // nobody could look whether something of it is left
	HeldPort    = "port"
	HeldDevice  = "device_memory"
)

// Held is something that the host did not get back after a server's end.
type Held struct {
	What    string       `json:"what"`              // `process`, `tree` (nobody could look whether something of it is left), `port` or `device_memory`
	Name    string       `json:"name"`              // the process id (of a tree that of its leader), the port
	By      string       `json:"by,omitempty"`      // who holds it, for people
	Host    string       `json:"host,omitempty"`    // address of a port
	Inode   uint64       `json:"inode,omitempty"`   // of the socket, for a port besides the server's own
	Process *Running     `json:"process,omitempty"` // the process that it is, or that holds it, where that is known
	Device  *DeviceLevel `json:"device,omitempty"`  // memory of a device: the level that it did not reach again
	Boot    string       `json:"boot,omitempty"`    // boot in which that was: no level outlives it
}

// String is such as "port 8000 is held by pid 12 (python3 …), user me, on 0.0.0.0:8000".
func (h Held) String() string {
	switch h.What {
	case HeldProcess:
		return h.By + " outlived SIGKILL"
	case HeldTree:
		return fmt.Sprintf("what was started as pid %s may live on: %s", h.Name, h.By)
	case HeldDevice:
		return h.Name + " " + h.By
	}
	return fmt.Sprintf("%s %s is held by %s", h.What, h.Name, h.By)
}

// HookRun is the data of hook.ended.
type HookRun struct {
	Moment  string   `json:"moment"`           // the hook, as in the sweep
	Argv    []string `json:"argv"`             // as executed, redacted
	Code    int      `json:"code"`             // exit code
	Output  string   `json:"output,omitempty"` // its last lines, redacted
	File    string   `json:"file,omitempty"`   // all of it, relative to the run folder
	Seconds float64  `json:"seconds"`          // that it took
}

// Note is the data of warning and run.interrupted.
type Note struct {
	Message string `json:"message"` // what there is to know, in words
}

// Verdict is the data of run.ended.
type Verdict struct {
	ExitCode int `json:"exit_code"` // of the command
	OK       int `json:"ok"`        // cells and blocks, by the status of their last attempt
	Invalid  int `json:"invalid"`   // likewise
	Failed   int `json:"failed"`    // likewise
	Skipped  int `json:"skipped"`   // likewise
	Missing  int `json:"missing"`   // cells and blocks without an ended sample
}
