package engine

import (
	"os"
	"strings"
	"testing"

	"servematrix/command"
)

// Flags that are offered are spelled as the programs spell the arguments that they print. vLLM
// prints no list of all its arguments: what its engine reports is held against what there is of it.
func TestFlagsWorthSweepingAreSpelledAsTheProgramsDo(t *testing.T) {
	c := Embedded()
	for _, of := range []struct {
		name, file string
		worth      []Worth
		unseen     string // what this print does not hold
	}{
		{"sglang", "testdata/logs/sglang-0.5.9.stderr", c.Server("sglang").Worth, ""},
		{"vllm", "../effective/testdata/vllm-0.32.0.stdout", c.Server("vllm").Worth, "--attention-backend --gpu-memory-utilization --max-num-batched-tokens --max-num-seqs --scheduling-policy"},
		{"sglang.bench_serving", "../result/testdata/failed/sglang-bench.no-server.stdout", c.Client("sglang.bench_serving").Worth, ""},
		{"vllm bench serve", "../result/testdata/failed/vllm-bench.good-40.stdout", c.Client("vllm bench serve").Worth, ""},
	} {
		printed, err := os.ReadFile(of.file)
		if err != nil {
			t.Fatal(err)
		}
		if len(of.worth) < 5 {
			t.Errorf("%s: only %d flags", of.name, len(of.worth))
		}
		for _, w := range of.worth {
			first, _, _ := strings.Cut(w.Flag, "|")
			found := false
			for name := range strings.SplitSeq(w.Flag, "|") {
				argument := strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(name, "--"), "no-"), "-", "_")
				found = found || strings.Contains(string(printed), argument+"=") || strings.Contains(string(printed), "'"+argument+"': ")
			}
			if known := !strings.Contains(of.unseen, first); found != known {
				t.Errorf("%s: %s is printed: %v", of.name, first, found)
			}
			if !command.IsFlag(first) || w.Why == "" {
				t.Errorf("%s: %q needs a flag and a why", of.name, w.Flag)
			}
		}
	}
}
