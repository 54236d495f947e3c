package servematrix_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"servematrix/matrix"
)

var exampleRow = regexp.MustCompile("(?m)^\\| `(.*)` \\| (.+) \\|$")

// TestExpressionsInDocs evaluates each example of docs/reference/expressions.md in the sweep that
// stands before it, and wants what stands beside it.
func TestExpressionsInDocs(t *testing.T) {
	page := readDoc(t, "docs/reference/expressions.md")
	for head, try := range map[string]func(t *testing.T, context, written string) string{
		"in the command": asWords, "condition": whetherHolds, "rule": matched,
	} {
		tried := 0
		for _, part := range strings.Split(page, "\n| "+head+" | ")[1:] {
			contexts := fencedYAML.FindAllStringSubmatch(page[:strings.Index(page, part)], -1)
			context := contexts[len(contexts)-1][1] // the last before the table
			rows, _, _ := strings.Cut(part, "\n\n")
			for _, row := range exampleRow.FindAllStringSubmatch(rows, -1) {
				tried++
				got := try(t, context, row[1])
				if want, fails := strings.CutPrefix(row[2], "error: "); fails {
					if !strings.HasPrefix(got, "error: ") || !strings.Contains(got, want) {
						t.Errorf("%s gives %s, and no error that holds %q", row[1], got, want)
					}
				} else if got != row[2] {
					t.Errorf("%s gives %s, not %s", row[1], got, row[2])
				}
			}
		}
		if tried < 8 {
			t.Errorf("only %d examples under %q", tried, head)
		}
	}
}

func asWords(t *testing.T, context, written string) string {
	plan, problems := withServer(t, context, map[string]any{"command": "s " + written})
	if plan == nil {
		return "error: " + problems.Error()
	}
	argv := plan.Servers[0].Argv[1:]
	for i, word := range argv {
		argv[i] = "`" + word + "`"
	}
	return strings.Join(argv, " ")
}

func whetherHolds(t *testing.T, context, written string) string {
	plan, problems := withServer(t, context, map[string]any{"command": "s", "require": []string{written}})
	switch {
	case plan != nil:
		return "yes"
	case len(problems) == 1 && problems[0].Rule == "require":
		return "no"
	}
	return "error: " + problems.Error()
}

// matched gives the names of the rows that a rule takes out.
func matched(t *testing.T, context, written string) string {
	var rule any
	if err := yaml.Unmarshal([]byte(written), &rule); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"command": "s ${{ tp }} ${{ backend }}"}
	whole, problems := withServer(t, context, all)
	if whole == nil {
		t.Fatal(problems)
	}
	all["exclude"] = []any{rule}
	plan, problems := withServer(t, context, all)
	if plan == nil {
		return "error: " + problems.Error()
	}
	var names []string
	for _, s := range whole.Servers {
		if !slices.ContainsFunc(plan.Servers, func(left *matrix.Server) bool { return left.Name == s.Name }) {
			names = append(names, "`"+s.Name+"`")
		}
	}
	return strings.Join(names, " ")
}

// withServer loads the context with further keys of its server.
func withServer(t *testing.T, context string, keys map[string]any) (*matrix.Plan, matrix.Problems) {
	t.Helper()
	more, err := yaml.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}
	text := "version: 1\n" + context + "  " + strings.ReplaceAll(strings.TrimSpace(string(more)), "\n", "\n  ") + "\nclient: {command: c}\n"
	return matrix.Parse("sweep.yaml", []byte(text), matrix.Options{Getenv: func(string) (string, bool) { return "", false }})
}
