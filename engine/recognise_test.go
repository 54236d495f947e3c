package engine

import (
	"strings"
	"testing"

	"servematrix/command"
)

func TestRecogniseServer(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct {
		want string
		argv []string
	}{
		{"sglang", []string{"python3", "-m", "sglang.launch_server", "--model-path", "m"}},
		{"sglang", []string{"/opt/v/bin/python3.12", "-u", "-X", "dev", "-W", "ignore", "-m", "sglang.launch_server"}},
		{"sglang", []string{"/opt/v/bin/sglang", "serve", "--model-path", "m"}},
		{"sglang", []string{"python", "/src/sglang/launch_server.py"}},
		{"vllm", []string{"vllm", "serve", "m"}},
		{"vllm", []string{"/opt/v/bin/python", "/opt/v/bin/vllm", "serve", "m"}},
		{"vllm", []string{"python", "-m", "vllm.entrypoints.openai.api_server", "--model", "m"}},
		{"vllm", []string{"python", "-m", "vllm.entrypoints.cli.main", "serve", "m"}},
		{"sim-sglang", []string{"servematrix", "sim", "serve"}},
		{"sim-sglang", []string{"servematrix", "sim", "serve", "--style=sglang"}},
		{"sim-vllm", []string{"./bin/servematrix", "sim", "serve", "--style", "vllm"}},
		{"sglang", []string{"env", "A=1", "-u", "B", "python", "-m", "sglang.launch_server"}},
		{"vllm", []string{"numactl", "--cpunodebind=0", "--membind", "0", "nice", "-n", "5", "vllm", "serve", "m"}},
		{"vllm", []string{"taskset", "-c", "0-7", "python", "-m", "vllm.entrypoints.openai.api_server"}},
		{"vllm", []string{"uv", "run", "--with", "vllm", "vllm", "serve", "m"}},
		{"sglang", []string{"bash", "-c", "source set_env.sh && exec python3 -m sglang.launch_server --port 1"}},
		{"sglang", []string{"bash", "-euo", "pipefail", "-c", "ulimit -n 65536\nexport X=1\npython3 -m sglang.launch_server --port ${{ late.port }}\n"}},
		{"vllm", []string{"nice", "bash", "-lc", "cd /tmp; A=1 numactl -N 0 vllm serve m | tee out.log"}},
		{"vllm", []string{"bash", "-c", "if true; then exec 'vllm' serve \"my model\"; fi"}},
		{"", []string{"bash", "run.sh"}},
		{"", []string{"bash", "-c", "echo ${{ not shell"}},
		{"", []string{"python", "-c", "import vllm", "vllm", "serve"}},
		{"llama.cpp", []string{"/opt/llama.cpp/build/bin/llama-server", "-m", "x.gguf"}},
		{"transformers serve", []string{"transformers", "serve", "/models/m"}},
		{"transformers serve", []string{"python3", "-m", "transformers.cli.transformers", "serve", "m"}},
		{"", []string{"transformers", "chat", "m"}},
		{"", []string{"vllm", "bench", "serve"}},
		{"", []string{"echo", "vllm", "serve"}},
		{"", nil},
	} {
		got := ""
		if p := c.recogniseServer(tc.argv); p != nil {
			got = p.Name
		}
		if got != tc.want {
			t.Errorf("%q: %q, want %q", tc.argv, got, tc.want)
		}
	}
}

func TestRecogniseClient(t *testing.T) {
	c := mustLoad(t)
	for command, want := range map[string]string{
		"python3 -m sglang.bench_serving --backend sglang-oai":       "sglang.bench_serving",
		"python3 /sgl/python/sglang/bench_serving.py":                "sglang.bench_serving",
		"vllm bench serve --model m":                                 "vllm bench serve",
		"python vllm/benchmarks/benchmark_serving.py --backend vllm": "vllm bench serve",
		"servematrix bench --num-prompts 4":                          "servematrix bench",
		"timeout 600 servematrix bench":                              "servematrix bench",
		"vllm bench throughput":                                      "",
		"guidellm run --profile kind=sweep":                          "guidellm",
		"guidellm mock-server":                                       "",
		"env -u HF_HUB_OFFLINE aiperf profile -m m":                  "aiperf",
		"/opt/v/bin/genai-bench benchmark":                           "genai-bench",
		"uvx evalscope perf":                                         "evalscope perf",
		"evalscope eval":                                             "",
		"inference-perf -c load.yml":                                 "inference-perf",
		"llama-benchy --base-url x":                                  "llama-benchy",
		"ais_bench load.py -m perf":                                  "ais_bench",
	} {
		got := ""
		if p := c.recogniseClient(strings.Fields(command)); p != nil {
			got = p.Name
		}
		if got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

func TestArgumentsReachThroughWrappersAndScripts(t *testing.T) {
	p := mustLoad(t).Server("vllm")
	for _, argv := range [][]string{
		{"vllm", "serve", "m", "--port", "81"},
		{"vllm", "serve", "m", "--port", "80", "--port=81"},
		{"timeout", "--port", "7", "vllm", "serve", "m", "--port", "81"},
		{"bash", "-c", "other --port 7; exec vllm serve m --port '81'; echo --port 9"},
	} {
		if got, given := p.Port.in(arguments(argv, p.Match)); got != "81" || !given {
			t.Errorf("%q: port %s", argv, got)
		}
	}
	late := []string{"bash", "-c", "vllm serve m --port ${{ late.port }} --host \"${{ late.host }}\" --x $HOME"}
	a := arguments(late, p.Match)
	for flag, want := range map[string]string{"--port": "${{ late.port }}", "--host": "${{ late.host }}", "--x": "$HOME"} {
		if got, _ := a.Value(flag); got != want {
			t.Errorf("%s is %q, want %q", flag, got, want)
		}
	}
}

func TestConditions(t *testing.T) {
	a := command.Args{"model", "--num_prompts", "5", "--ignore-eos", "--ratio=1.0", "--empty=", "--last"}
	for flag, want := range map[string]string{"--num-prompts": "5", "--ignore-eos": "", "--ratio": "1.0", "--empty": "", "--last": ""} {
		if got, ok := a.Value(flag); got != want || !ok {
			t.Errorf("%s: %q %v", flag, got, ok)
		}
	}
	if a.Has("--num") || a.Has("") || a.Has("model") {
		t.Error("found what is not there")
	}
	for _, tc := range []struct {
		c    Condition
		want bool
	}{
		{Condition{Flag: "--ratio", Values: []string{"1"}}, true},
		{Condition{Flag: "--ratio", Values: []string{"0", "0.5"}}, false},
		{Condition{Flag: "--ratio", Not: []string{"0"}}, true},
		{Condition{Flag: "--ratio", Not: []string{"1"}}, false},
		{Condition{Flag: "--ignore-eos"}, true},
		{Condition{Flag: "--absent"}, false},
		{Condition{Flag: "--absent", Not: []string{"0"}}, false},
		{Condition{Flag: "--absent", Values: []string{"a"}, Default: "a"}, true},
		{Condition{Flag: "--absent", Values: []string{"a"}, Default: "b"}, false},
	} {
		if got := tc.c.holds(a); got != tc.want {
			t.Errorf("%+v: %v", tc.c, got)
		}
	}
}
