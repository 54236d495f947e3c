package matrix

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

func TestArgs(t *testing.T) {
	p, problems := plan(t, `version: 1
vars: {obj: {b: 1, a: 0.90}}
server:
  axes: {on: [true, false], x: ["true"]}
  command: run
  args:
    tp-size: 8
    enable: ${{ on }}
    text: ${{ x }}
    --dashed: 0.90
    -s: short
    gone: null
    off: false
    none: []
    list: [a, 2]
    again: {repeat: [a, 2, {k: 1}]}
    json: {z: 1, a: [true, null, 0.50, "q\"", 010], late: "${{ late.port }}", nested: {k: v}}
    var: ${{ vars.obj }}
    under_score: ${{ 1 + 1 }}
client:
  bench: {num_prompts: 10, max-concurrency: 4, use_trace_timestamps: false, disable_stream: false}
`)
	if len(problems) > 0 {
		t.Error(problems)
	}
	common := []string{"--text", "true", "--dashed", "0.90", "-s", "short", "--list", "a", "2", "--again", "a", "--again", "2", "--again", `{"k":1}`,
		"--json", `{"z":1,"a":[true,null,0.50,"q\"",8],"late":"${{ late.port }}","nested":{"k":"v"}}`, "--var", `{"b":1,"a":0.90}`, "--under_score", "2"}
	for i, want := range [][]string{append([]string{"run", "--tp-size", "8", "--enable"}, common...), append([]string{"run", "--tp-size", "8"}, common...)} {
		if d := cmp.Diff(want, p.Servers[i].Argv); d != "" {
			t.Error(d)
		}
	}
	want := []string{"servematrix", "bench", "--num-prompts", "10", "--max-concurrency", "4", "--use-trace-timestamps=false", "--base-url", "${{ server.url }}"}
	if d := cmp.Diff(want, p.Clients[0].Argv); d != "" {
		t.Error(d)
	}
}

func TestBenchKeepsItsAddress(t *testing.T) {
	for _, key := range []string{"base_url: http://h:1", "host: h", "port: 1"} {
		p, _ := plan(t, "version: 1\nserver: {command: run}\nclient:\n  bench: {"+key+"}\n")
		if argv := strings.Join(p.Clients[0].Argv, " "); strings.Contains(argv, "server.url") {
			t.Errorf("%s: %s", key, argv)
		}
	}
}

func TestEnvironment(t *testing.T) {
	p, problems := plan(t, `version: 1
server:
  axes: {cuda: [null, "0,1"]}
  command: A=1 B='x y' C= D=${{ env.X }}z run --home ${{ env.HOME }} FOO=1
  env: {E: 0.90, F: true, G: "${{ late.dir }}/cache", CUDA_VISIBLE_DEVICES: "${{ cuda }}", H: null, I: ""}
  unset: [http_proxy]
client: {command: run, files: [data/prompts.json]}
`)
	if len(problems) > 0 {
		t.Error(problems)
	}
	s := p.Servers[0]
	want := map[string]string{"A": "1", "B": "x y", "C": "", "D": "xz", "E": "0.90", "F": "true", "G": "${{ late.dir }}/cache", "I": ""}
	if d := cmp.Diff(want, s.Env); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"http_proxy", "CUDA_VISIBLE_DEVICES", "H"}, s.Unset); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"run", "--home", "/home/u", "FOO=1"}, s.Argv); d != "" {
		t.Error(d)
	}
	if got := p.Servers[1].Env["CUDA_VISIBLE_DEVICES"]; got != "0,1" {
		t.Error(got)
	}
	if d := cmp.Diff([]File{{"data/prompts.json", strings.Repeat("ab", 32)}}, p.Clients[0].Files); d != "" {
		t.Error(d)
	}
}

