package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/result"
)

func TestTakeApart(t *testing.T) {
	for _, c := range []struct {
		argv    []string
		program string
		flags   map[string]string
	}{
		{[]string{"vllm", "serve", "M", "--tensor_parallel_size", "8", "--enforce-eager"}, "vllm serve M", map[string]string{"--tensor-parallel-size": "8", "--enforce-eager": Present}},
		{[]string{"python3", "-m", "sglang.launch_server", "--tp=8"}, "python3 -m sglang.launch_server", map[string]string{"--tp": "8"}},
		{[]string{"/usr/bin/python3.12", "-u", "-X", "dev", "-m", "sglang.bench_serving", "-m", "M"}, "/usr/bin/python3.12 -u -X dev -m sglang.bench_serving", map[string]string{"-m": "M"}},
		{[]string{"python3", "-u", "bench.py", "--tp=8"}, "python3 -u bench.py", map[string]string{"--tp": "8"}},
		{[]string{"python3", "-c", "x", "--tp=8"}, "python3", map[string]string{"-c": "x", "--tp": "8"}},
		{[]string{"llama-server", "-c", "-1", "--lora", "a", "--lora", "b"}, "llama-server", map[string]string{"-c": "-1", "--lora": "a b"}},
		{[]string{"s", "--cuda-graph-bs", "1", "2", "4", "--x="}, "s", map[string]string{"--cuda-graph-bs": "1 2 4", "--x": ""}},
		{[]string{"llama-server", "-c", "1", "-c", "2"}, "llama-server", map[string]string{"-c": "2"}},
		{[]string{"vllm", "serve", "M", "--tp", "2", "--tp=4", "--middleware", "a", "--middleware=b"}, "vllm serve M", map[string]string{"--tp": "4", "--middleware": "a b"}},
		{[]string{"taskset", "-c", "0-7", "vllm", "serve", "M", "--tp", "8"}, "taskset -c 0-7 vllm serve M", map[string]string{"--tp": "8"}},
		{[]string{"timeout", "-k", "5", "1h", "mybench", "--n", "8"}, "timeout -k 5 1h mybench", map[string]string{"--n": "8"}},
		{[]string{"sh", "-c", `exec vllm serve M "$@" --tp 8`, "serve", "--seed", "2"}, `sh -c serve --seed 2 exec vllm serve M "$@"`, map[string]string{"--tp": "8"}}, // other words differ
		{[]string{"bash", "-c", "exec vllm serve M --tp 8"}, "bash -c exec vllm serve M", map[string]string{"--tp": "8"}},
		{[]string{"bash", "-c", "ulimit -n 65536\nvllm serve M --tp 8 > log"}, "bash -c ulimit -n 65536 > log vllm serve M", map[string]string{"--tp": "8"}},
		{[]string{"x", "--tp", "8", "--", "--tp", "9"}, "x --tp 9", map[string]string{"--tp": "8"}},
		{nil, "", map[string]string{}},
	} {
		got := takeApart(&result.Side{Argv: c.argv})
		if got.program != c.program {
			t.Errorf("%q: program %q, want %q", c.argv, got.program, c.program)
		}
		if diff := cmp.Diff(c.flags, got.flags); diff != "" {
			t.Errorf("%q: %s", c.argv, diff)
		}
	}
}

// A variable is one whether the sweep sets it or the command does, and the nearer one counts.
func TestVariablesOfACommand(t *testing.T) {
	a := takeApart(&result.Side{Argv: []string{"env", "A=1", "B=2", "vllm", "serve", "M"}, Env: map[string]string{"B": "3", "C": "4"}})
	b := takeApart(&result.Side{Argv: []string{"vllm", "serve", "M"}, Env: map[string]string{"A": "1", "B": "2", "C": "4"}})
	if changes := a.changes(b); len(changes) > 0 {
		t.Errorf("they differ: %+v", changes)
	}
}

func TestChangesGoByFlagNotByPlace(t *testing.T) {
	a := takeApart(&result.Side{Argv: []string{"s", "--tp", "8", "--mem", "0.90", "--disable-radix"}, Env: map[string]string{"A": "1", "B": "2"}})
	b := takeApart(&result.Side{Argv: []string{"s", "--mem", "0.9", "--chunk", "4", "--tp", "4"}, Env: map[string]string{"B": "3"}})
	var got []string
	text := func(s *string) string {
		if s == nil {
			return Absent
		}
		return *s
	}
	for _, c := range a.changes(b) {
		got = append(got, c.kind+" "+c.name+": "+text(c.baseline)+" → "+text(c.arm))
	}
	want := []string{"flag --chunk: absent → 4", "flag --disable-radix: present → absent", "flag --tp: 8 → 4", "env A: 1 → absent", "env B: 2 → 3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
