package matrix

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProblemsAsError(t *testing.T) {
	var none Problems
	if none.Err() != nil || none.HasErrors() {
		t.Error("no problem is no error")
	}
	warnings := Problems{{Severity: Warning, Message: "w"}}
	if warnings.Err() != nil || warnings.HasErrors() {
		t.Error("a warning is no error")
	}
	_, problems := Parse("s.yaml", []byte("version: 2\n"), Options{})
	err := problems.Err()
	var as Problems
	if !errors.As(err, &as) || len(as) != 3 {
		t.Errorf("%v", err)
	}
	want := "s.yaml:1:1: the sweep has no client [missing-key]: write client: {command: …}\n" +
		"s.yaml:1:1: the sweep has no server [missing-key]: write server: {command: …}\n" +
		"s.yaml:1:10: this servematrix reads version 1 of the sweep format only [bad-value]: write version: 1"
	if err.Error() != want {
		t.Error(err)
	}
}

func TestProblemFormats(t *testing.T) {
	ps := Problems{
		{Pos: Pos{"a,b:c.yaml", 3, 7}, Severity: Error, Rule: "x", Message: "50% of\nlines: bad", Suggestion: "fix <it>", Also: []Pos{{"a,b:c.yaml", 1, 1}}},
		{Pos: Pos{"s.yaml", 4, 1}, Severity: Warning, Rule: "y", Message: "m"},
	}
	var github, asJSON, empty bytes.Buffer
	if err := errors.Join(ps.WriteGitHub(&github), ps.WriteJSON(&asJSON), Problems(nil).WriteJSON(&empty)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("::error file=a%2Cb%3Ac.yaml,line=3,col=7,title=x::50%25 of%0Alines: bad: fix <it>\n::warning file=s.yaml,line=4,col=1,title=y::m\n", github.String()); d != "" {
		t.Error(d)
	}
	if empty.String() != "[]\n" {
		t.Errorf("%q", empty.String())
	}
	var back []map[string]any
	if err := json.Unmarshal(asJSON.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"file": "a,b:c.yaml", "line": 3., "col": 7., "severity": "error", "rule": "x", "message": "50% of\nlines: bad", "suggestion": "fix <it>",
		"also": []any{map[string]any{"file": "a,b:c.yaml", "line": 1., "col": 1.}}}
	if d := cmp.Diff(want, back[0]); d != "" {
		t.Error(d)
	}
}

// TestErrorsComeFirst: where not all problems fit, warnings give way.
func TestErrorsComeFirst(t *testing.T) {
	var ps Problems
	for i := range 25 {
		ps = append(ps, Problem{Pos: Pos{"s", i + 1, 1}, Severity: Warning, Message: "w"})
	}
	ps = append(ps, Problem{Pos: Pos{"s", 30, 1}, Severity: Error, Message: "the error"})
	var b bytes.Buffer
	if err := ps.WriteText(&b, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "the error") || !strings.HasSuffix(b.String(), "… and 6 more\n") {
		t.Error(b.String())
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("a", 300) + "XYZ" + strings.Repeat("b", 300)
	for _, tt := range []struct {
		line     string
		col, len int
		want     string
	}{
		{"key: value", 6, 5, "    key: value\n         ^~~~~\n"},
		{"\tk:\tv", 5, 1, "    \tk:\tv\n    \t  \t^\n"},
		{"中文: x", 5, 1, "    中文: x\n          ^\n"},
		{"a: 中文", 4, 2, "    a: 中文\n       ^~~~\n"},
		{"short", 99, 3, "    short\n         ^\n"},
		{long, 301, 3, "    …" + strings.Repeat("a", 46) + "XYZ" + strings.Repeat("b", 91) + "…\n     " + strings.Repeat(" ", 46) + "^~~\n"},
		{"", 1, 1, "    \n    ^\n"},
	} {
		var b bytes.Buffer
		writeExcerpt(&b, tt.line, tt.col, tt.len)
		if d := cmp.Diff(tt.want, b.String()); d != "" {
			t.Errorf("%.20q: %s", tt.line, d)
		}
	}
}

// TestExcerptsHideSecrets: a problem beside a secret must not show it.
func TestExcerptsHideSecrets(t *testing.T) {
	for line, want := range map[string]string{
		"command: run --api-key sk-123 --x":           "command: run --api-key ****** --x",
		"command: [run, --api-key, \"sk-1\", x]":      "command: [run, --api-key, \"****\", x]",
		"command: HF_TOKEN=hf_12 run --api-key=sk-1":  "command: HF_TOKEN=***** run --api-key=****",
		"env: {HF_TOKEN: hf_12, A: 1}":                "env: {HF_TOKEN: *****, A: 1}",
		"  api-key: sk-é中":                            "  api-key: *****",
		"env: {HF_TOKEN: ${{ env.HF_TOKEN }}}":        "env: {HF_TOKEN: ${{ env.HF_TOKEN }}}",
		"run --max-tokens 128 --api-key EMPTY --tp 8": "run --max-tokens 128 --api-key EMPTY --tp 8",
		"run --api-key --tp 8":                        "run --api-key --tp 8",
	} {
		if got := hideSecrets(line); got != want {
			t.Errorf("%s\n got %q\nwant %q", line, got, want)
		}
	}
	src := []byte("version: 1\nsecrets: [MINE]\nserver: {command: run, env: {MINE: topsecret}}\nclient: {command: run --api-key topsecret --x}\n")
	_, problems := Parse("s.yaml", src, Options{})
	var b bytes.Buffer
	if err := problems.WriteText(&b, map[string][]byte{"s.yaml": src}); err != nil {
		t.Fatal(err)
	}
	if len(problems) != 2 || strings.Contains(b.String(), "topsecret") {
		t.Error(b.String())
	}
}

// TestPlaces finds the exact column of a mistake in every style of a YAML scalar.
func TestPlaces(t *testing.T) {
	for _, text := range []string{
		"command: a ${{ BAD }}",
		"command: 'it''s ${{ BAD }}'",
		`command: "\t\x41\u0041é\" ${{ BAD }}"`,
		"command: |\n    first\n\n    é ${{ BAD }}\n",
		"command: >-\n    first\n    second ${{ BAD }}\n\n    third",
		"command: plain\n    folded ${{ BAD }}\n    more",
		"command: \"folded\n    over \\\n    lines ${{ BAD }}\"",
		"command: &anchor !!str  text ${{ BAD }}",
		"command: &anchor\n    text ${{ BAD }}",
		"command: [a, 'b', \"中文 ${{ BAD }}\"]",
		"command:\n    - a\n    - >\n      b\n      ${{ BAD }}",
		"command: ${{ 'é' + BAD }}",
		"command: ${{ 'x' +\n    BAD }}",
	} {
		sweep := "version: 1\nserver:\n  " + text + "\nclient: {command: run}\n"
		_, problems := Parse("s.yaml", []byte(sweep), Options{})
		before, _, _ := strings.Cut(sweep, "BAD")
		line := strings.Count(before, "\n") + 1
		col := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
		found := false
		for _, p := range problems {
			found = found || p.Message == `unknown name "BAD"` && p.Line == line && p.Col == col && p.Len == 3
		}
		if !found {
			t.Errorf("want %d:%d in\n%s\ngot %v", line, col, sweep, problems)
		}
	}
}
