package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/effective"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/process"
	"servematrix/result"
)

// examples gives the code blocks of the pages on results and events that are marked with kind.
func examples(t *testing.T, kind string) []string {
	t.Helper()
	var text strings.Builder
	for _, page := range []string{"results.md", "events.md"} {
		data, err := os.ReadFile("../docs/reference/" + page)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	var out []string
	parts := strings.Split(text.String(), "```")
	for i := 1; i < len(parts); i += 2 {
		if mark, body, _ := strings.Cut(parts[i], "\n"); mark == kind {
			out = append(out, body)
		}
	}
	if len(out) == 0 {
		t.Fatalf("docs/reference has no example of %q", kind)
	}
	return out
}

// strict decodes an example that must fit its type to the last key.
func strict(t *testing.T, text string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
}

// same checks that what was decoded is written again with the same keys and values.
func same(t *testing.T, text string, v any) {
	t.Helper()
	again, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := errors.Join(json.Unmarshal([]byte(text), &want), json.Unmarshal(again, &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the example is not what is written (-docs +written):\n%s", diff)
	}
}

// eventTypes reads the types of events out of journal's source.
func eventTypes(t *testing.T) []journal.Type {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../journal/event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var types []journal.Type
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "Type" {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			types = append(types, journal.Type(value))
		}
		return true
	})
	if len(types) < 10 {
		t.Fatalf("only %d types of events found", len(types))
	}
	return types
}

// dataOf is the type of an event's data, as journal documents it.
var dataOf = map[journal.Type]func() any{
	journal.RunStarted: func() any { return &journal.Session{} }, journal.RunResumed: func() any { return &journal.Session{} },
	journal.CellSkipped: func() any { return &journal.Skip{} }, journal.LaunchStarted: func() any { return &journal.Launch{} },
	journal.LaunchRunning: func() any { return &journal.Running{} }, journal.LaunchReady: func() any { return &journal.Ready{} },
	journal.LaunchConfigured: func() any { return &journal.Configured{} },
	journal.LaunchHolds:      func() any { return &process.Holdings{} },
	journal.LaunchFailed:     func() any { return &journal.Failure{} }, journal.CacheFlushed: func() any { return &journal.Flushed{} },
	journal.SampleStarted: func() any { return &journal.Sample{} }, journal.ClientStarted: func() any { return &journal.Running{} },
	journal.ClientExited: func() any { return &journal.Exited{} }, journal.SampleEnded: func() any { return &journal.Ended{} },
	journal.LaunchStopping: func() any { return &journal.Stopping{} }, journal.LaunchEnded: func() any { return &journal.Gone{} },
	journal.BlockEnded: func() any { return &journal.Look{} },
	journal.HookEnded:  func() any { return &journal.HookRun{} }, journal.Warning: func() any { return &journal.Note{} },
	journal.RunInterrupted: func() any { return &journal.Note{} }, journal.RunEnded: func() any { return &journal.Verdict{} },
}

// Every type of event stands in the document with an example that fits it.
func TestDocumentedEvents(t *testing.T) {
	found := map[journal.Type]bool{}
	for _, text := range examples(t, "json event") {
		var e journal.Event
		strict(t, text, &e)
		data, known := dataOf[e.Type]
		if !known {
			t.Errorf("the example of %q has no type in journal", e.Type)
			continue
		}
		found[e.Type] = true
		v := data()
		strict(t, string(e.Data), v)
		same(t, string(e.Data), v)
		same(t, text, e)
	}
	for _, typ := range eventTypes(t) {
		if !found[typ] {
			t.Errorf("docs/reference/events.md has no example of %s", typ)
		}
	}
}

func TestDocumentedPlan(t *testing.T) {
	text := examples(t, "json plan")[0]
	var plan matrix.Plan
	strict(t, text, &plan)
	same(t, text, plan)
}

func TestDocumentedConfig(t *testing.T) {
	text := examples(t, "json effective")[0]
	var c effective.Config
	strict(t, text, &c)
	same(t, text, c)
}

func TestDocumentedSample(t *testing.T) {
	text := examples(t, "json sample")[0]
	var s result.Sample
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	same(t, text, s)
}

