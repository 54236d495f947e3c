package draft

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func argvs(commands []Command) []string {
	var out []string
	for _, c := range commands {
		line := ""
		for _, a := range c.Env {
			line += a.Name + "=" + a.Value + " "
		}
		out = append(out, line+strings.Join(c.Argv, "|"))
	}
	return out
}

func TestCommandsFollowTheScript(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want, notes  []string
	}{
		{"pasted", "CUDA_VISIBLE_DEVICES=0,1 python3 -m sglang.launch_server --model-path /m --json '{\"a\": 1}' > log 2>&1 &",
			[]string{`CUDA_VISIBLE_DEVICES=0,1 python3|-m|sglang.launch_server|--model-path|/m|--json|{"a": 1}`}, nil},
		{"variables", "MODEL=/models/llama\nPORT=${PORT:-30000}\nexport OMP=4\nnohup vllm serve $MODEL --port \"$PORT\" --key $HF_TOKEN ~/x",
			[]string{"OMP=4 vllm|serve|/models/llama|--port|30000|--key|${{ vars.HF_TOKEN }}|${{ env.HOME }}/x"}, nil},
		{"loops", "for tp in 1 2; do for c in {8..16..8}; do srv --tp $tp --c $c; done; done",
			[]string{"srv|--tp|1|--c|8", "srv|--tp|1|--c|16", "srv|--tp|2|--c|8", "srv|--tp|2|--c|16"}, nil},
		{"arrays and functions", "F=(--a 1); F+=(--b)\nrun() { srv \"${F[@]}\" --n \"$1\"; }\nrun 7\nif true; then run 8 | tee log; fi",
			[]string{"srv|--a|1|--b|--n|7", "srv|--a|1|--b|--n|8", "tee|log"}, nil},
		{"unknowable", "X=$(date)\nsrv --x $X\nsrv $(cat f) <(cat f)",
			[]string{"srv|--x|${{ vars.X }}"}, []string{
				"line 1: X is set by something that only a shell can run; fill it in under vars",
				"line 3: a command with $(…) or <(…) is left out; use shell: for it"}},
		{"env and literal braces", "env A=1 B=2 srv '${{ not ours }}'", []string{"A=1 B=2 srv|$${{ not ours }}"}, nil},
		{"env and a word that is empty", "EXTRA=; env \"$EXTRA\" srv; env A=1 '' srv; env -i srv", []string{"|srv", "A=1 |srv", "env|-i|srv"}, nil},
		{"shift", "start() { local b=$1; shift; srv --b $b \"$@\"; }; start x --p 1; start y",
			[]string{"srv|--b|x|--p|1", "srv|--b|y"}, nil},
		{"case", "for b in fa3 tri; do case $b in fa*) srv --page 128 ;; tri|x) srv --b $b ;; *) srv no ;; esac; done",
			[]string{"srv|--page|128", "srv|--b|tri"}, nil},
		{"case that goes on", "for b in a b c; do case $b in a) srv 1;;& b) srv 2;& x) srv 3;; a|c) srv 4;;& *) srv 5;; esac; done",
			[]string{"srv|1", "srv|4", "srv|5", "srv|2", "srv|3", "srv|4", "srv|5"}, nil},
		{"case of what only a shell knows", "case $(hostname) in a) srv 1;; *) srv 2;; esac",
			[]string{"srv|1", "srv|2"}, []string{"line 1: which branch of this case is taken is known only when it runs; all of them are followed"}},
		{"recursion ends", "f() { f; }; f; srv", []string{"srv"}, nil},
	} {
		got, notes, err := Commands(c.script)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, argvs(got)); diff != "" {
			t.Errorf("%s: want - got +\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.notes, notes); diff != "" {
			t.Errorf("%s: notes: want - got +\n%s", c.name, diff)
		}
	}
	if _, _, err := Commands("for x in"); err == nil || !strings.HasPrefix(err.Error(), "line 1: ") {
		t.Errorf("a script that does not parse: %v", err)
	}
}

