package engine

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"servematrix/command"
	"servematrix/matrix"
)

// What holds where neither sweep nor profile says anything (DESIGN.md, contract).
const (
	readyTimeout  = 30 * time.Minute
	readySilence  = 15 * time.Minute
	stopSignal    = "TERM"
	stopGrace     = 60 * time.Second
	clientTimeout = 2 * time.Hour
	clientSilence = 10 * time.Minute
)

// byDefault is the origin of a value that neither sweep nor profile gave.
const byDefault = "default"

// Complete fills in what a plan leaves open, from the profile of each command:
// the one that the sweep names, else the one that recognises the command, else
// the generic one. What the sweep gives stays, and Origins tells where each
// value is from. It returns what is wrong with the commands, sorted by place.
func (c *Catalog) Complete(p *matrix.Plan) matrix.Problems {
	k := &completion{catalog: c, seen: map[string]bool{}, failure: map[*ServerProfile][]matrix.FailurePattern{}, fine: map[string]bool{},
		refused: map[*matrix.Client]bool{}, filled: map[*matrix.Client][]string{}}
	for _, s := range p.Servers {
		k.server(s)
	}
	k.reachable = !slices.ContainsFunc(p.Servers, func(s *matrix.Server) bool { return s.Port == "" })
	for _, cl := range p.Clients {
		if k.embed(cl); !k.refused[cl] {
			k.client(cl)
		}
	}
	k.backends(p)
	k.identities(p)
	k.targets(p)
	k.overwritten(p)
	k.hints(p)
	slices.SortStableFunc(k.problems, func(a, b matrix.Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Rule, b.Rule))
	})
	return k.problems
}

type completion struct {
	catalog   *Catalog
	problems  matrix.Problems
	seen      map[string]bool // problems reported: a thousand variants share one command line
	failure   map[*ServerProfile][]matrix.FailurePattern
	fine      map[string]bool             // regular expressions that compile
	changed   []*matrix.Client            // whose command is not the sweep's any more
	refused   map[*matrix.Client]bool     // in whose place the embedded client cannot run; nothing else is said of them
	filled    map[*matrix.Client][]string // flags that were filled in
	reachable bool                        // the ports of all servers are known
}

// report keeps a problem once for each place, rule and message.
func (k *completion) report(severity matrix.Severity, at matrix.Pos, rule, suggestion, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	key := at.String() + rule + message
	if !k.seen[key] {
		k.seen[key] = true
		k.problems = append(k.problems, matrix.Problem{Pos: at, Severity: severity, Rule: rule, Message: message, Suggestion: suggestion})
	}
}

// given tells whether the sweep itself set a value.
func given(v *matrix.Variant, key string) bool { return v.Origins[key] != "" }

// from notes where a value is from.
func from(v *matrix.Variant, key, origin string) {
	if v.Origins == nil {
		v.Origins = map[string]string{}
	}
	v.Origins[key] = origin
}

// fill sets an empty value that the sweep did not give, to the profile's, else
// to the default, and notes its origin.
func fill[T comparable](v *matrix.Variant, key string, value *T, profile string, ofProfile, fallback T) {
	var zero T
	switch {
	case given(v, key) || *value != zero:
	case ofProfile != zero:
		*value = ofProfile
		from(v, key, "profile "+profile)
	case fallback != zero:
		*value = fallback
		from(v, key, byDefault)
	}
}

// named finds the profile of a command: the one that the sweep names or that
// recognises it. pick gives the profile of a name, recognised that of a command.
func named[T any](k *completion, v *matrix.Variant, kind string, names []string, pick func(string) *T, recognised func([]string) *T, name func(*T) string) *T {
	if v.Profile != "" {
		if p := pick(v.Profile); p != nil {
			return p
		}
		k.report(matrix.Error, v.At, "unknown-profile", didYouMean(v.Profile, names), "no %s profile is called %q", kind, v.Profile)
		return pick(Generic)
	}
	p := recognised(v.Argv)
	origin := byDefault
	if p == nil {
		p = pick(Generic)
	} else {
		origin = "profile " + name(p)
	}
	v.Profile = name(p)
	from(v, "profile", origin)
	return p
}