// Each metric is explained, and so is each failure class and validity reason, in the code's order.
func TestDocumentedNames(t *testing.T) {
	data, err := os.ReadFile("../docs/reference/results.md")
	if err != nil {
		t.Fatal(err)
	}
	explained := func(name string) {
		if !bytes.Contains(data, []byte("`"+name+"`")) {
			t.Errorf("docs/reference/results.md does not explain %s", name)
		}
	}
	for _, name := range metric.Names() {
		explained(name)
	}
	for head, names := range map[string][]string{"class": matrix.FailureClasses(), "reason": constants(t, "../result/reason.go", "RequestsFailed", "Throttled")} {
		_, rows, _ := strings.Cut(string(data), "\n| "+head+" | says |\n|---|---|\n")
		rows, _, _ = strings.Cut(rows, "\n\n")
		var got []string
		for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(rows, -1) {
			got = append(got, row[1])
		}
		if diff := cmp.Diff(names, got); diff != "" {
			t.Errorf("the table of each %s is not the code's (-code +docs): %s", head, diff)
		}
	}
}

// constants gives the texts of a group of constants in a file, from one name to another.
func constants(t *testing.T, path, from, to string) (values []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	within := false
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		within = within || spec.Names[0].Name == from
		if within {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
		}
		within = within && spec.Names[0].Name != to
		return false
	})
	return values
}

// The table of the CSV's columns is the CSV's head, in its order: no column without a word about
// it, and no word about a column that is not there.
func TestDocumentedColumns(t *testing.T) {
	data, err := os.ReadFile("../docs/reference/results.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "\n## results.csv\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var got []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*|each metric[^|]*)\\|").FindAllStringSubmatch(section, -1) {
		if strings.HasPrefix(row[1], "each metric") {
			got = append(got, metric.Names()...)
			continue
		}
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			got = append(got, name[1])
		}
	}
	axes := csvColumns{server: []string{"AXIS"}, client: []string{"AXIS"}}
	if diff := cmp.Diff(axes.head(), got); diff != "" {
		t.Errorf("docs/reference/results.md and the head of results.csv differ (-code +docs):\n%s", diff)
	}
}

// A reader of RFC 4180 finds in each line a field for each column, whatever the texts hold.
func TestHostileCSV(t *testing.T) {
	r := oneCell(t, outcome{status: result.StatusFailed, failure: &journal.Failure{
		Class: "oom", Phase: "start", Message: "=cmd|' /C calc'!A0,\"quoted\"\nand a line; \u202e", File: "launches/x/server.err", Line: 7,
	}})
	var b bytes.Buffer
	if err := CSV(&b, r.folder); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != 2 {
		t.Fatal(lines, err)
	}
	got := map[string]string{}
	for i, name := range lines[0] {
		got[name] = lines[1][i]
	}
	want := map[string]string{
		"failure_message": "'=cmd|' /C calc'!A0,\"quoted\"\\nand a line; \\u202e", "failure_phase": "start", "failure_file": "launches/x/server.err", "failure_line": "7",
		"valid": "", "validity_reasons": "", "start_time": "2026-11-20T22:09:39Z", "client_s": "80", "client_end_time": "", "server_id": "flashinfer-0a1b2c3d4e5f",
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
	if !strings.HasPrefix(got["server_command"], "SGLANG_ENABLE_FLASHINFER_GEMM=1 python3 -m sglang.launch_server ") {
		t.Errorf("the server's command is %q", got["server_command"])
	}
}

// What has no column of its own is in the line as JSON.
func TestCSVIsComplete(t *testing.T) {
	s := &result.Sample{
		Metrics:  metric.Of(map[string]float64{"p99.9_ttft_ms": 12.5, "mean_ttft_ms": 1}),
		Extra:    map[string]any{"Backend": "sglang-oai", "retokenized <tokens>": int64(3)},
		Validity: &result.Validity{Reasons: []result.Reason{{Reason: "no_metrics", Severity: "error", Detail: "no ITL"}, {Reason: "no_metrics", Severity: "error", Detail: "no TPOT"}}},
	}
	c := csvColumns{}
	head, row := c.head(), c.row(s)
	got := map[string]string{}
	for i, name := range head {
		got[name] = row[i]
	}
	for name, want := range map[string]string{
		"other_metrics": `{"p99.9_ttft_ms":12.5}`, "extra": `{"Backend":"sglang-oai","retokenized <tokens>":3}`, "valid": "false",
		"validity_reasons": "no_metrics", "validity_details": "no_metrics (error): no ITL; no_metrics (error): no TPOT", "mean_ttft_ms": "1",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}