// TestShellWords compares our splitting with bash's own, for words in which
// nothing is expanded.
func TestShellWords(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	for _, line := range []string{
		`run a  b	c`, `run 'a b' "c d" e\ f`, `run "a\"b\\c\$d\` + "`" + `e\f"`, `run '' "" a""b`, `run --x='{"a": 1}' --y="it's"`,
		`run a\
b "c\
d"`, `run # comment`, `run a#b`, `run "~" '*' \* \~ a~b -a=~`, `run {a} {} a,b [ ]`, `run 中文 "é x"`, `run --url http://h/x@y:1%2F`,
	} {
		// bash's own words, each ended by a zero byte.
		out, err := exec.Command(bash, "-c", "f() { printf '%s\\0' \"$@\"; }\n"+strings.Replace(line, "run", "f run", 1)).Output()
		if err != nil {
			t.Fatal(line, err)
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		src := newSource("x", []byte(line), Options{})
		words, _ := (&names{src: src}).loadCommand(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: line, Line: 1, Column: 1}, "command")
		if src.problems.HasErrors() {
			t.Errorf("%s: %v", line, src.problems)
			continue
		}
		var got []string
		for i := range words {
			var failed *evalError
			if got, failed = words[i].words(got, rows{}); failed != nil {
				t.Fatal(failed)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s\n%s", line, d)
		}
	}
}

// TestShellQuoting runs scripts with awkward values through bash: whatever is put
// in must arrive as it is.
func TestShellQuoting(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	const awkward = "a b'c\"d$HOME`id`\\e;f&*~\n$'x'!${{ z }}"
	p, _ := plan(t, `version: 1
vars:
  v: "`+strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "${{", "$${{").Replace(awkward)+`"
  l: ["a b", "$x", ""]
server:
  shell: |
    # a comment with ${{ vars.v }}
    f() { printf '%s\0' "$@"; }
    X=${{ vars.v }}; f "$X" && f ${{ vars.v }} "in ${{ vars.v }} out" 'in ${{ vars.v }} out' pre${{ vars.v }}post "$(f ${{ vars.v }})" ${{ vars.l }} "${{ late.dir }}" ${{ late.port }} $((${{ late.port }} + 1)) '$${{ x }}'
client: {command: run}
`)
	s := p.Servers[0]
	if !s.Shell || len(s.Argv) != 3 || s.Argv[0] != "bash" || s.Argv[1] != "-c" {
		t.Fatalf("%q", s.Argv)
	}
	script, err := Fill(s.Argv[2], func(name string) (string, bool) {
		v, ok := map[string]string{"late.dir": "/tmp/a dir'$x", "late.port": "30000"}[name]
		return v, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(bash, "-c", script).Output()
	if err != nil {
		t.Fatal(err, script)
	}
	want := []string{awkward, awkward, "in " + awkward + " out", "in " + awkward + " out", "pre" + awkward + "post", awkward, "a b", "$x", "", "/tmp/a dir'$x", "30000", "30001", "${{ x }}"}
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d, script)
	}
}

func TestExecWarning(t *testing.T) {
	for script, warns := range map[string]bool{
		"exec run":                          false,
		"source env.sh && exec run --x":     false,
		"source env.sh\nexec run":           false,
		"run":                               true,
		"source env.sh; run":                true,
		"exec run | tee log":                true,
		"exec run &":                        true,
		"if true; then exec run; fi":        true,
		"exec":                              true,
		"a || exec run":                     true,
		"source env.sh && FOO=1 exec run x": false,
	} {
		p, problems := Parse("s.yaml", []byte("version: 1\nserver:\n  shell: |\n    "+strings.ReplaceAll(script, "\n", "\n    ")+"\nclient: {command: run}\n"), Options{})
		if p == nil {
			t.Fatal(script, problems)
		}
		if got := len(problems) == 1 && problems[0].Rule == "no-exec"; got != warns {
			t.Errorf("%q: %v", script, problems)
		}
	}
}

func TestQuoteTemplate(t *testing.T) {
	for in, want := range map[string]string{
		"":                    "''",
		"plain":               "plain",
		"a b":                 "'a b'",
		"${{ late.port }}":    "${{ late.port }}",
		"x y${{ late.dir }}":  "'x y'${{ quote(late.dir) }}",
		"${{ env.HF_TOKEN }}": "${{ quote(env.HF_TOKEN) }}",
		"$${{ x }}":           "'$${{ x }}'",
		"${{ server.url }}/v1?a=b&c=${{ late.seed }}": "${{ server.url }}'/v1?a=b&c='${{ late.seed }}",
	} {
		if got, err := quoteTemplate(in); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}
