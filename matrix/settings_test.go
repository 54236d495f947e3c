package matrix

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const everything = `version: 1
name: every-key
vars: {wait: 30m}
secrets: [MY_*]
profiles: [my.yaml]
run: {blocks: 3, order: blocked, seed: 17, retries: 2, on_failure: stop, on_start_failure: continue, on_foreign_process: stop, cooldown: 10s, telemetry: {host: 5s, devices: 0s, engine: 30s}, max_cells: 50, log_limit: 512MiB}
compare: {primary: p99_ttft_ms, min_effect: 1.5%}
validity: strict
report: {lang: zh}
hooks:
  before_run: {command: nvidia-smi -pm 1, timeout: 5s, on_error: stop}
  after_run: {command: [echo, done]}
server:
  axes: {tp: [4, 8]}
  timeout: 10h
  profile: sglang
  dir: /srv/${{ tp }}
  port: ${{ 30000 + tp }}
  isolation: launch
  ready: {log: 'fired \w+', http: /health, tcp: true, timeout: "${{ vars.wait }}", silence: "${{ tp * 2 }}m"}
  stop: {signal: SIGINT, grace: 90s}
  failure:
    - {class: oom, log: 'out of memory', fatal: true}
    - {class: npu, log: 'EZ9999 ${{ tp }}'}
  flush: {path: /flush_cache, expect: '"success"'}
  env: {A: 1}
  command: run ${{ tp }}
client:
  silence: 90s
  warmup: 2
  timeout: 1h
  command: bench
`