// server completes a server variant.
func (k *completion) server(s *matrix.Server) {
	c := k.catalog
	v := &s.Variant
	p := named(k, v, "server", c.ServerNames(), c.server, c.recogniseServer, func(p *ServerProfile) string { return p.Name })
	a := arguments(v.Argv, p.Match)
	k.port(s, p, a)
	k.ready(s, p, a)
	fill(v, "stop.signal", &s.Stop.Signal, p.Name, p.Stop.Signal, stopSignal)
	fill(v, "stop.grace", &s.Stop.Grace, p.Name, p.Stop.Grace, matrix.Duration(stopGrace))
	k.failures(s, p)
	if s.Flush == nil && p.Flush != nil && !given(v, "flush") {
		s.Flush = &matrix.Flush{Method: p.Flush.Method, Path: p.Flush.Path}
		if p.Flush.Expect != nil {
			s.Flush.Expect = p.Flush.Expect.String()
		}
		from(v, "flush", "profile "+p.Name)
		if s.Isolation == "launch" {
			k.flushEnv(s, p.Flush)
		}
	}
}

// port fills in the port: the key, else the flag, else the profile's default.
func (k *completion) port(s *matrix.Server, p *ServerProfile, a command.Args) {
	v := &s.Variant
	flag, isFlag := p.Port.in(a)
	switch {
	case s.Port != "":
		if flag != "" && flag != s.Port && !isLate(flag) && !isLate(s.Port) {
			what := fmt.Sprintf("without %s the server listens on %s", p.Port.Flag, flag)
			if isFlag {
				what = fmt.Sprintf("the command says %s %s", p.Port.Flag, flag)
			}
			k.report(matrix.Warning, v.At, "port", fmt.Sprintf("%s %s", p.Port.Flag, s.Port), "port is %s, but %s", s.Port, what)
		}
		return
	case flag == "":
		return
	}
	s.Port = flag
	if isFlag {
		from(v, "port", fmt.Sprintf("%s:%d", v.At.File, v.At.Line)) // the command stands there
	} else {
		from(v, "port", "profile "+p.Name)
	}
	if n, err := strconv.Atoi(flag); !isLate(flag) && (err != nil || n < 1 || n > 65535) {
		k.report(matrix.Error, v.At, "port", "port: NUMBER beside the command, or ${{ late.port }} in it", "%s %s: cannot tell the port from that", p.Port.Flag, flag)
	}
}

// ready fills in the conditions of readiness.
func (k *completion) ready(s *matrix.Server, p *ServerProfile, a command.Args) {
	v := &s.Variant
	line := ""
	if p.Ready.Log != nil && !anyHolds(p.Ready.Quiet, a) {
		line = p.Ready.Log.String()
	}
	fill(v, "ready.log", &s.Ready.Log, p.Name, line, "")
	fill(v, "ready.http", &s.Ready.HTTP, p.Name, p.Ready.HTTP, "")
	if s.Ready.Log == "" && s.Ready.HTTP == "" && s.Port != "" {
		fill(v, "ready.tcp", &s.Ready.TCP, p.Name, p.Ready.TCP, false)
	}
	fill(v, "ready.timeout", &s.Ready.Timeout, p.Name, p.Ready.Timeout, matrix.Duration(readyTimeout))
	fill(v, "ready.silence", &s.Ready.Silence, p.Name, p.Ready.Silence, matrix.Duration(readySilence))
	if s.Port == "" && (s.Ready.HTTP != "" || s.Ready.TCP) {
		k.report(matrix.Error, v.At, "ready", "port: NUMBER", "ready asks for the server's port, which is not known")
	} else if s.Ready.Log == "" && s.Ready.HTTP == "" && !s.Ready.TCP {
		k.report(matrix.Error, v.At, "ready", "port: NUMBER, ready: {log: REGEX}, or profile: "+strings.Join(k.catalog.engines(), " | "),
			"nothing tells when this server is ready: no profile recognises its command")
	}
	k.expression(v, "ready.log", s.Ready.Log)
}

