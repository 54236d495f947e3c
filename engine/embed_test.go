package engine

import (
	"slices"
	"strings"
	"testing"

	"servematrix/matrix"
)

// replaced completes a plan whose one client asks to be replaced.
func replaced(t *testing.T, command string) (*matrix.Plan, matrix.Problems) {
	t.Helper()
	s, c := server("servematrix sim serve --port 30500"), client(command)
	c.ID, c.Name, c.Profile = "default-000000000000", "default", Replace
	c.Origins = map[string]string{"profile": "sweep.yaml:9"}
	p := plan(s, c)
	return p, mustLoad(t).Complete(p)
}

func TestEmbed(t *testing.T) {
	p, problems := replaced(t, "python3 -m sglang.bench_serving --backend sglang-oai --port 30500 --dataset-name random --random-range-ratio 1 --num-prompts 8 --max-concurrency 2 --print-requests")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	c := p.Clients[0]
	want := "servematrix bench --base-url http://127.0.0.1:30500 --backend sglang-oai --dataset-name random --num-prompts 8 --random-range-ratio 1 --max-concurrency 2"
	if got := strings.Join(c.Argv, " "); got != want {
		t.Errorf("runs %s, want %s", got, want)
	}
	if c.Profile != "servematrix bench" || c.Origins["profile"] != "sweep.yaml:9" || c.Replaced[0] != "python3" || len(c.LeftOut) != 1 || !slices.Contains(c.Added.Argv, "--output-file") {
		t.Errorf("%+v", c)
	}
	if c.ID == "default-000000000000" || p.Cells[0].Client != c.ID || p.Cells[0].ID != matrix.CellID("s", c.ID) {
		t.Errorf("client %s, cell %+v: not the ids of what runs", c.ID, p.Cells[0])
	}
	written, problems := replaced(t, want)
	if len(problems) > 0 || len(written.Clients[0].Replaced) > 0 {
		t.Errorf("its own command is replaced: %+v (%v)", written.Clients[0], problems)
	}
}

// What stands before a client stays before the embedded one, and what is the client's own goes.
func TestEmbedKeepsWrappers(t *testing.T) {
	const flags, made = " --base-url http://127.0.0.1:30500 --dataset-name random --backend vllm --num-prompts 8", "servematrix bench --base-url http://127.0.0.1:30500 --backend vllm --dataset-name random --num-prompts 8"
	for before, want := range map[string]string{
		"taskset -c 0-3 python3 -m sglang.bench_serving":                         "taskset -c 0-3 ",
		"env -u B A=b nice -n 5 python3 -u -m sglang.bench_serving":              "env -u B A=b nice -n 5 ",
		"numactl --cpunodebind=0 -m 0 /venv/bin/python bench_serving.py":         "numactl --cpunodebind=0 -m 0 ",
		"A=b timeout -k 5 600 python3 -m sglang.bench_serving":                   "env A=b timeout -k 5 600 ",
		"servematrix bench taskset -c 0-3 python3 -m sglang.bench_serving":       "taskset -c 0-3 ",
		"chrt -b 0 servematrix bench stdbuf -oL python3 -m sglang.bench_serving": "chrt -b 0 stdbuf -oL ",
		"python3 -m sglang.bench_serving":                                        "",
	} {
		p, problems := replaced(t, before+flags)
		if len(problems) > 0 {
			t.Errorf("%s: %v", before, problems)
			continue
		}
		c := p.Clients[0]
		if got := strings.Join(c.Argv, " "); got != want+made || strings.Join(c.Replaced, " ") != before+flags {
			t.Errorf("%s\nbecame %s\nwant   %s\nreplaced %q", before, got, want+made, c.Replaced)
		}
	}
}

