package engine

import (
	"regexp"
	"time"

	"servematrix/matrix"
)

// ServerProfile is what is known of a serving engine. The yaml tags are the
// keys of a profile document; profiles/sglang.yaml explains each.
type ServerProfile struct {
	Name      string       `yaml:"server"`    // its name, as in a sweep's `server: {profile: NAME}`
	Extends   string       `yaml:"extends"`   // the profile from which all keys but `match` come that are not given here; of `failure` both count, these first
	Match     []Match      `yaml:"match"`     // commands that mean this engine: the program's base name, for Python the module or script, then the words that follow; wrappers and `bash -c` are looked through
	Simulated bool         `yaml:"simulated"` // its numbers are no measurements and must be labelled
	Port      PortFlag     `yaml:"port"`      // flag with the port, its default, and where another flag decides that: `by: {flag, default, ports: {value: port}}`
	HostFlag  Flag         `yaml:"host"`      // flag with the address on which it listens, and its default
	TLS       string       `yaml:"tls"`       // flag that turns HTTP into HTTPS
	Repeats   []string     `yaml:"repeats"`   // flags that are meant to be given more than once; of others the last counts
	Ready     Ready        `yaml:"ready"`     // when it is up; `log` and `http` must both hold where both are given
	Stop      Stop         `yaml:"stop"`      // how it is told to end
	Exits     []Exit       `yaml:"exits"`     // ends that are in order after a stop, such as `code 0` or `signal 9 after TERM`
	Flush     *Flush       `yaml:"flush"`     // the request that empties its caches; 2xx, and a body that `expect` matches, means done
	Workers   *Regexp      `yaml:"workers"`   // command line of a process that must live as long as the server
	Served    *Regexp      `yaml:"served"`    // a log line that shows that requests are worked on
	Metrics   string       `yaml:"metrics"`   // path of Prometheus metrics
	Gauges    Gauges       `yaml:"gauges"`    // those among them that are kept while a client runs; of each list the first that is there
	Progress  *Regexp      `yaml:"progress"`  // a log line that shows how far the start is; its groups together are the state
	Failure   []Failure    `yaml:"failure"`   // what a log line means; the first pattern that matches anywhere in the log wins, `start_failed` last
	Hints     matrix.Hints `yaml:"hints"`     // what usually helps, by failure class: in English, in Chinese, and who says so
	Effective Effective    `yaml:"effective"` // where the engine tells what it really runs with
	Backend   string       `yaml:"backend"`   // the embedded client's `--backend` where a sweep gives none; without it `openai`
	Worth     []Worth      `yaml:"worth"`     // flags that are worth sweeping: `init` offers them for a pasted command
}

// Gauges are names of gauges among an engine's metrics; of each list the first that is there counts.
type Gauges struct {
	Running []string `yaml:"running_requests"` // requests in work
	Waiting []string `yaml:"waiting_requests"` // requests in the queue
	KVCache []string `yaml:"kv_cache_usage"`   // share of the KV cache that is in use, 0 to 1
}

// Any tells whether there is one.
func (g Gauges) Any() bool { return len(g.Running)+len(g.Waiting)+len(g.KVCache) > 0 }

// ClientProfile is what is known of a benchmark client. The yaml tags are the
// keys of a profile document; profiles/clients.yaml explains each.
type ClientProfile struct {
	Name     string          `yaml:"client"`   // its name, as in a sweep's `client: {profile: NAME}`
	Extends  string          `yaml:"extends"`  // as a server's
	Match    []Match         `yaml:"match"`    // as a server's
	Target   Target          `yaml:"target"`   // where it sends its requests
	Repeats  []string        `yaml:"repeats"`  // as a server's
	Result   Result          `yaml:"result"`   // how it is made to write its result into a file
	Layout   *Layout         `yaml:"layout"`   // how that file is read; without it a parser has to know its form
	Requests Requests        `yaml:"requests"` // how many requests are asked for
	Tokens   Tokens          `yaml:"tokens"`   // where the number of generated tokens is known exactly: what a flag says, for each request
	Promise  Promise         `yaml:"promised"` // metrics, by their names in results.jsonl, that each valid result has
	Progress *Regexp         `yaml:"progress"` // a progress line; group 1 is done, group 2 total
	Request  *Regexp         `yaml:"request"`  // a line that is printed once for each request that has ended
	Timeout  matrix.Duration `yaml:"timeout"`  // limit of the whole run of the client
	Silence  matrix.Duration `yaml:"silence"`  // it is ended when nothing gets on for so long
	Causes   []Regexp        `yaml:"causes"`   // lines of its output that name the cause of a failure, the most telling first
	Hints    matrix.Hints    `yaml:"hints"`    // as a server's
	Worth    []Worth         `yaml:"worth"`    // as a server's
}

// Worth is a flag that is worth sweeping.
type Worth struct {
	Flag   string   `yaml:"flag"`   // all its names, such as `--tp|--tp-size`; the first is offered
	Why    string   `yaml:"why"`    // what it decides, in a few words
	Values []string `yaml:"values"` // examples, which not every version or device takes; without any it is a switch
}

// Match recognises a command: its program (the base name, for Python the
// module or script) and the words that follow.
type Match struct {
	Command string      `yaml:"command"` // program and words
	When    []Condition `yaml:"when"`    // all must hold too
}

