package matrix

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plan parses a sweep that must have no errors; the warnings are given back.
func plan(t *testing.T, sweep string) (*Plan, Problems) {
	t.Helper()
	p, problems := Parse("sweep.yaml", []byte(sweep), testOptions)
	if p == nil {
		t.Fatalf("no plan:\n%v\n%s", problems, sweep)
	}
	return p, problems
}

// withServer makes a sweep of the keys of a server, indented by nothing.
func withServer(server string) string {
	return "version: 1\nvars: {model: m/x, flags: [--a, --b], n: {deep: [5, 6]}}\nserver:\n  " +
		strings.ReplaceAll(strings.TrimSpace(server), "\n", "\n  ") + "\nclient: {command: run}\n"
}

// commands gives the servers' names and commands, one a line.
func commands(p *Plan) []string {
	var out []string
	for _, s := range p.Servers {
		out = append(out, s.Name+": "+strings.Join(s.Argv, "|"))
	}
	return out
}

func TestExpand(t *testing.T) {
	for _, tt := range []struct {
		name, server string
		want         []string
	}{
		{"no axes", `command: run`, []string{"default: run"}},
		{"last axis fastest", `
axes: {a: [1, 2], b: [x, y]}
command: run ${{ a }} ${{ b }}`,
			[]string{"1/x: run|1|x", "1/y: run|1|y", "2/x: run|2|x", "2/y: run|2|y"}},
		{"source text", `
axes: {v: [0.90, 3.10, 010, 1_000, 2026-01-02, 0x10, 1e3, yes, true, "8", .5]}
command: [run, "${{ v }}"]`,
			[]string{"0.90: run|0.90", "3.10: run|3.10", "010: run|010", "1_000: run|1_000", "2026-01-02: run|2026-01-02", "0x10: run|0x10",
				"1e3: run|1e3", "yes: run|yes", "true: run|true", "8: run|8", ".5: run|.5"}},
		{"source text inside a longer word and through vars, fields and derive", `
axes: {v: [{id: a, mem: 0.90}]}
derive: {same: "${{ v.mem }}"}
command: run --mem=${{ v.mem }} ${{ same }} ${{ v["mem"] }} 0.50`,
			[]string{"a: run|--mem=0.90|0.90|0.90|0.50"}},
		{"any other expression is typed", `
axes: {v: [010], w: [0.90]}
command: run ${{ v + 1 }} ${{ w + 0 }} ${{ 256 / 32 }} ${{ v == 8 }} ${{ string(w) }} ${{ 7 / 2 }}`,
			[]string{"010/0.90: run|9|0.9|8|true|0.9|3.5"}},
		{"zip in the axes' order", `
axes: {a: [1, 2]}
zip: {in: [1]}
command: run`, nil},
		{"zip declares its axes", `
axes: {a: [1, 2]}
zip: [{i: [10, 20], o: [x, y]}]
command: run ${{ a }} ${{ i }} ${{ o }}`,
			[]string{"1/10/x: run|1|10|x", "1/20/y: run|1|20|y", "2/10/x: run|2|10|x", "2/20/y: run|2|20|y"}},
		{"zip before axes turns slower", `
zip: {i: [10, 20], o: [x, y]}
axes: {a: [1, 2]}
command: run ${{ a }} ${{ i }} ${{ o }}`,
			[]string{"10/x/1: run|1|10|x", "10/x/2: run|2|10|x", "20/y/1: run|1|20|y", "20/y/2: run|2|20|y"}},
		{"zip by name stands at the first axis", `
axes: {i: [10, 20], a: [1, 2], o: [x, y]}
zip: [[i, o]]
command: run ${{ a }} ${{ i }} ${{ o }}`,
			[]string{"10/1/x: run|1|10|x", "10/2/x: run|2|10|x", "20/1/y: run|1|20|y", "20/2/y: run|2|20|y"}},
		{"named zip groups", `
zip: {shape: {i: [1, 2], o: [3, 4]}, size: {tp: [1], dp: [8]}}
command: run ${{ i }} ${{ o }} ${{ tp }} ${{ dp }}`,
			[]string{"1/3/1/8: run|1|3|1|8", "2/4/1/8: run|2|4|1|8"}},
		{"lists as values and as fields", `
axes:
  f: [[--x, 1], [], [--y]]
command: run ${{ f }} end`,
			[]string{"--x 1: run|--x|1|end", "[]: run|end", "--y: run|--y|end"}},
		{"null value", `
axes: {f: [null, 3]}
command: run
args: {flag: "${{ f }}"}`,
			[]string{"null: run", "3: run|--flag|3"}},
		{"axis from vars and from a range", `
axes: {f: "${{ vars.flags }}", r: "${{ 1..2 }}"}
command: run ${{ f }} ${{ r }}`,
			[]string{"--a/1: run|--a|1", "--a/2: run|--a|2", "--b/1: run|--b|1", "--b/2: run|--b|2"}},
		{"splice in a list and index", `
command: [run, "${{ vars.flags }}", --n, "${{ vars.n.deep[1] }}", "${{ vars.n.deep[0] + 1 }}"]`,
			[]string{"default: run|--a|--b|--n|6|6"}},
		{"a list value takes a spliced one in", `
axes: {f: [{id: a, flags: [--z, "${{ vars.flags }}"]}]}
command: run ${{ f.flags }}`,
			[]string{"a: run|--z|--a|--b"}},
		{"derive in any order", `
axes: {tp: [4]}
derive: {b: "${{ a * 2 }}", a: "${{ tp + 1 }}", list: ["${{ b }}", x], at: "http://h:${{ late.port }}/"}
command: run ${{ b }} ${{ list }} ${{ server.a }} ${{ at }}v1`,
			[]string{"4: run|10|10|x|5|http://h:${{ late.port }}/v1"}},
		{"exclude by value, by set, by field, by condition", `
axes: {b: [{id: fi, n: 1}, {id: tr, n: 2}], tp: [1, 2, 4, 8]}
exclude:
  - {b: fi, tp: [1, 2]}
  - {b.n: 2, tp: 8, why: too large}
  - when: b == "tr" && tp == 1
  - {b: tr, when: "${{ tp == 2 }}"}
command: run ${{ b }} ${{ tp }}`,
			[]string{"fi/4: run|fi|4", "fi/8: run|fi|8", "tr/4: run|tr|4"}},
		{"a list of texts holds no number", `
axes: {b: [1, fi, true]}
exclude: [{when: 'b in ["fi", "tr"]'}]
command: run ${{ b }}`,
			[]string{"1: run|1", "true: run|true"}},
		{"add after exclude, with known, new and object values", `
axes: {b: [{id: fi, n: 1}], tp: [8]}
exclude: [{tp: 8}]
add: [{tp: 8, b: fi}, {tp: 16, b: {id: new, n: 9}}]
command: run ${{ b }} ${{ b.n }} ${{ tp }}`,
			[]string{"fi/8: run|fi|1|8", "new/16: run|new|9|16"}},
		{"patch sets derived values, new names and fields; it sees the row before", `
axes: {b: [{id: fi, n: 1}, {id: tr, n: 2}], tp: [4, 8]}
derive: {mem: 0.90}
patch:
  - {match: {b: fi, tp: 8}, set: {mem: 0.80, b.n: "${{ b.n + 10 }}"}}
  - {when: tp == 8, set: {extra: --more}}
  - {match: {tp: 8}, set: {extra: --more}}
command: run ${{ b.n }} ${{ mem }}
args: {x: "${{ server?.extra }}"}`,
			[]string{"fi/4: run|1|0.90", "fi/8: run|11|0.80|--x|--more", "tr/4: run|2|0.90", "tr/8: run|2|0.90|--x|--more"}},
		{"require that holds", `
axes: {tp: [4, 8]}
require: [tp <= 8, "${{ tp > 1 }}", {assert: tp == 8, when: tp > 4, why: x}]
command: run ${{ tp }}`,
			[]string{"4: run|4", "8: run|8"}},
		{"optional field and variable", `
axes: {b: [{id: a, x: 1}, {id: b}]}
command: run ${{ b?.x ?? "none" }} ${{ env?.NOT_SET ?? "d" }} ${{ b }}`,
			[]string{"a: run|1|d|a", "b: run|none|d|b"}},
		{"merge keys and anchors", `
axes:
  b:
    - &base {id: a, x: 1, y: 2}
    - {<<: *base, id: b, y: 3}
command: run ${{ b.x }} ${{ b.y }}`,
			[]string{"a: run|1|2", "b: run|1|3"}},
		{"literal opener", `
command: ["$${{ x }}", "$$${{ x }}", "a$${{"]`,
			[]string{"default: $${{ x }}|$$${{ x }}|a$${{"}},
		{"functions, let, filter", `
axes: {l: [[3, 5, 8]]}
command: >
  run ${{ join(map(filter(l, # > 3), string(#)), ",") }} ${{ let x = l[0]; x * x }} ${{ "a" | upper() }}`,
			[]string{"3 5 8: run|5,8|9|A"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, problems := Parse("sweep.yaml", []byte(withServer(tt.server)), testOptions)
			if tt.want == nil {
				if p != nil {
					t.Fatal("has a plan")
				}
				return
			}
			if p == nil {
				t.Fatal(problems)
			}
			if d := cmp.Diff(tt.want, commands(p)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestYAMLScalarStyles writes one command in every style of YAML.
func TestYAMLScalarStyles(t *testing.T) {
	for _, command := range []string{
		"command: run --a '${{ vars.model }}' \"b c\"",
		"command: 'run --a ''${{ vars.model }}'' \"b c\"'",
		`command: "run --a '${{ vars.model }}' \"b c\""`,
		"command: >\n  run --a\n  ${{ vars.model }}\n  \"b c\"",
		"command: |\n  run --a \\\n    ${{ vars.model }} \\\n    b\\ c  # the end\n",
		"command: run --a\n  ${{ vars.model }}\n  b\\ c",
		"command: [run, --a, \"${{ vars.model }}\", b c]",
		"command:\n  - run\n  - --a\n  - ${{ vars.model }}\n  - b c",
	} {
		p, problems := Parse("sweep.yaml", []byte(withServer(command)), testOptions)
		if p == nil {
			t.Fatalf("%s\n%v", command, problems)
		}
		if d := cmp.Diff([]string{"run", "--a", "m/x", "b c"}, p.Servers[0].Argv); d != "" {
			t.Errorf("%s\n%s", command, d)
		}
	}
}

func TestDropped(t *testing.T) {
	p, problems := plan(t, `version: 1
server:
  axes: {b: [fi, tr], tp: [4, 8]}
  exclude:
    - {b: tr, tp: 8, why: out of memory}
    - {b: tr, tp: [8]}
  command: run ${{ b }} ${{ tp }}
client:
  axes: {c: [1, 2]}
  command: run ${{ c }}
pair: {when: "not (server.b == 'fi' and c == 2)", why: too slow}
`)
	if len(problems) > 0 {
		t.Error(problems)
	}
	var got []string
	for _, d := range p.Dropped {
		var axes []string
		for _, a := range d.Axes {
			axes = append(axes, a.Name+"="+a.Value)
		}
		got = append(got, strings.Join(axes, " ")+" | "+d.Rule+" | "+d.At.String())
	}
	want := []string{
		"b=tr tp=8 | server.exclude: out of memory | sweep.yaml:5:7",
		"b=fi tp=4 c=2 | pair.when: too slow | sweep.yaml:11:14",
		"b=fi tp=8 c=2 | pair.when: too slow | sweep.yaml:11:14",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(p.Cells) != 4 || p.Launches != 4 {
		t.Errorf("%d cells, %d launches", len(p.Cells), p.Launches)
	}
}

// TestLaunches mixes variants that share a start with others that do not.
func TestLaunches(t *testing.T) {
	p, _ := plan(t, `version: 1
run: {blocks: 3}
server:
  axes: {i: [cell, launch], n: [1, 2]}
  isolation: ${{ i }}
  command: run ${{ i }} ${{ n }}
client: {axes: {c: [1, 2, 3, 4]}, command: "run ${{ c }}"}
pair: {when: "n == 1 or i == 'cell'"}
`)
	// cell: 2 variants × 4 clients, launch: 1 variant that has cells; each in 3 blocks.
	if want := (2*4 + 1) * 3; p.Launches != want {
		t.Errorf("launches %d, want %d", p.Launches, want)
	}
}
