package page

import "time"

// Data is everything that a page says of a run. Texts are plain text: whatever stands in them is
// shown as it is. Numbers that are not finite are unknown.
type Data struct {
	Lang  string // "en" or "zh": in which the page opens
	Name  string // of the sweep
	Run   string // name of the run folder
	State State
	Span  Span

	// Imported is set where nothing was run: then Span is when the results were imported.
	Imported *Import

	Counts  Counts
	Several bool   // cells are measured in several blocks
	Retried int    // attempts that another attempt replaced
	Why     string // what befell these
	Gate    string // the validity gate: "normal" or "strict"
	Exit    int    // exit code of a run that has ended

	Simulated bool // numbers come from the simulated server
	Smoke     int  // requests at most of each client of a smoke run; 0: it is none

	Gaps     []Text // what of the run folder is missing or cannot be read
	Warnings []Text // of the run
	Troubles []Trouble
	Doubts   []Trouble // findings against valid results

	Metrics []Metric // of every cell, in this order
	Primary int      // index of the one that the sweep judges by
	Axes    []Axis
	Cells   []Cell

	Comparisons []Comparison // what can be chosen as a baseline; the first is shown
	NoCompare   Text         // why there is none

	Phases    []Phase
	Telemetry []Panel

	Servers Differences

	Replaced     []Replaced // workloads in which the embedded client ran in the place of another
	ReplacedMore int        // that are not among them
}

// Text is a sentence in both languages of a page.
type Text struct {
	EN string `json:"en"`
	ZH string `json:"zh"`
}

// State says how far a run has come.
type State string

// The states of a run.
const (
	Empty   State = "empty"   // nothing was started
	Running State = "running" // it has not ended, and may go on
	Crashed State = "crashed" // it ended without its last event: servematrix was killed, or its host was
	Holed   State = "holed"   // its journal is damaged: not all that was can be known
	Halted  State = "halted"  // it ended before everything was measured
	Ended   State = "ended"
)

// Span is when a run was.
type Span struct {
	Began, Last time.Time
	Took        time.Duration
	Sessions    int
}

// Import says where results come from that were measured elsewhere.
type Import struct {
	Files string // the first ones
	More  int    // files that are not named
}

// Counts are cells and blocks by what became of their last attempt.
type Counts struct{ OK, Invalid, Failed, Skipped, Interrupted, Missing, Former int }

// Total is how many there are that the sweep asks for.
func (c Counts) Total() int {
	return c.OK + c.Invalid + c.Failed + c.Skipped + c.Interrupted + c.Missing
}

// Metric is a column of numbers.
type Metric struct {
	Name   string // such as "p99_ttft_ms"
	Label  Text   // short, with its unit, and for tok/s what it counts
	Title  string // in English, without its unit
	Unit   string
	Better int // 1: higher is better, -1: lower is, 0: neither
}

// Axis is one axis of the sweep with the values that its cells have.
type Axis struct {
	Name   string
	Server bool // of the servers; else of the clients
	Values []string
}

// Cell is a server variant under a workload.
type Cell struct {
	ID             string
	Server, Client string // names
	Values         []int  // of each of Data.Axes the index of its value, -1 where it has none
	Status         string // the gravest of its blocks: failed, invalid, skipped, interrupted, missing, ok
	Starts, Blocks int    // valid server starts, and rows that the sweep asks for
	Note           Text
	Numbers        []Estimate // of each of Data.Metrics
	Load           Load
	Flags          []Flag   // of its client's command, each once; cells of one client can share them
	PerUser        Estimate // output tok/s of a user: of each start 1000 / mean TPOT in ms; N is 0 where nobody knows
	Devices        int      // accelerators that its server works with; 0: not known for sure
}

// Load is what a client asked of the server; a number that nobody knows is NaN.
type Load struct{ Concurrency, Rate float64 }

// Flag is one of a command with what was given to it; what was given to none has no name.
type Flag struct{ Name, Value string }

// Estimate is a mean over server starts with its interval; of a lone start Low and High are NaN,
// of none also Mean.
type Estimate struct {
	Mean, Low, High float64
	N               int
}

// Trouble is what befell some cells in the same way.
type Trouble struct {
	Class, Phase string // Class is a failure class or the codes of validity reasons
	Title        Text   // the class in words
	Message      Text
	Place        string   // where the log is: file and line, in the run folder
	Lines        []string // of the log, those that matter
	Hint         Text     // what usually helps
	Source       string   // where the hint is from
	Command      string   // to try by hand
	Rows         []Hit
}

// Hit is one cell and block that had a trouble.
type Hit struct {
	Cell   int // index in Data.Cells, -1 for one that the sweep no longer has
	Name   string
	Block  int
	Status string
	Log    string // folder or file, in the run folder
}

// Comparison sets the arms of an axis against one baseline.
type Comparison struct {
	Baseline string // such as "backend=triton"
	Axis     int    // index in Data.Axes
	PairedOn string
	Metrics  []int // of Data.Metrics; the first is the one that is judged
	// MinEffect is the smallest difference that matters, a share.
	MinEffect float64
	Arms      []Arm
	Pairs     []Pair
	Left      int // pairs that are not listed
	Notes     []Text
}

// Arm is what is known of one arm against the baseline.
type Arm struct {
	Name        string
	Clean       bool
	Why         []Text
	Differences [][3]Text // what, in the baseline, in the arm
	Verdicts    Verdicts
}

// Verdicts count the pairs by verdict.
type Verdicts struct{ Better, Worse, Equivalent, Inconclusive int }

// Add counts a verdict.
func (v *Verdicts) Add(verdict string) {
	switch verdict {
	case "better":
		v.Better++
	case "worse":
		v.Worse++
	case "equivalent":
		v.Equivalent++
	default:
		v.Inconclusive++
	}
}

// Pair is a cell of the baseline and its counterpart in an arm.
type Pair struct {
	Cell     string // what both have in common
	Arm      string
	Cells    [2]int // of the baseline and of the arm, indexes in Data.Cells; -1 unknown
	Starts   string
	Verdict  string // better, worse, equivalent or inconclusive
	Why      Text   // what is missing for a verdict
	Compared []Compared
}

// Compared is one metric of a pair; Ratio is arm / baseline.
type Compared struct {
	Baseline, Arm    Estimate
	Ratio, Low, High float64
	Verdict          string
}

// Phase is a stretch of time of a launch.
type Phase struct {
	Launch   string
	Cell     int    // index in Data.Cells; -1 for what belongs to all cells of a launch
	Name     string // start, ready, client, stop
	From, To float64
	Failed   bool
	Open     bool // it had not ended when the data was made
}

// Panel is one telemetry chart: series on the run's clock.
type Panel struct {
	Title  Text
	Unit   string
	Series []Series
}

// Series is a line of a panel, already thinned out: at most 2000 points.
type Series struct {
	Name string
	X, Y []float64
}

// Differences are what server variants really ran with, only that in which they differ.
type Differences struct {
	Rows  []Difference
	Notes []Text
}

// Difference is one argument, version or variable with who has which value.
type Difference struct {
	What   string
	Values []Holder
}

// Replaced is a workload in which the embedded client ran in the place of a command.
type Replaced struct {
	Client, Command string
	LeftOut         []string // which of its flags were, and why
	More            int      // that are not among them
}

// Holder is a value and the server variants that have it.
type Holder struct{ Value, Servers string }
