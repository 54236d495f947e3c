package engine

import (
	"regexp"
	"time"

	"servematrix/matrix"
)

// ServerProfile is what is known of a serving engine. The yaml tags are the
// keys of a profile document; profiles/sglang.yaml explains each.
type ServerProfile struct {
	Name      string       `yaml:"server"`
	Extends   string       `yaml:"extends"`
	Match     []Match      `yaml:"match"`
	Simulated bool         `yaml:"simulated"` // its numbers are no measurements and must be labelled
	Port      PortFlag     `yaml:"port"`
	HostFlag  Flag         `yaml:"host"`
	TLS       string       `yaml:"tls"`     // flag that turns HTTP into HTTPS
	Repeats   []string     `yaml:"repeats"` // flags that are meant to be given more than once; of others the last counts
	Ready     Ready        `yaml:"ready"`
	Stop      Stop         `yaml:"stop"`
	Exits     []Exit       `yaml:"exits"` // ends that are in order after a stop
	Flush     *Flush       `yaml:"flush"`
	Workers   *Regexp      `yaml:"workers"`  // command line of a process that must live as long as the server
	Served    *Regexp      `yaml:"served"`   // a log line that shows that requests are worked on
	Metrics   string       `yaml:"metrics"`  // path of Prometheus metrics
	Progress  *Regexp      `yaml:"progress"` // a log line that shows how far the start is; its groups together are the state
	Failure   []Failure    `yaml:"failure"`  // most important first; start_failed last
	Hints     matrix.Hints `yaml:"hints"`    // what usually helps, by failure class
	Effective Effective    `yaml:"effective"`
}

// ClientProfile is what is known of a benchmark client. The yaml tags are the
// keys of a profile document; profiles/clients.yaml explains each.
type ClientProfile struct {
	Name     string          `yaml:"client"`
	Extends  string          `yaml:"extends"`
	Match    []Match         `yaml:"match"`
	Target   Target          `yaml:"target"`
	Repeats  []string        `yaml:"repeats"` // as a server's
	Result   Result          `yaml:"result"`
	Layout   *Layout         `yaml:"layout"` // how its result is read; nil: a parser knows its form
	Requests Requests        `yaml:"requests"`
	Tokens   Tokens          `yaml:"tokens"`
	Promise  Promise         `yaml:"promised"`
	Progress *Regexp         `yaml:"progress"` // a progress line; group 1 is done, group 2 total
	Request  *Regexp         `yaml:"request"`  // a line that is printed once for each request that has ended
	Timeout  matrix.Duration `yaml:"timeout"`
	Silence  matrix.Duration `yaml:"silence"`
	Causes   []Regexp        `yaml:"causes"` // lines of its output that name the cause of a failure, the most telling first
	Hints    matrix.Hints    `yaml:"hints"`  // what usually helps, by failure class
}

// Match recognises a command: its program (the base name, for Python the
// module or script) and the words that follow.
type Match struct {
	Command string      `yaml:"command"`
	When    []Condition `yaml:"when"` // all must hold too
}

// Condition is a question about the flags of a command. Without Values and Not
// it holds when the flag is given; an absent flag counts as Default where one is set.
type Condition struct {
	Flag    string   `yaml:"flag"`
	Values  []string `yaml:"values"` // holds for one of these; numbers compare as numbers
	Not     []string `yaml:"not"`    // holds for a value that is none of these
	Default string   `yaml:"default"`
}

// Flag is a flag with the value that its absence means.
type Flag struct {
	Flag    string `yaml:"flag"`
	Default string `yaml:"default"`
}

// PortFlag is a port's flag with its default, which another flag can decide.
type PortFlag struct {
	Flag    string `yaml:"flag"`
	Default string `yaml:"default"`
	By      *By    `yaml:"by"`
}

// By gives defaults by the value of another flag.
type By struct {
	Flag    string            `yaml:"flag"`
	Default string            `yaml:"default"` // value of that flag when it is absent
	Ports   map[string]string `yaml:"ports"`
}

// Ready says when a server is up, as matrix.Ready does.
type Ready struct {
	Log     *Regexp         `yaml:"log"`
	Quiet   []Condition     `yaml:"quiet"` // when one holds the line is not printed, and not waited for
	HTTP    string          `yaml:"http"`
	TCP     bool            `yaml:"tcp"` // only where nothing else is asked
	Timeout matrix.Duration `yaml:"timeout"`
	Silence matrix.Duration `yaml:"silence"`
}