func TestConditionsThatAreKnownChoose(t *testing.T) {
	for condition, want := range map[string]string{
		`[ "$b" = triton ]`: "yes", `[ "$b" != triton ]`: "no", `[ $n -gt 4 ]`: "yes", `[ $n -le 4 ]`: "no", `[ -z "$none" ]`: "both",
		`[ -z "$empty" ]`: "yes", `[ -n "$b" ]`: "yes", `[ ! -n "$b" ]`: "no", `! [ $b ]`: "no", `test $b == fa3`: "no",
		`[[ $b == tri* ]]`: "yes", `[[ $b != tri* ]]`: "no", `[[ ! $b = fa3 && ( $n -eq 8 || $none ) ]]`: "yes", `[[ -z $b || $n -lt 8 ]]`: "no",
		`[[ $b =~ ^t ]]`: "both", `[[ $b == fa3 && $none ]]`: "no", `[ -f /etc/passwd ]`: "both", `[ "$b" = "$none" ]`: "both", `[`: "both", `[ $b`: "both",
		`(( n > 4 ))`: "yes", `((n % 2))`: "no", `((none))`: "both", `true && [ $n -eq 8 ]`: "yes", `false || test $n = 9`: "no", `grep -q x y`: "both", `grep -q x y && false`: "no",
	} {
		commands, notes, err := Commands("b=triton n=8 empty=\nif " + condition + "; then srv yes; else srv no; fi")
		if err != nil {
			t.Errorf("%s: %v", condition, err)
			continue
		}
		got, told := "both", len(commands) > 0 && len(commands[0].Notes) > 0
		if len(commands) == 1 {
			got = commands[0].Argv[1]
		}
		if got != want || told != (want == "both") || len(notes) > 0 {
			t.Errorf("%s: %s (noted %v, %q), want %s", condition, got, told, notes, want)
		}
	}
}

func body(t *testing.T, servers, clients []string) string {
	t.Helper()
	read := func(texts []string) (out []Command) {
		for _, s := range texts {
			c, _, err := Commands(s)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, c...)
		}
		return out
	}
	text := string(Sweep(Input{Name: "demo", Path: "sweep.yaml", Servers: read(servers), Clients: read(clients)}))
	_, text, _ = strings.Cut(text, "name: demo\n\n")
	text, _, _ = strings.Cut(text, "\nrun:")
	return text
}

func TestSweepMakesAxesOfWhatDiffers(t *testing.T) {
	for _, c := range []struct {
		name             string
		servers, clients []string
		want             string
	}{
		{"the pasted pair", []string{
			"SGLANG_X=1 python3 -m sglang.launch_server --model-path /m/ --tp 8 --trust-remote --attention-backend flashinfer --disable-radix",
			"SGLANG_X=1 python3 -m sglang.launch_server --model-path /m/ --tp 8 --trust-remote --attention-backend triton",
		}, []string{
			"python3 -m sglang.bench_serving --dataset-name random --num-prompts 256 --max-concurrency 32",
			"python3 -m sglang.bench_serving --dataset-name random --num-prompts 128 --max-concurrency 16",
		}, `server:
  axes:   # one dimension each; the variants are their product
    variant:
      - {id: flashinfer-disable-radix, flags: [--attention-backend, flashinfer, --disable-radix]}
      - {id: triton, flags: [--attention-backend, triton]}
  env:
    SGLANG_X: 1
  command: >-
    python3 -m sglang.launch_server --model-path /m/ --tp 8 --trust-remote ${{ variant.flags }}

client:
  axes:   # the loads
    load:
      - {id: 256-32, num_prompts: 256, max_concurrency: 32}
      - {id: 128-16, num_prompts: 128, max_concurrency: 16}
  command: >-
    python3 -m sglang.bench_serving --dataset-name random --num-prompts ${{ load.num_prompts }}
    --max-concurrency ${{ load.max_concurrency }}
`},
		{"a product", []string{"srv --tp=1 --on", "srv --tp=1", "srv --tp=2 --on", "srv --tp=2"}, []string{"cli --n 1", "cli --n 1"}, `server:
  axes:   # one dimension each; the variants are their product
    tp: [1, 2]
    on:
      - {id: on, flags: [--on]}
      - {id: without-on, flags: []}
  command: >-
    srv --tp=${{ tp }} ${{ on.flags }}

client:
  command: >-
    cli --n 1
`},
		{"two programs", []string{"python3 -m sglang.launch_server --tp 2", "A=1 vllm serve /m"}, []string{"cli --q 'a b'"}, `server:
  axes:   # one dimension each; the variants are their product
    variant:
      - {id: sglang.launch_server, A: null, command: [python3, -m, sglang.launch_server, --tp, 2]}
      - {id: vllm-serve, A: 1, command: [vllm, serve, /m]}
  env:
    A: "${{ variant.A }}"
  command: >-
    ${{ variant.command }}

client:
  command: >-
    cli --q 'a b'
`},
		{"the same flag on both sides", []string{"srv --n 1", "srv --n 2"}, []string{"cli --n 1", "cli --n 2"}, `server:
  axes:   # one dimension each; the variants are their product
    n: [1, 2]
  command: >-
    srv --n ${{ n }}

client:
  axes:   # the loads
    client_n: [1, 2]
  command: >-
    cli --n ${{ client_n }}
`},
	} {
		if diff := cmp.Diff(c.want, body(t, c.servers, c.clients)); diff != "" {
			t.Errorf("%s: want - got +\n%s", c.name, diff)
		}
	}
}
