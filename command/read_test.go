package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	script := "cd /opt; A=1 numactl -N 0 vllm serve m --port 80 2>&1 | tee -a out.log"
	for _, c := range []struct {
		argv   []string
		around string
		env    map[string]string
		words  string
	}{
		{argv: strings.Fields("python3 -m sglang.launch_server --model-path /dev/shm/DeepSeek-V3-0324/ --tp 8"), around: "python3 -m", words: "sglang.launch_server --model-path /dev/shm/DeepSeek-V3-0324/ --tp 8"},
		{argv: strings.Fields("taskset -c 0-7 vllm serve m --tp 8"), around: "taskset -c 0-7", words: "vllm serve m --tp 8"},
		{argv: strings.Fields("taskset --cpu-list 0-7 python -u -X dev -m sglang.bench_serving -m m"), around: "taskset --cpu-list 0-7 python -u -X dev -m", words: "sglang.bench_serving -m m"},
		{argv: strings.Fields("taskset 0xff ./llama-server -c -1"), around: "taskset 0xff", words: "./llama-server -c -1"},
		{argv: strings.Fields("numactl --cpunodebind=0 --membind 0 nice -n 5 vllm serve m"), around: "numactl --cpunodebind=0 --membind 0 nice -n 5", words: "vllm serve m"},
		{argv: strings.Fields("nice -n -5 x --a"), around: "nice -n -5", words: "x --a"},
		{argv: strings.Fields("nice -5 x --a"), around: "nice -5", words: "x --a"},
		{argv: strings.Fields("timeout -k 30s 1h vllm bench serve --num-prompts 4"), around: "timeout -k 30s 1h", words: "vllm bench serve --num-prompts 4"},
		{argv: strings.Fields("env -u HF_HUB_OFFLINE A=1 B=x=y aiperf profile -m m"), around: "env -u HF_HUB_OFFLINE", env: map[string]string{"A": "1", "B": "x=y"}, words: "aiperf profile -m m"},
		{argv: strings.Fields("env A=1 x"), env: map[string]string{"A": "1"}, words: "x"},
		{argv: strings.Fields("A=1 B= nohup x --a=1"), around: "nohup", env: map[string]string{"A": "1", "B": ""}, words: "x --a=1"},
		{argv: strings.Fields("srun -N 1 --gres=gpu:8 -w n1 -- sglang serve --tp 8"), around: "srun -N 1 --gres=gpu:8 -w n1 --", words: "sglang serve --tp 8"},
		{argv: strings.Fields("uv run --with vllm vllm serve m"), around: "uv run --with vllm", words: "vllm serve m"},
		{argv: strings.Fields("conda run -n sgl --no-capture-output python -m sglang.launch_server"), around: "conda run -n sgl --no-capture-output python -m", words: "sglang.launch_server"},
		{argv: []string{"bash", "-c", script}, around: "bash -c cd /opt; 2>&1 | tee -a out.log numactl -N 0", env: map[string]string{"A": "1"}, words: "vllm serve m --port 80"},
		{argv: []string{"nice", "bash", "-euo", "pipefail", "-c", "exec x --port ${{ late.port }}; wait"}, around: "nice bash -euo pipefail -c ; wait exec", words: "x --port ${{ late.port }}"},
		{argv: []string{"sh", "-c", `ulimit -n 9; exec x --a "$@"`, "name", "--seed", "2"}, around: "sh -c ulimit -n 9; name --seed 2 exec", words: `x --a "$@"`},
		{argv: strings.Fields("bash run.sh --tp 8"), words: "bash run.sh --tp 8"},
		{argv: strings.Fields("python -c x --tp=8"), words: "python -c x --tp=8"},
		{argv: strings.Fields("x --with taskset -c 0-7"), words: "x --with taskset -c 0-7"},
		{argv: strings.Fields("timeout 1h"), words: "timeout 1h"},
		{},
	} {
		r := Read(c.argv)
		if got := strings.Join(r.Around, " "); got != c.around {
			t.Errorf("%q: around it stands %q, want %q", c.argv, got, c.around)
		}
		if got := strings.Join(r.Words, " "); got != c.words {
			t.Errorf("%q: the program is %q, want %q", c.argv, got, c.words)
		}
		if diff := cmp.Diff(c.env, r.Env); diff != "" {
			t.Errorf("%q: %s", c.argv, diff)
		}
	}
}

// Whatever a profile looks for, it has to be among the readings; the first must be the command as it stands.
func TestReadings(t *testing.T) {
	for line, want := range map[string][]string{
		"python -u -m a.b --c":       {"a.b --c"},
		"nice -n 5 x --c":            {"nice -n 5 x --c", "x --c", "-n 5 x --c", "5 x --c", "--c"},
		"A=1 x y":                    {"x y"},
		"nohup numactl -N 0 x":       {"nohup numactl -N 0 x", "numactl -N 0 x", "x", "-N 0 x", "0 x"},
		"python -c pass":             nil,
		"x --like nice -n 5 y --c=d": {"x --like nice -n 5 y --c=d"},
	} {
		var got []string
		for _, r := range Readings(strings.Fields(line)) {
			got = append(got, strings.Join(r.Words, " "))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

func TestBefore(t *testing.T) {
	for line, want := range map[string]string{
		"tool --a":                                "",
		"taskset -c 0-3 python3 -u -m tool --a":   "taskset -c 0-3",
		"env -u B A=b nice -n 5 tool --a":         "env -u B A=b nice -n 5",
		"numactl -N 0 --membind=0 chrt -b 0 tool": "numactl -N 0 --membind=0 chrt -b 0",
		"A=b timeout 5 tool --a":                  "A=b timeout 5",
		"python3 -X dev -m tool --a":              "",
		"sudo -u me taskset -c 0 tool --a":        "-",
		"numactl --new 0 tool --a":                "-",
		"uv run python3 -m tool":                  "-",
		"bash -c 'exec'":                          "-",
	} {
		argv := strings.Fields(line)
		r := Reading{}
		for _, r = range Readings(argv) {
			if r.Program() == "tool" {
				break
			}
		}
		words, keep := r.Before(argv)
		if got := strings.Join(words, " "); keep != (want != "-") || keep && got != want {
			t.Errorf("%s: %q %v, want %q", line, got, keep, want)
		}
	}
}