func TestEverySetting(t *testing.T) {
	p, problems := plan(t, everything)
	if len(problems) > 0 {
		t.Error(problems)
	}
	min := func(n int) Duration { return Duration(time.Duration(n) * time.Minute) }
	s := p.Servers[1]
	got := Server{Port: s.Port, Ready: s.Ready, Stop: s.Stop, Failure: s.Failure, Flush: s.Flush, Isolation: s.Isolation,
		Variant: Variant{Dir: s.Dir, Profile: s.Profile, Timeout: s.Timeout}}
	want := Server{Port: "30008", Ready: Ready{Log: `fired \w+`, HTTP: "/health", TCP: true, Timeout: min(30), Silence: min(16)},
		Stop:    Stop{Signal: "INT", Grace: Duration(90 * time.Second)},
		Failure: []FailurePattern{{"oom", "out of memory", true}, {"npu", "EZ9999 8", false}},
		Flush:   &Flush{"POST", "/flush_cache", `"success"`}, Isolation: "launch",
		Variant: Variant{Dir: "/srv/8", Profile: "sglang", Timeout: min(600)}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if f := p.Servers[0].Failure[1].Log; f != "EZ9999 4" {
		t.Errorf("variants share their failure patterns: %s", f)
	}
	origins := map[string]string{"timeout": "sweep.yaml:15", "profile": "sweep.yaml:16", "dir": "sweep.yaml:17", "port": "sweep.yaml:18", "isolation": "sweep.yaml:19",
		"ready.log": "sweep.yaml:20", "ready.http": "sweep.yaml:20", "ready.tcp": "sweep.yaml:20", "ready.timeout": "sweep.yaml:20", "ready.silence": "sweep.yaml:20",
		"stop.signal": "sweep.yaml:21", "stop.grace": "sweep.yaml:21", "failure": "sweep.yaml:22", "flush": "sweep.yaml:25", "env": "sweep.yaml:26", "env.A": "sweep.yaml:26", "command": "sweep.yaml:27"}
	if d := cmp.Diff(origins, s.Origins); d != "" {
		t.Error(d)
	}
	c := p.Clients[0]
	if c.Silence != Duration(90*time.Second) || c.Warmup != 2 || c.Timeout != min(60) {
		t.Errorf("%+v", c)
	}
	if d := cmp.Diff(Run{3, "blocked", 17, 2, "stop", "continue", "stop", Duration(10 * time.Second), 50, 512 << 20, &Telemetry{Host: Duration(5 * time.Second), Engine: Duration(30 * time.Second), Devices: 0}}, p.Run); d != "" {
		t.Error(d)
	}
	if p.Compare != (Compare{"p99_ttft_ms", 0.015}) || p.Validity != "strict" || p.Lang != "zh" || p.Name != "every-key" {
		t.Errorf("%+v", p)
	}
	hooks := Hooks{
		"before_run": {[]string{"nvidia-smi", "-pm", "1"}, Duration(5 * time.Second), "stop", Pos{"sweep.yaml", 11, 25}},
		"after_run":  {[]string{"echo", "done"}, 0, "continue", Pos{"sweep.yaml", 12, 24}},
	}
	if d := cmp.Diff(hooks, p.Hooks); d != "" {
		t.Error(d)
	}
	if p.Launches != 2*3 {
		t.Error(p.Launches)
	}
}

func TestDefaults(t *testing.T) {
	p, _ := plan(t, "version: 1\nserver: {command: run}\nclient: {command: bench}\n")
	if d := cmp.Diff(Run{1, "grouped", 0, 1, "continue", "skip", "warn", 0, 10_000, 2 << 30, DefaultTelemetry()}, p.Run); d != "" {
		t.Error(d)
	}
	if p.Compare != (Compare{"output_throughput", 0.02}) || p.Validity != "normal" || p.Lang != "en" || p.Name != "sweep" {
		t.Errorf("%+v", p)
	}
	s := p.Servers[0]
	if s.Isolation != "cell" || s.Origins["isolation"] != "default" || s.Port != "" || s.Ready != (Ready{}) || s.Stop != (Stop{}) || s.Flush != nil {
		t.Errorf("%+v", s)
	}
}

// TestSwitchedOff: null and false take away what a profile would say; that they
// were given shows in the origins.
func TestSwitchedOff(t *testing.T) {
	p, problems := plan(t, "version: 1\nserver:\n  ready: {log: null, http: false}\n  flush: false\n  port: ${{ late.port }}\n  command: run\nclient: {command: bench}\n")
	s := p.Servers[0]
	if len(problems) > 0 || s.Ready != (Ready{}) || s.Flush != nil || s.Port != "${{ late.port }}" {
		t.Errorf("%v %+v", problems, s)
	}
	for _, key := range []string{"ready.log", "ready.http", "flush"} {
		if s.Origins[key] == "" {
			t.Errorf("no origin of %s", key)
		}
	}
}

// TestPlanRoundTrip: what is written is the same every time, and reads back as it was.
func TestPlanRoundTrip(t *testing.T) {
	for _, sweep := range []string{everything, identitySweep} {
		p, _ := plan(t, sweep)
		var first, second bytes.Buffer
		if err := p.WriteJSON(&first); err != nil {
			t.Fatal(err)
		}
		again, _ := plan(t, sweep)
		if err := again.WriteJSON(&second); err != nil || first.String() != second.String() {
			t.Error("two plans of one sweep differ", err)
		}
		back, err := ReadPlan(&first)
		if err != nil {
			t.Fatal(err)
		}
		p.Literals = nil
		if d := cmp.Diff(p, back, cmp.Comparer(func(a, b []string) bool { return strings.Join(a, "\x00") == strings.Join(b, "\x00") })); d != "" {
			t.Error(d)
		}
	}
	for _, bad := range []string{"", "{", `{"schema":2}`} {
		if _, err := ReadPlan(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func TestLoadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my sweep.yaml")
	if _, problems := Load(path, Options{}); !problems.HasErrors() || problems[0].Rule != "file" {
		t.Error(problems)
	}
	if err := os.WriteFile(path, []byte("\ufeffversion: 1\r\nserver: {command: run}\r\nclient: {command: bench}\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if p := load(t, path, Options{}); p.Name != "my-sweep" {
		t.Error(p.Name)
	}
}

func TestFill(t *testing.T) {
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"late.port": "30000", "late.dir": "/a b", "x": "${{ late.port }}"}[name]
		return v, ok
	}
	for in, want := range map[string]string{
		"":                                 "",
		"plain $VAR ${X} {{ }}":            "plain $VAR ${X} {{ }}",
		"--port=${{ late.port }}!":         "--port=30000!",
		"${{late.port}}":                   "30000",
		"$${{ late.port }}":                "${{ late.port }}",
		"$$${{ late.port }}":               "$${{ late.port }}",
		"${{ x }}":                         "${{ late.port }}",
		"${{ quote(late.dir) }}/x":         "'/a b'/x",
		"${{ late.port }}${{ late.port }}": "3000030000",
	} {
		if got, err := Fill(in, lookup); err != nil || got != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, bad := range []string{"${{ nothing }}", "${{ late.port"} {
		if got, err := Fill(bad, lookup); err == nil {
			t.Errorf("%q gives %q", bad, got)
		}
	}
}

// TestJoiningMakesNoPlaceholder: parts that are harmless alone must not become a
// placeholder when they meet.
func TestJoiningMakesNoPlaceholder(t *testing.T) {
	p, problems := plan(t, `version: 1
server:
  command: ["run", "${{ '$' }}{{ late.port }}", "${{ '${' }}{ late.port }}"]
client: {command: bench}
`)
	if len(problems) > 0 {
		t.Error(problems)
	}
	for _, w := range p.Servers[0].Argv[1:] {
		if got, err := Fill(w, nil); err != nil || got != "${{ late.port }}" {
			t.Errorf("%q fills to %q, %v", w, got, err)
		}
	}
	if _, problems := Parse("s.yaml", []byte("version: 1\nserver: {command: [run, \"${{ '$' }}${{ late.port }}\"]}\nclient: {command: bench}\n"), Options{}); !problems.HasErrors() {
		t.Error("a $ before a placeholder is taken")
	}
}

func TestSelect(t *testing.T) {
	p, _ := plan(t, `version: 1
server: {axes: {backend: [fi, tr], tp: [4, 8]}, command: "run ${{ backend }} ${{ tp }}"}
client: {axes: {load: [{id: a, n: 1}, {id: "8", n: 2}]}, command: "bench ${{ load.n }}"}
`)
	for expr, want := range map[string]string{
		"tp == 8":                                "2367",
		`tp == "8"`:                              "2367",
		`tp in ["4"]`:                            "0145",
		"tp in [4, 16]":                          "0145",
		`server.backend == "fi" and load == "a"`: "02",
		`client.load == "8" && tp > 4`:           "37",
		`server.name == "tr/8"`:                  "67",
		`client.name == "a"`:                     "0246",
		`cell == "` + p.Cells[5].ID + `"`:        "5",
		`backend startsWith "f"`:                 "0123",
		"false":                                  "",
		"true":                                   "01234567",
		`server.name matches "^(fi|tr)/4$" && tp < 5`: "0145",
	} {
		keep, err := Select(p, expr)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		got := ""
		for i := range p.Cells {
			if keep(i) {
				got += string(rune('0' + i))
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
		if keep(-1) || keep(len(p.Cells)) {
			t.Error("a cell that does not exist is chosen")
		}
	}
	for expr, want := range map[string]string{
		"":                "an expression is missing",
		"tp ==":           "unexpected token",
		"bakend == 1":     `did you mean "backend"?`,
		"name == 'fi'":    "write server.name or client.name",
		"tp":              "must be true or false",
		"tp > 'a'":        "invalid operation",
		"load.n == 1":     `has no field "n"`,
		"env.HOME == 'x'": "not set",
		"late.port == 1":  "late.port",
	} {
		if _, err := Select(p, expr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", expr, err)
		}
	}
}

// Blocks in the default order protect no comparison from drift: that is said, unless the order is meant.
func TestBlocksInGroupedOrderAreWarnedOf(t *testing.T) {
	const sides = "server: {axes: {a: [x, y]}, command: 'c ${{ a }}'}\nclient: {command: d}\n"
	for run, want := range map[string]string{
		"run: {blocks: 3}":                 "sweep.yaml:2:15: 3 blocks in grouped order: all starts of one server come before those of the next, so what drifts meanwhile looks like a difference between them [blocks-grouped]",
		"run: {blocks: 3, order: blocked}": "",
		"run: {blocks: 3, order: grouped}": "",
		"run: {blocks: 1}":                 "",
	} {
		_, problems := Parse("sweep.yaml", []byte("version: 1\n"+run+"\n"+sides), Options{})
		var got []string
		for _, p := range problems {
			got = append(got, fmt.Sprintf("%s: %s [%s]", p.Pos, p.Message, p.Rule))
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s: %q", run, got)
		}
	}
	if _, problems := Parse("sweep.yaml", []byte("version: 1\nrun: {blocks: 3}\nserver: {command: c}\nclient: {command: d}\n"), Options{}); len(problems) > 0 {
		t.Errorf("one server has none to be compared with: %v", problems)
	}
}

func TestPrimaryMetricHasADirection(t *testing.T) {
	for primary, want := range map[string]string{
		"p99_ttft_ms": "",
		"num_prompts": "compare.primary cannot be num_prompts: it describes the load",
		"num_prompt":  `compare.primary "num_prompt" is no metric`,
	} {
		_, problems := Parse("sweep.yaml", []byte("version: 1\nserver: {command: run}\nclient: {command: bench}\ncompare: {primary: "+primary+"}\n"), Options{})
		if got := fmt.Sprint(problems); (want == "") != (len(problems) == 0) || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", primary, got, want)
		}
	}
}

func TestBadNameProposesAName(t *testing.T) {
	const rule = "write it with ASCII letters, digits and underscores"
	for name, want := range map[string]string{"后端": rule, "my-axis": rule + ", such as my_axis", "1st": rule + ", such as _1st", "后端1": rule} {
		_, problems := Parse("sweep.yaml", []byte("version: 1\nserver: {axes: {"+name+": [1, 2]}, command: run}\nclient: {command: bench}\n"), Options{})
		if len(problems) == 0 || problems[0].Rule != "bad-name" || problems[0].Suggestion != want {
			t.Errorf("%s: %v, want %q", name, problems, want)
		}
	}
}

// The pages about comparisons take the quick start as their example, with more blocks.
func TestQuickStartInBlocksIsAFairComparison(t *testing.T) {
	text, err := os.ReadFile("../examples/quickstart/sweep.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, problems := Parse("sweep.yaml", text, Options{})
	if len(problems) > 0 || p.Run.Order != "blocked" || p.Run.Blocks != 1 {
		t.Errorf("blocks %d, order %s, problems %v", p.Run.Blocks, p.Run.Order, problems)
	}
}