// Condition is a question about the flags of a command. Without Values and Not
// it holds when the flag is given; an absent flag counts as Default where one is set.
type Condition struct {
	Flag    string   `yaml:"flag"`    // that is asked about; without `values` and `not` it has to be given
	Values  []string `yaml:"values"`  // holds for one of these; numbers compare as numbers
	Not     []string `yaml:"not"`     // holds for a value that is none of these
	Default string   `yaml:"default"` // value of the flag where it is not given
}

// Flag is a flag with the value that its absence means.
type Flag struct {
	Flag    string `yaml:"flag"`    // the flag
	Default string `yaml:"default"` // what its absence means
}

// PortFlag is a port's flag with its default, which another flag can decide.
type PortFlag struct {
	Flag    string `yaml:"flag"`    // the flag
	Default string `yaml:"default"` // what its absence means
	By      *By    `yaml:"by"`      // another flag that decides the default
}

// By gives defaults by the value of another flag.
type By struct {
	Flag    string            `yaml:"flag"`    // that flag
	Default string            `yaml:"default"` // value of that flag when it is absent
	Ports   map[string]string `yaml:"ports"`   // its value → the port
}

// Ready says when a server is up, as matrix.Ready does.
type Ready struct {
	Log     *Regexp         `yaml:"log"`     // a line of its log, as a regular expression
	Quiet   []Condition     `yaml:"quiet"`   // when one holds the line is not printed, and not waited for
	HTTP    string          `yaml:"http"`    // path that answers 2xx
	TCP     bool            `yaml:"tcp"`     // its port accepts connections; counts only where nothing else is asked
	Timeout matrix.Duration `yaml:"timeout"` // from start to ready
	Silence matrix.Duration `yaml:"silence"` // longest stretch without a line of output
}

// Stop says how a server is told to end.
type Stop struct {
	Signal   string          `yaml:"signal"`   // the first signal, to the main process alone
	Grace    matrix.Duration `yaml:"grace"`    // time to end before its group is signalled and then killed
	Starting matrix.Duration `yaml:"starting"` // bounds the grace of a server that is not ready yet
	Linger   matrix.Duration `yaml:"linger"`   // how long children may take to end after their leader
}

// Flush is the request that empties a server's caches.
type Flush struct {
	Method string            `yaml:"method"` // of the request
	Path   string            `yaml:"path"`   // on the server
	Expect *Regexp           `yaml:"expect"` // what the body of the answer must hold
	Env    map[string]string `yaml:"env"`    // variables without which the server does not know the path
}

// Failure names the failure class of a log line.
type Failure struct {
	Class string  `yaml:"class"` // one of the failure classes
	Log   *Regexp `yaml:"log"`   // regular expression of the line
	Fatal bool    `yaml:"fatal"` // seen before ready: do not wait for the exit
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
	Log  Regexp `yaml:"log"`  // the line
}

// Target says where a client sends its requests.
type Target struct {
	URL  string   `yaml:"url"`  // flag with a whole base URL; it wins over host and port
	Path string   `yaml:"path"` // what follows the server's address in it
	Host Flag     `yaml:"host"` // flag with the address, and its default
	Port PortFlag `yaml:"port"` // flag with the port, as a server's
}

// Result says how a client is made to write its result into a file.
type Result struct {
	Add  [][]string `yaml:"add"`  // flags with their values; each is added unless the command has the flag
	File []string   `yaml:"file"` // flags whose values, joined as a path, name the file
}

// Requests says how many requests are asked for.
type Requests struct {
	Flag    string      `yaml:"flag"`    // with the number
	Default string      `yaml:"default"` // the number where the flag is not given
	Times   []Flag      `yaml:"times"`   // flags whose values multiply it
	Unless  []Condition `yaml:"unless"`  // when one holds the number is not known
	AtOnce  string      `yaml:"at_once"` // flag of how many may be under way at the same time
	Groups  Groups      `yaml:"groups"`  // of a data set that has a number of its own
}

// Groups says which flags decide how many requests there are where all of When hold: groups, and
// requests in each.
type Groups struct {
	When  []Condition `yaml:"when"`
	Flag  string      `yaml:"flag"`  // how many groups
	Each  string      `yaml:"each"`  // how many in each
	Turns string      `yaml:"turns"` // how often each asks; once where the flag is not given
}

// Tokens says where the number of generated tokens is known exactly: for each
// request, the value of Flag.
type Tokens struct {
	Flag    string      `yaml:"flag"`    // with the number
	Default string      `yaml:"default"` // the number where the flag is not given
	When    []Condition `yaml:"when"`    // all must hold
	Unless  []Condition `yaml:"unless"`  // none may hold
}

// Promise lists the metrics, by contract name, that each valid result has.
type Promise struct {
	Always []string            `yaml:"always"` // without a condition
	By     Flag                `yaml:"by"`     // flag with a list, with commas, of families of metrics
	Listed map[string][]string `yaml:"listed"` // family → its metrics
	Unless []PromiseUnless     `yaml:"unless"` // metrics that a flag takes away
	When   []PromiseUnless     `yaml:"when"`   // metrics that a result has only with a flag
	Never  []string            `yaml:"never"`  // metrics that every other client has and this one does not
}

// PromiseUnless lists metrics that a result has unless a flag says otherwise, or only with it.
type PromiseUnless struct {
	Flag    string   `yaml:"flag"`    // the flag
	Metrics []string `yaml:"metrics"` // the metrics
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
