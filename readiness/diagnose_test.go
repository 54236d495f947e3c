package readiness

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "server.log")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDiagnose(t *testing.T) {
	patterns := []Pattern{
		{Class: "kv_memory", Log: regexp.MustCompile(`Not enough memory`)},
		{Class: "oom", Log: regexp.MustCompile(`CUDA out of memory|NPU out of memory`)},
		{Class: "start_failed", Log: regexp.MustCompile(`Scheduler hit an exception:`)},
		{Class: "oom", Log: regexp.MustCompile(`(?i)outofmemory`)},
	}
	for name, c := range map[string]struct {
		logs    []string
		class   string
		message string
		file    int
		line    int
		lines   []string // those that matter
	}{
		"order of the list, not of the log": {[]string{"Scheduler hit an exception:\nx\nCUDA out of memory 2\n"}, "oom", "CUDA out of memory 2", 0, 3, []string{"CUDA out of memory 2", "Scheduler hit an exception:"}},
		"first line of the pattern":         {[]string{"a\nCUDA out of memory 1\nNPU out of memory 2\n"}, "oom", "CUDA out of memory 1", 0, 2, []string{"CUDA out of memory 1"}},
		"the better line of a class":        {[]string{"OutOfMemoryError here\nCUDA out of memory\n"}, "oom", "CUDA out of memory", 0, 2, []string{"CUDA out of memory", "OutOfMemoryError here"}},
		"second file":                       {[]string{"Scheduler hit an exception:\n", "1\n2\nNot enough memory."}, "kv_memory", "Not enough memory.", 1, 3, []string{"Not enough memory.", "Scheduler hit an exception:"}},
		"the same twice":                    {[]string{"CUDA out of memory: x\n", "Scheduler hit an exception: CUDA out of memory: x\n"}, "oom", "CUDA out of memory: x", 0, 1, []string{"CUDA out of memory: x"}},
		"none":                              {[]string{"all is well\n", ""}, "", "", -1, 0, nil},
		"no file":                           {nil, "", "", -1, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var files []string
			for _, text := range c.logs {
				files = append(files, file(t, text))
			}
			d, ok := Diagnose(files, patterns)
			if ok != (c.class != "") {
				t.Fatalf("ok is %v", ok)
			}
			var lines []string
			for _, l := range d.Lines {
				lines = append(lines, l.Text)
			}
			if diff := cmp.Diff(c.lines, lines); diff != "" {
				t.Error(diff)
			}
			if ok && (d.Lines[0].File != d.File || d.Lines[0].No != d.Line) {
				t.Errorf("the first line is %+v, the diagnosis %s:%d", d.Lines[0], d.File, d.Line)
			}
			want := Diagnosis{Class: c.class, Message: c.message, Line: c.line, Lines: d.Lines, Tail: d.Tail}
			if c.file >= 0 {
				want.File = files[c.file]
			}
			if diff := cmp.Diff(want, d); diff != "" {
				t.Error(diff)
			}
			if len(c.logs) > 0 && len(d.Tail) == 0 {
				t.Error("no tail")
			}
		})
	}
}

func TestDiagnoseMissingFile(t *testing.T) {
	if d, ok := Diagnose([]string{"/does/not/exist"}, failures); ok || len(d.Tail) > 0 {
		t.Errorf("got %+v", d)
	}
}

func TestTail(t *testing.T) {
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, "line %d\n", i)
	}
	for name, c := range map[string]struct {
		in   string
		n    int
		want []string
	}{
		"fewer than asked":  {"a\n\n b \n", 5, []string{"a", "b"}},
		"no newline":        {"a\nb", 1, []string{"b"}},
		"long file":         {many.String(), 2, []string{"line 99998", "line 99999"}},
		"overwritten lines": {"x\n 10%\r 50%\rdone\ny\n", 9, []string{"x", "done", "y"}},
		"tqdm line by line": {"Loading shards:  50% Completed | 1/2 [00:01<00:01,  1it/s]\nLoading shards: 100% Completed | 2/2 [00:02<00:00,  1it/s]\nok\n", 9,
			[]string{"Loading shards: 100% Completed | 2/2 [00:02<00:00,  1it/s]", "ok"}},
		"two bars": {"A: 10%| | 1/10 [00:01\nB: 10%| | 1/10 [00:01\nB: 20%| | 2/10 [00:02\n", 9, []string{"A: 10%| | 1/10 [00:01", "B: 20%| | 2/10 [00:02"}},
		"empty":    {"", 9, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Tail(file(t, c.in), c.n)); diff != "" {
				t.Error(diff)
			}
		})
	}
	one := Tail(file(t, strings.Repeat("x", 3*tailBytes)), 3)
	if len(one) != 1 || len([]rune(one[0])) != tailLineCap {
		t.Errorf("one endless line gives %d lines", len(one))
	}
}

// TestLiterals holds the byte search to what it must never do: hide a match.
func TestLiterals(t *testing.T) {
	for expr, want := range map[string][]string{
		`Not enough memory\. Please`:                {"Not enough memory. Please"},
		`CUDA out of memory|NPU out of memory`:      {"CUDA out of memory", "NPU out of memory"},
		`^error: (?:unrecognized|unknown) argument`: {"error: un"},
		`(?i)oom`:         nil,
		`a*b*`:            nil,
		`EZ9999|.*`:       nil,
		`exit code: -?\d`: {"exit code: "},
	} {
		tree := newMatcher(regexp.MustCompile(expr))
		var got []string
		for _, s := range tree.need {
			got = append(got, string(s))
		}
		slices.Sort(got)
		if expr == `^error: (?:unrecognized|unknown) argument` {
			if len(got) != 1 || !strings.Contains("error: un", got[0]) && got[0] != " argument" {
				t.Errorf("%s: %q", expr, got)
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", expr, diff)
		}
	}
}

func FuzzMatcherAgreesWithRegexp(f *testing.F) {
	f.Add(`(?:ab|cd)+e?`, "xxabx")
	f.Add(`(a|)b{2,3}`, "abb")
	f.Add(`(?i)ab|c`, "AB")
	f.Fuzz(func(t *testing.T, expr, line string) {
		re, err := regexp.Compile(expr)
		if err != nil {
			t.Skip()
		}
		if got, want := newMatcher(re).match([]byte(line)), re.MatchString(line); got != want {
			t.Errorf("%q on %q: %v, want %v", expr, line, got, want)
		}
	})
}
