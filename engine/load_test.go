package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/matrix"
)

// catalog loads the embedded profiles and, as files, the given texts.
func catalog(t *testing.T, texts ...string) (*Catalog, error) {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for i, text := range texts {
		file := filepath.Join(dir, string(rune('a'+i))+".yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return Load(files...)
}

func mustLoad(t *testing.T, texts ...string) *Catalog {
	t.Helper()
	c, err := catalog(t, texts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// classes are the failure classes of the contract (DESIGN.md).
var classes = strings.Fields(`bad_command bad_flag port_busy host_not_clean oom kv_memory host_oom shm device_busy graph model collective npu start_failed
	ready_timeout silent server_died client_failed client_timeout client_silent no_result stop_dirty interrupted disk_full hook_failed`)

func TestEmbeddedProfilesHoldTogether(t *testing.T) {
	c := mustLoad(t)
	if diff := cmp.Diff([]string{"common", "generic", "llama.cpp", "sglang", "sim-sglang", "sim-vllm", "transformers serve", "vllm"}, c.ServerNames()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"aiperf", "ais_bench", "common", "evalscope perf", "genai-bench", "generic", "guidellm", "guidellm CSV", "inference-perf", "llama-benchy", "servematrix bench",
		"sglang.bench_serving", "vllm bench serve"}, c.ClientNames()); diff != "" {
		t.Error(diff)
	}
	for _, p := range c.servers {
		if len(p.Failure) == 0 || len(p.Exits) == 0 || p.Stop.Signal == "" {
			t.Errorf("%s lacks what it should inherit: %+v", p.Name, p)
		}
		weak := false
		for _, f := range p.Failure {
			if !slices.Contains(classes, f.Class) {
				t.Errorf("%s: class %q is none of the contract", p.Name, f.Class)
			}
			if weak && f.Class != "start_failed" {
				t.Errorf("%s: %s stands after start_failed", p.Name, f.Class)
			}
			weak = f.Class == "start_failed"
		}
	}
	if !c.Server("sim-vllm").Simulated || c.Server("vllm").Simulated {
		t.Error("the simulated server must say so, and only it")
	}
	if c.Server("sim-sglang").Ready.HTTP != "/health" || len(c.Server("sim-sglang").Ready.Quiet) != 0 {
		t.Errorf("sim-sglang: %+v", c.Server("sim-sglang").Ready)
	}
	if c.Server("no such").Name != Generic || c.Client("").Name != Generic {
		t.Error("unknown names must give the generic profile")
	}
}

func TestFilesOverrideAndAdd(t *testing.T) {
	c := mustLoad(t, `
server: sglang
port: {default: 31000}
ready: {http: /health_generate, log: null}
failure: [{class: oom, log: my own text}]
---
server: mine
extends: sglang
match: [myserver run]
stop: {grace: 5s}
`, `
client: mybench
match: [mybench.py]
result: {add: [[--out, "${{ late.dir }}/o.json"]], file: [--out]}
`)
	s := c.Server("sglang")
	if s.Port.Default != "31000" || s.Port.Flag != "--port" || s.Ready.Log != nil || s.Ready.HTTP != "/health_generate" || len(s.Match) != 3 {
		t.Errorf("overridden: %+v", s)
	}
	if s.Failure[0].Log.String() != "my own text" || len(s.Failure) < 10 {
		t.Error("own failure patterns must come before the profile's")
	}
	m := c.Server("mine")
	if m.Port.Default != "31000" || m.Stop.Grace.String() != "5s" || m.Stop.Linger.String() != "10s" || len(m.Match) != 1 {
		t.Errorf("extended: %+v", m)
	}
	if got := c.recogniseServer([]string{"myserver", "run"}); got != m {
		t.Errorf("recognised as %v", got)
	}
	if got := c.recogniseClient([]string{"python3", "/x/mybench.py"}); got == nil || got.Name != "mybench" {
		t.Errorf("recognised as %v", got)
	}
}

func TestOwnProfileWinsOverOurs(t *testing.T) {
	c := mustLoad(t, "server: fork\nextends: vllm\nmatch: [vllm serve]\n")
	if got := c.recogniseServer([]string{"vllm", "serve", "m"}); got.Name != "fork" {
		t.Errorf("recognised as %s", got.Name)
	}
}

func TestBadProfiles(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown key":      {"server: x\nmatsch: [a]\n", `a.yaml:2:1: unknown key "matsch" [unknown-key]: did you mean "match"?`},
		"unknown key deep": {"server: x\nready:\n  lgo: a\n", `a.yaml:3:3: unknown key "lgo" [unknown-key]: did you mean "log"?`},
		"bad expression":   {"server: x\nready: {log: '('}\n", "a.yaml:2:14: error parsing regexp"},
		"bad duration":     {"server: x\nstop: {grace: 60}\n", "a.yaml:2:15: "},
		"bad exit":         {"server: x\nexits: [code zero]\n", `a.yaml:2:9: "code zero": want`},
		"bad bool":         {"server: x\nready: {tcp: yeah}\n", `a.yaml:2:14: "yeah" is neither true nor false`},
		"list expected":    {"server: x\nmatch: vllm\n", "a.yaml:2:8: want a list here"},
		"mapping expected": {"server: x\nready: soon\n", "a.yaml:2:8: want a mapping here"},
		"twice":            {"server: x\ntls: a\ntls: b\n", `a.yaml:3:1: key "tls" stands here twice`},
		"no name":          {"match: [x]\n", "a.yaml:1:1: the profile has no name"},
		"no mapping":       {"- a\n", "a.yaml:1:1: a profile is a mapping"},
		"unknown parent":   {"server: x\nextends: sglan\n", `a.yaml:2:10: no server profile is called "sglan" [profile-extends]: did you mean "sglang"?`},
		"circle":           {"server: x\nextends: y\n---\nserver: y\nextends: x\n", "extends itself through"},
		"broken YAML":      {"server: [x\n", "a.yaml:"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := catalog(t, c.text)
			if err == nil {
				t.Fatal("no error")
			}
			if _, ok := err.(matrix.Problems); !ok {
				t.Errorf("%T, want matrix.Problems", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
		})
	}
	if _, err := Load("/does/not/exist.yaml"); err == nil || !strings.Contains(err.Error(), "/does/not/exist.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, err := catalog(t, "server: x\nfoo: 1\nbar: 2\nready: {log: '('}\n")
	if n := strings.Count(err.Error(), "\n") + 1; n != 3 {
		t.Errorf("%d problems:\n%v", n, err)
	}
}

// FuzzLoad: whatever a file holds, loading says something or nothing, and never panics.
func FuzzLoad(f *testing.F) {
	f.Add("server: x\nmatch: [a]\nready: {log: x}\n")
	f.Add("client: x\nextends: generic\nresult: {add: [[]]}\n")
	f.Add("server: &a x\nextends: *a\n")
	f.Add("server: x\nready: &r {quiet: [*r]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		docs, problems := parse("f.yaml", []byte(text))
		if problems.Err() == nil {
			(&Catalog{}).build(docs)
		}
	})
}