// expression reports a regular expression of the sweep that does not compile.
func (k *completion) expression(v *matrix.Variant, key, expr string) {
	if k.fine[expr] {
		return
	}
	if _, err := regexp.Compile(expr); err == nil {
		k.fine[expr] = true
	} else {
		k.report(matrix.Error, v.At, "regexp", "", "%s: %v", key, err)
	}
}

// failures puts the sweep's own patterns before the profile's.
func (k *completion) failures(s *matrix.Server, p *ServerProfile) {
	v := &s.Variant
	for _, f := range s.Failure {
		k.expression(v, "failure", f.Log)
	}
	shared, ok := k.failure[p]
	if !ok {
		for _, f := range p.Failure {
			shared = append(shared, matrix.FailurePattern{Class: f.Class, Log: f.Log.String(), Fatal: f.Fatal})
		}
		k.failure[p] = shared
	}
	if len(shared) == 0 {
		return
	}
	origin := "profile " + p.Name
	if len(s.Failure) > 0 {
		if own := v.Origins["failure"]; own != "" {
			origin = own + ", " + origin
		}
		s.Failure = append(slices.Clone(s.Failure), shared...)
	} else {
		s.Failure = shared // one list for all variants
	}
	from(v, "failure", origin)
}

// hints keeps with the plan what the profiles of its commands say against failures: a report is
// drawn from the run folder alone.
func (k *completion) hints(p *matrix.Plan) {
	p.Hints = map[string]matrix.Hints{}
	keep := func(name string, hints matrix.Hints) {
		if len(hints) > 0 {
			p.Hints[name] = hints
		}
	}
	for _, s := range p.Servers {
		keep(s.Profile, k.catalog.Server(s.Profile).Hints)
	}
	for _, c := range p.Clients {
		keep(c.Profile, k.catalog.Client(c.Profile).Hints)
	}
}

// flushEnv warns where the flush request exists only with some environment.
func (k *completion) flushEnv(s *matrix.Server, f *Flush) {
	for name, value := range f.Env {
		if s.Env[name] != "" || slices.ContainsFunc(s.Argv, func(w string) bool { return strings.Contains(w, name+"=") }) {
			continue
		}
		k.report(matrix.Warning, s.At, "flush", fmt.Sprintf("env: {%s: %q}", name, value),
			"isolation: launch empties the caches with %s %s, which this server answers only with %s=%s in its environment", f.Method, f.Path, name, value)
	}
}

// client completes a workload.
func (k *completion) client(cl *matrix.Client) {
	c := k.catalog
	v := &cl.Variant
	p := named(k, v, "client", c.ClientNames(), c.client, c.recogniseClient, func(p *ClientProfile) string { return p.Name })
	fill(v, "timeout", &v.Timeout, p.Name, p.Timeout, matrix.Duration(clientTimeout))
	fill(v, "silence", &cl.Silence, p.Name, p.Silence, matrix.Duration(clientSilence))
	k.ownFlags(v)
	a := arguments(v.Argv, p.Match)
	var missing []string
	for _, add := range p.Result.Add {
		if len(add) > 0 && !a.Has(p.Result.flag(add[0])) {
			missing = append(missing, add...)
		}
	}
	if len(missing) == 0 {
		return
	}
	if command.IsScript(v.Argv) {
		k.report(matrix.Warning, v.At, "result-file", "write "+strings.Join(missing, " ")+" after the client's command",
			"%s writes no result file here, and no flag can be added to a shell command: the numbers will be read from its text alone", p.Name)
		return
	}
	v.Added.Argv = append(v.Added.Argv, missing...)
	from(v, "added.argv", "profile "+p.Name)
}

// engines names the server profiles that a sweep can choose.
func (c *Catalog) engines() (names []string) {
	for _, p := range c.servers {
		if len(p.Match) > 0 && !p.Simulated {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return names
}