// The embedded client's own command is written as all parts read it, and a whole command of another
// client behind it is replaced.
func TestOwnCommandIsSpelledOut(t *testing.T) {
	const rest = " --base-url http://127.0.0.1:30500 --backend vllm "
	for command, want := range map[string]string{
		"servematrix bench --dataset-n random" + rest + "--random-input=64 --num_prompt 8":       "servematrix bench --dataset-name random" + rest + "--random-input-len=64 --num-prompts 8",
		"taskset -c 0 /opt/servematrix bench --dataset-n random" + rest:                          "taskset -c 0 /opt/servematrix bench --dataset-name random" + strings.TrimRight(rest, " "),
		"servematrix bench vllm bench serve --port 30500 --num-prompts 8 --input-len 8 --seed 1": "",
	} {
		c := client(command)
		c.ID = "default-000000000000"
		p := plan(server("servematrix sim serve --port 30500"), c)
		if problems := mustLoad(t).Complete(p); len(problems) > 0 {
			t.Errorf("%s: %v", command, problems)
		}
		got := strings.Join(c.Argv, " ")
		if pasted := want == ""; pasted != (len(c.Replaced) > 0) || !pasted && got != want || pasted && !strings.HasPrefix(got, "servematrix bench --base-url http://127.0.0.1:30500 --backend openai") {
			t.Errorf("%s\nbecame %s\nreplaced %q", command, got, c.Replaced)
		}
		if c.ID == "default-000000000000" {
			t.Errorf("%s: not the id of what runs", command)
		}
	}
	if _, problems := replaced(t, "servematrix bench other --flag"); len(problems) == 0 || !strings.Contains(problems[0].Message, "can stand in for") {
		t.Error(problems)
	}
}

func TestEmbedRefuses(t *testing.T) {
	for command, want := range map[string]string{
		"python3 -m sglang.bench_serving --dataset-name random --lora-name a b":                                 "--lora-name has no equivalent",
		"python3 -m sglang.bench_serving --dataset-name mmmu":                                                   "--dataset-name mmmu: want",
		"vllm bench serve --burstines 2 --num-promts 8":                                                         "has no flag --num-promts",
		"vllm bench serve --request-rate 5 --ramp-up-strategy linear --ramp-up-start-rps 1 --ramp-up-end-rps 9": "--request-rate 5 contradicts it",
		"sudo -u me vllm bench serve --input-len 8":                                                             "what stands before the client (sudo -u me) cannot be kept; wrappers that can are cgexec, ",
		"numactl --new-option 0 vllm bench serve --input-len 8":                                                 "what stands before the client (numactl --new-option 0) cannot be kept",
		"uv run taskset -c 0 vllm bench serve --input-len 8":                                                    "what stands before the client (uv run taskset -c 0) cannot be kept",
		"genai-bench benchmark": "can stand in for sglang.bench_serving and vllm bench serve",
		"vllm bench serve --input-len 8 --output-len 8 --num-prompts none --seed -1": "--num-prompts",
	} {
		_, problems := replaced(t, command)
		if len(problems) != 1 || problems[0].Rule != "no-equivalent" || !strings.Contains(problems[0].Message, want) || problems[0].Line != 7 {
			t.Errorf("%s: %v, want %q", command, problems, want)
		}
	}
	const itself = "take profile: embedded out, and the client itself runs"
	for command, want := range map[string]string{
		"vllm bench serve --num-promts 8":                               `did you mean "--num-prompts"?`,
		"vllm bench serve --use-beam-search":                            "take the flag out; or " + itself,
		"vllm bench serve --dataset-name custom --dataset-path c.jsonl": "add --skip-chat-template, and --backend openai-chat --endpoint /v1/chat/completions to have the server apply it; or " + itself,
		"sudo vllm bench serve":                                         itself,
		"servematrix bench vllm bench serve --use-beam-search":          "take the flag out",
	} {
		if _, problems := replaced(t, command); len(problems) != 1 || problems[0].Suggestion != want {
			t.Errorf("%s: %+v", command, problems)
		}
	}
	c := client("servematrix bench sudo vllm bench serve --port 1")
	if problems := mustLoad(t).Complete(plan(server("vllm serve m --port 8000"), c)); len(problems) != 1 || problems[0].Suggestion != "see: servematrix bench --help" {
		t.Errorf("%+v", problems)
	}
}

// TestEmbedTwice holds that two lines that are one load for the embedded client are one cell too many.
func TestEmbedTwice(t *testing.T) {
	p := plan(server("servematrix sim serve --port 30500"), nil)
	for i, command := range []string{"vllm bench serve --port 30500 --save-result", "vllm bench serve --port 30500"} {
		c := client(command)
		c.Name, c.ID, c.Profile = []string{"a", "b"}[i], []string{"a-1", "b-2"}[i], Replace
		p.Clients = append(p.Clients, c)
	}
	problems := mustLoad(t).Complete(p)
	if len(problems) != 1 || problems[0].Rule != "duplicate-cell" || problems[0].Message != "a and b are the same load once the embedded client runs them" {
		t.Error(problems)
	}
}
