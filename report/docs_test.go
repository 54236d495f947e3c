package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
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

// examples gives the code blocks of docs/results.md that are marked with kind.
func examples(t *testing.T, kind string) []string {
	t.Helper()
	data, err := os.ReadFile("../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	parts := strings.Split(string(data), "```")
	for i := 1; i < len(parts); i += 2 {
		if mark, body, _ := strings.Cut(parts[i], "\n"); mark == kind {
			out = append(out, body)
		}
	}
	if len(out) == 0 {
		t.Fatalf("docs/results.md has no example of %q", kind)
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
	journal.HookEnded: func() any { return &journal.HookRun{} }, journal.Warning: func() any { return &journal.Note{} },
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
			t.Errorf("docs/results.md has no example of %s", typ)
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

// Each metric, failure class and validity reason is explained, and the CSV's columns are as they are.
func TestDocumentedNames(t *testing.T) {
	data, err := os.ReadFile("../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	explained := func(name string) {
		if !bytes.Contains(data, []byte("`"+name+"`")) {
			t.Errorf("docs/results.md does not explain %s", name)
		}
	}
	for _, name := range metric.Names() {
		explained(name)
	}
	const classes = `bad_command bad_flag port_busy host_not_clean oom kv_memory host_oom shm device_busy graph model collective npu
start_failed ready_timeout silent server_died client_failed client_timeout client_silent no_result stop_dirty interrupted disk_full hook_failed`
	const reasons = `requests_failed wrong_request_count no_tokens token_mismatch no_metrics non_finite text_json_differ client_starved
latency_inconsistent partial server_changed foreign_process throttled`
	for _, name := range strings.Fields(classes + " " + reasons) {
		explained(name)
	}
	head := columnsOf(&tally{plan: &matrix.Plan{}}).head()
	for _, column := range head[:len(head)-len(metric.Names())] {
		explained(column)
	}
	if diff := cmp.Diff(metric.Names(), strings.Fields(examples(t, "text columns")[0])); diff != "" {
		t.Errorf("the CSV's metrics (-code +docs): %s", diff)
	}
}
