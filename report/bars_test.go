package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCollapse(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"rewritten in place": {
			"one\n\r  0%|          | 0/40 [00:00<?, ?it/s]\r 22%|██▎       | 9/40 [00:00<00:01, 18.52it/s]\r100%|██████████| 40/40 [00:04<00:00,  9.1it/s]\ntwo\n",
			"one\n100%|██████████| 40/40 [00:04<00:00,  9.1it/s]\ntwo\n",
		},
		"a line each": {
			"\n  0%|          | 0/256 [00:00<?, ?it/s]\n  0%|          | 1/256 [00:34<2:28:11, 34.87s/it]\n100%|██████████| 256/256 [04:15<00:00,  1.00it/s]\n",
			"\n100%|██████████| 256/256 [04:15<00:00,  1.00it/s]\n",
		},
		"lines between the states stay": {
			"  0%|  | 0/2 [00:00<?, ?it/s]\nwarning: slow\n 50%|█ | 1/2 [00:01<00:01, 1it/s]\nwarning: slower\n100%|██| 2/2 [00:02<00:00, 1it/s]\nbye",
			"warning: slow\nwarning: slower\n100%|██| 2/2 [00:02<00:00, 1it/s]\nbye\n",
		},
		"two bars after one another": {
			"\r 50%|█ | 1/2 [00:01<00:01, 1it/s]\r100%|██| 2/2 [00:02<00:00, 1it/s]\n\r  0%|  | 0/2 [00:00<?, ?it/s]\r100%|██| 2/2 [00:03<00:00, 1it/s]\n",
			"100%|██| 2/2 [00:02<00:00, 1it/s]\n100%|██| 2/2 [00:03<00:00, 1it/s]\n",
		},
		"bars with names, one in the other": {
			"\rA:   0%|  | 0/2 [00:00<?, ?it/s]\rB:   0%|  | 0/3 [00:00<?, ?it/s]\rA: 100%|██| 2/2 [00:02<00:00, 1it/s]\rB: 100%|██| 3/3 [00:02<00:00, 1it/s]\n",
			"A: 100%|██| 2/2 [00:02<00:00, 1it/s]\nB: 100%|██| 3/3 [00:02<00:00, 1it/s]\n",
		},
		"text behind a bar is kept": {
			"\r  0%|          | 0/40 [00:00<?, ?it/s]Traceback (most recent call last):\n  File x\n\r100%|██████████| 40/40 [00:04<00:00,  9.1it/s]\n",
			"  0%|          | 0/40 [00:00<?, ?it/s]Traceback (most recent call last):\n  File x\n100%|██████████| 40/40 [00:04<00:00,  9.1it/s]\n",
		},
		"without a total":   {"\r0it [00:00, ?it/s]\r12it [00:01, 9.80it/s]\r25it [00:02, 11.2it/s]\n", "25it [00:02, 11.2it/s]\n"},
		"waiting bar":       {"\r |          | 00:00 elapsed, ? remaining\r |██████     | 00:05 elapsed, 00:04 remaining\r |██████████| 00:10 elapsed, 00:00 remaining\nfailed\n", " |██████████| 00:10 elapsed, 00:00 remaining\nfailed\n"},
		"shard counter":     {"Loading:   0% Completed | 0/4 [00:00<?, ?it/s]\nLoading: 100% Completed | 4/4 [00:01<00:00,  2.4it/s]\n", "Loading: 100% Completed | 4/4 [00:01<00:00,  2.4it/s]\n"},
		"cleared line":      {"\r 50%|█ | 1/2 [00:01<00:01, 1it/s]\r                        \rlog\n", " 50%|█ | 1/2 [00:01<00:01, 1it/s]\nlog\n"},
		"DOS lines":         {"one\r\n\r\ntwo\r\n", "one\n\ntwo\n"},
		"no bar at all":     {"a | b [c]\n\n50% of [x]\n", "a | b [c]\n\n50% of [x]\n"},
		"coloured":          {"\r\x1b[32m  0%|  | 0/2 [00:00<?, ?it/s]\x1b[0m\r\x1b[32m100%|██| 2/2 [00:02<00:00, 1it/s]\x1b[0m\n", "\x1b[32m100%|██| 2/2 [00:02<00:00, 1it/s]\x1b[0m\n"},
		"a cursor moved up": {"A:  50%|█ | 1/2 [00:02<00:02, 1it/s]\n\rB:   0%|  | 0/3 [00:00<?, ?it/s]\x1b[A\rA: 100%|██| 2/2 [00:04<00:00, 1it/s]\n", "B:   0%|  | 0/3 [00:00<?, ?it/s]\x1b[A\nA: 100%|██| 2/2 [00:04<00:00, 1it/s]\n"},
		"nothing":           {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, string(collapse([]byte(c.in)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCollapseRealOutput(t *testing.T) {
	for name, want := range map[string]struct {
		states int    // of bars that are left
		has    string // the last state
		keeps  []string
	}{
		"sglang-tqdm.stderr":    {1, "| 40/40 [", []string{"PyTorch was not found"}},
		"vllm-waiting.stderr":   {1, "elapsed,", []string{"Triton is installed", "Traceback (most recent call last):"}},
		"vllm-traceback.stderr": {1, "| 0/40 [00:00<?, ?it/s]Traceback", []string{"Triton is installed", "ValueError"}},
	} {
		t.Run(name, func(t *testing.T) {
			in, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			got := string(collapse(in))
			states := 0
			for line := range strings.Lines(got) {
				if _, ok := barState(strings.TrimRight(line, "\n")); ok {
					states++
					if !strings.Contains(line, want.has) {
						t.Errorf("left a state that is not the last: %q", line)
					}
				}
			}
			if states != want.states {
				t.Errorf("%d states left, want %d:\n%s", states, want.states, got)
			}
			for _, s := range want.keeps {
				if !strings.Contains(got, s) {
					t.Errorf("lost %q", s)
				}
			}
		})
	}
}

// Text without a bar stays as it is, and so does the last state.
func TestCollapseKeepsTheRest(t *testing.T) {
	line := rapid.SampledFrom([]string{
		"log line", "", "  0%|  | 0/2 [00:00<?, ?it/s]", "100%|██| 2/2 [00:02<00:00, 1it/s]", "X:  50%|█ | 1/2 [00:01<00:01, 1it/s]", "error | [x]",
	})
	end := rapid.SampledFrom([]string{"\n", "\r"})
	rapid.Check(t, func(t *rapid.T) {
		var in strings.Builder
		var others []string
		last := ""
		for range rapid.IntRange(0, 20).Draw(t, "lines") {
			s := line.Draw(t, "line")
			in.WriteString(s + end.Draw(t, "end"))
			if _, bar := barState(s); bar {
				last = s
			} else if s != "" {
				others = append(others, s)
			}
		}
		once := collapse([]byte(in.String()))
		var left []string
		for l := range strings.Lines(string(once)) {
			l = strings.TrimRight(l, "\n")
			if _, bar := barState(l); !bar && l != "" {
				left = append(left, l)
			}
		}
		if diff := cmp.Diff(others, left); diff != "" {
			t.Fatalf("lines that are no bars changed: %s", diff)
		}
		if last != "" && !strings.Contains(string(once), last) {
			t.Fatalf("the last state of all is gone: %q", last)
		}
	})
}