// Stop says how a server is told to end.
type Stop struct {
	Signal   string          `yaml:"signal"`
	Grace    matrix.Duration `yaml:"grace"`
	Starting matrix.Duration `yaml:"starting"` // bounds the grace of a server that is not ready yet
	Linger   matrix.Duration `yaml:"linger"`   // how long children may take to end after their leader
}

// Flush is the request that empties a server's caches.
type Flush struct {
	Method string            `yaml:"method"`
	Path   string            `yaml:"path"`
	Expect *Regexp           `yaml:"expect"`
	Env    map[string]string `yaml:"env"` // the server needs these, or the request does not exist
}

// Failure names the failure class of a log line.
type Failure struct {
	Class string  `yaml:"class"`
	Log   *Regexp `yaml:"log"`
	Fatal bool    `yaml:"fatal"`
}

// Effective says where an engine tells what it really runs with; package effective reads it.
type Effective struct {
	Args        []Regexp          `yaml:"args"`         // log lines with arguments as Python prints them, in group 1
	Version     []Regexp          `yaml:"version"`      // log lines with the engine's version in group 1
	Changed     []Changed         `yaml:"changed"`      // log lines of choices that the engine made by itself; the first that matches counts
	Info        [][]string        `yaml:"info"`         // paths that answer with JSON; of each list the first that answers
	VersionKeys []string          `yaml:"version_keys"` // keys of such an answer that hold the version
	Names       map[string]string `yaml:"names"`        // flag, less its hyphens → the argument that it sets
	Varies      []string          `yaml:"varies"`       // arguments and keys, or shell patterns of them, that differ between starts of one command
	Env         []string          `yaml:"env"`          // variables, or patterns of them, that an engine listens to
}

// Changed is a line by which an engine says what it decided; its first group, else the match, is what is quoted.
type Changed struct {
	Flag string `yaml:"flag"` // the argument that it is about, where one is
	Log  Regexp `yaml:"log"`
}

// Target says where a client sends its requests.
type Target struct {
	URL  string   `yaml:"url"`  // flag with a whole base URL; it wins over host and port
	Path string   `yaml:"path"` // what follows the server's address in it
	Host Flag     `yaml:"host"`
	Port PortFlag `yaml:"port"`
}

// Result says how a client is made to write its result into a file.
type Result struct {
	Add  [][]string `yaml:"add"`  // flags with their values; each is added unless the command has the flag
	File []string   `yaml:"file"` // flags whose values, joined as a path, name the file
}

// Requests says how many requests are asked for.
type Requests struct {
	Flag    string      `yaml:"flag"`
	Default string      `yaml:"default"`
	Times   []Flag      `yaml:"times"`   // flags whose values multiply it
	Unless  []Condition `yaml:"unless"`  // when one holds the number is not known
	AtOnce  string      `yaml:"at_once"` // flag of how many may be under way at the same time
}

// Tokens says where the number of generated tokens is known exactly: for each
// request, the value of Flag.
type Tokens struct {
	Flag    string      `yaml:"flag"`
	Default string      `yaml:"default"`
	When    []Condition `yaml:"when"`   // all must hold
	Unless  []Condition `yaml:"unless"` // none may hold
}

// Promise lists the metrics, by contract name, that each valid result has.
type Promise struct {
	Always []string            `yaml:"always"`
	By     Flag                `yaml:"by"`     // flag with a comma-separated list of families
	Listed map[string][]string `yaml:"listed"` // family → its metrics
	Unless []PromiseUnless     `yaml:"unless"`
	When   []PromiseUnless     `yaml:"when"`  // metrics that a result has only with a flag
	Never  []string            `yaml:"never"` // metrics that every other client has and this one does not
}

// PromiseUnless lists metrics that a result has unless a flag says otherwise, or only with it.
type PromiseUnless struct {
	Flag    string   `yaml:"flag"`
	Metrics []string `yaml:"metrics"`
}

// Regexp is a regular expression in a profile.
type Regexp struct{ *regexp.Regexp }

// UnmarshalText compiles the expression.
func (r *Regexp) UnmarshalText(b []byte) (err error) {
	r.Regexp, err = regexp.Compile(string(b))
	return err
}

// Expression is the compiled expression, nil for a key that is not given.
func (r *Regexp) Expression() *regexp.Regexp {
	if r == nil {
		return nil
	}
	return r.Regexp
}

// Linger is how long a server's children may take to end after their leader.
func (p *ServerProfile) Linger() time.Duration { return time.Duration(p.Stop.Linger) }

// Starting bounds the grace of a server that is stopped before it is ready; 0: the grace is as ever.
func (p *ServerProfile) Starting() time.Duration { return time.Duration(p.Stop.Starting) }
