package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"servematrix/cmd/servematrix/cli"
)

// planned is what these tests read of plan --format json.
type planned struct {
	Servers, Clients []struct {
		Argv []string
		Env  map[string]string
	}
}

// program runs the whole program in a folder.
func program(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	env := cli.OSEnv()
	env.Args, env.Dir, env.Stdout, env.Stderr = args, dir, &out, &err
	env.Env = []string{"HOME=/home/me"}
	code = cli.Run(context.Background(), env)
	return code, out.String(), err.String()
}

func planOf(t *testing.T, dir, sweep string) planned {
	t.Helper()
	code, stdout, stderr := program(t, dir, "plan", "--format", "json", sweep)
	if code != 0 {
		text, _ := os.ReadFile(filepath.Join(dir, sweep))
		t.Fatalf("plan: exit %d\n%s\n%s", code, stderr, text)
	}
	var p planned
	if err := json.Unmarshal([]byte(stdout), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// lines writes what is planned as the cases do: variables ; words, · for a blank within a word.
func (p planned) lines() (lines []string) {
	for _, half := range []struct {
		name string
		all  []struct {
			Argv []string
			Env  map[string]string
		}
	}{{"server", p.Servers}, {"client", p.Clients}} {
		for _, v := range half.all {
			words := []string{half.name}
			for _, name := range slices.Sorted(maps.Keys(v.Env)) {
				words = append(words, strings.ReplaceAll(name+"="+v.Env[name], " ", "·"))
			}
			words = append(words, ";")
			for _, w := range v.Argv {
				words = append(words, strings.ReplaceAll(w, " ", "·"))
			}
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return lines
}

// Commands that people paste become a sweep whose plan has just these commands, and
// everything that could not be kept is named on stderr and in the file.
func TestPastedCommandsArePlannedAsTheyAre(t *testing.T) {
	cases, err := filepath.Glob("testdata/pasted/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal(cases, err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			args := []string{"init", "sweep.yaml"}
			var want, notes []string
			for _, f := range archive.Files {
				switch half := strings.TrimRight(f.Name, "0123456789"); half {
				case "server", "client":
					args = append(args, "--"+half, string(f.Data))
				case "want":
					for line := range strings.Lines(string(f.Data)) {
						line = strings.TrimSuffix(line, "\n")
						if note, ok := strings.CutPrefix(line, "note "); ok {
							notes = append(notes, note)
						} else {
							want = append(want, inOrder(line))
						}
					}
				default:
					t.Fatalf("%s: what is %s?", file, f.Name)
				}
			}
			dir := t.TempDir()
			if code, _, stderr := program(t, dir, args...); code != 0 || strings.Contains(stderr, "needs your hand") {
				t.Fatalf("init: exit %d\n%s", code, stderr)
			} else {
				text := read(t, dir)
				for _, n := range notes {
					if !strings.Contains(stderr, n) || !strings.Contains(text, n) {
						t.Errorf("not told on stderr and in the file: %s\n%s", n, stderr)
					}
				}
				if len(notes) == 0 && strings.Contains(stderr, "note:") {
					t.Errorf("nothing was to be told:\n%s", stderr)
				}
			}
			if code, _, stderr := program(t, dir, "validate", "sweep.yaml"); code != 0 {
				t.Fatalf("validate: exit %d\n%s", code, stderr)
			}
			if diff := cmp.Diff(want, planOf(t, dir, "sweep.yaml").lines()); diff != "" {
				t.Errorf("want - plan +\n%s\n%s", diff, read(t, dir))
			}
		})
	}
}

func read(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "sweep.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// inOrder sorts the variables of a line, which have no order.
func inOrder(line string) string {
	head, argv, _ := strings.Cut(line, " ;")
	words := strings.Fields(head)
	slices.Sort(words[1:])
	return strings.Join(words, " ") + " ;" + argv
}

var (
	offered = regexp.MustCompile(`(?m)^  #   (\w+): \[.*\] # .+$`)
	value   = regexp.MustCompile(`(?m)^    #   - .+$`)
)

// What init offers can be taken in line by line: the sweep stays valid and has more variants.
func TestWhatInitOffersCanBeTakenIn(t *testing.T) {
	for name, pasted := range map[string][2]string{
		"sglang":   {"python3 -m sglang.launch_server --model-path /m --tp 8 --disable-radix-cache", "python3 -m sglang.bench_serving --num-prompts 10 --request-rate=inf"},
		"vllm":     {"vllm serve /m", "vllm bench serve --model m"},
		"embedded": {"servematrix sim serve", "servematrix bench --dataset-name random --max-concurrency 2"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if code, _, stderr := program(t, dir, "init", "sweep.yaml", "--server", pasted[0], "--client", pasted[1]); code != 0 {
				t.Fatal(stderr)
			}
			text := read(t, dir)
			before := planOf(t, dir, "sweep.yaml")
			if len(before.Servers) != 1 || len(before.Clients) != 1 {
				t.Fatalf("%d servers, %d clients before anything is taken in", len(before.Servers), len(before.Clients))
			}
			taken := 0
			for _, at := range offered.FindAllStringSubmatchIndex(text, -1) {
				axis := text[at[2]:at[3]]
				from, to := 0, strings.Index(text, "\nclient:")
				if at[0] > to {
					from, to = to, len(text)
				}
				half := text[from:to]
				for _, line := range []string{"  # axes:", "  # args:"} {
					half = strings.Replace(half, line+"\n", strings.Replace(line, "# ", "", 1)+"\n", 1)
				}
				uncommented := regexp.MustCompile(`(?m)^  # (  `+axis+`: \[|  \S+: \$\{\{ `+axis+` \}\})`).ReplaceAllString(half, "  $1")
				if strings.Count(half, "\n  # ")-strings.Count(uncommented, "\n  # ") != 2 {
					t.Fatalf("%s has no two lines to take in:\n%s", axis, half)
				}
				check(t, dir, "taken.yaml", text[:from]+uncommented+text[to:], axis)
				taken++
			}
			for _, at := range value.FindAllStringIndex(text, -1) {
				line := text[at[0]:at[1]]
				check(t, dir, "taken.yaml", text[:at[0]]+strings.Replace(line, "# ", "", 1)+text[at[1]:], line)
				taken++
			}
			if want := map[string]int{"sglang": 13, "vllm": 16, "embedded": 6}[name]; taken < want {
				t.Errorf("%d things to take in, want %d at least", taken, want)
			}
		})
	}
}

// check validates a sweep in which something was taken in, and counts that there is more to run.
func check(t *testing.T, dir, file, text, what string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := program(t, dir, "validate", file); code != 0 {
		t.Fatalf("%s: validate: exit %d\n%s\n%s", what, code, stderr, text)
	}
	p := planOf(t, dir, file)
	if len(p.Servers)*len(p.Clients) < 2 {
		t.Errorf("%s: %s", what, fmt.Sprint(p.lines()))
	}
}
