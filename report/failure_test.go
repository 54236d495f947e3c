package report

import (
	"encoding/json"
	"strings"
	"testing"

	"servematrix/journal"
	"servematrix/matrix"
)

// Each class of the contract is in words, in both languages.
func TestClassesInWords(t *testing.T) {
	for _, w := range []words{english, chinese} {
		if len(w.classes) != len(matrix.FailureClasses()) {
			t.Errorf("%s: %d classes in words, want %d", w.lang, len(w.classes), len(matrix.FailureClasses()))
		}
		for _, class := range matrix.FailureClasses() {
			if w.classes[class] == "" {
				t.Errorf("%s: %s has no words", w.lang, class)
			}
		}
	}
}

// A command to try by hand does in bash what the run did, without its secrets and its folders.
func TestCommandByHand(t *testing.T) {
	late := map[string]string{"late.port": "30417", "late.seed": "2", "server.url": "http://127.0.0.1:30417"}
	for name, c := range map[string]struct {
		v    matrix.Variant
		dir  string
		want string
	}{
		"environment and late values": {
			matrix.Variant{Argv: []string{"engine", "serve", "--port", "${{ late.port }}"}, Env: map[string]string{"B": "x y", "A": ""}, Added: matrix.Added{Argv: []string{"--seed=${{ late.seed }}"}, Env: map[string]string{"Z": "1"}}},
			"/home/me/my models", `cd '/home/me/my models' && A= B='x y' Z=1 engine serve --port 30417 --seed=2`,
		},
		"secrets": {
			matrix.Variant{Argv: []string{"engine", "--api-key", "${{ secret.API_KEY }}", "--header=Bearer ${{ env.TOKEN }}!"}, Env: map[string]string{"HF_TOKEN": "${{ env.HF_TOKEN }}"}},
			"", `HF_TOKEN="$HF_TOKEN" engine --api-key "$API_KEY" --header='Bearer '"$TOKEN"'!'`,
		},
		"a secret whose name is none of a shell": {matrix.Variant{Argv: []string{"e", "${{ secret.2.KEY }}"}}, "", `e "$_2_KEY"`},
		"a script": {
			matrix.Variant{Argv: []string{"bash", "-c", "serve --key ${{ quote(env.KEY) }} --url ${{ quote(server.url) }}"}},
			"", `bash -c 'serve --key '"${KEY@Q}"' --url http://127.0.0.1:30417'`,
		},
		"what it writes": {
			matrix.Variant{Argv: []string{"bench", "--dir", "${{ late.dir }}", "--file", "${{ late.dir }}/result.jsonl"}},
			"/w", `cd /w && TRY=$(mktemp -d) && bench --dir "$TRY" --file "$TRY"/result.jsonl`,
		},
		"unset":              {matrix.Variant{Argv: []string{"e"}, Unset: []string{"HF_HUB_OFFLINE"}, Env: map[string]string{"a.b": "1"}}, "", `env -u HF_HUB_OFFLINE a.b=1 e`},
		"a word of bash":     {matrix.Variant{Argv: []string{"time", "e"}}, "", `\time e`},
		"hostile":            {matrix.Variant{Argv: []string{"e", "a\nb\x1b[2J$(rm -rf /)`id`'\u202e"}}, "", `e $'a\nb\x1b[2J$(rm -rf /)` + "`id`" + `\'\u202e'`},
		"no run-time value":  {matrix.Variant{Argv: []string{"e", "$${{ late.port }}", ""}}, "", `e '${{ late.port }}' ''`},
		"an unknown version": {matrix.Variant{Argv: []string{"e", "${{ broken"}}, "", `e '${{ broken'`},
	} {
		if got := byHand(&c.v, c.dir, late); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestExplain(t *testing.T) {
	plan := samplePlan("zh", "cell")
	x := NewExplainer("", plan, "my run", "")
	for _, e := range []struct {
		event journal.Event
		data  any
	}{
		{journal.Event{Type: journal.RunStarted}, journal.Session{Dir: "/home/me"}},
		{journal.Event{Type: journal.LaunchStarted, Launch: "0001"}, journal.Launch{Server: plan.Servers[0].ID, Dir: "/srv", Port: 30000}},
	} {
		if err := x.Apply(event(t, e.event, e.data)); err != nil {
			t.Fatal(err)
		}
	}
	cell := plan.Cells[0].ID
	f := x.Explain(journal.Failure{Class: "oom", Phase: "client", Message: "m\x1b[2J", File: "f", Line: 3, Tail: []string{"last"}}, cell, 2, "0001")
	if f.Means != "设备显存不足" || f.Hint != "降低 --mem-fraction-static" || f.Source == "" || f.Message != `m\x1b[2J` || f.Place != "f:3" {
		t.Errorf("%+v", f)
	}
	if len(f.Commands) != 2 || !f.Commands[0].Server || !strings.HasPrefix(f.Commands[0].Line, "cd /srv && ") || !strings.HasPrefix(f.Commands[1].Line, "cd /home/me && python3 -m sglang.bench_serving") {
		t.Errorf("commands %+v", f.Commands)
	}
	if f.Logs != "servematrix logs 'my run' "+cell+" --block 2" {
		t.Errorf("logs %s", f.Logs)
	}
	if len(f.Lines) != 1 || f.Lines[0] != (LogLine{"", "last"}) {
		t.Errorf("without lines that matter the last ones: %+v", f.Lines)
	}
	f = x.Explain(journal.Failure{Class: "disk_full", Phase: "client"}, cell, 1, "0001")
	if len(f.Commands) != 0 || f.Hint != "" || f.Means == "" {
		t.Errorf("no command fills a disk: %+v", f)
	}
	f = x.Explain(journal.Failure{Class: "of the future", Phase: "start"}, "gone", 1, "")
	if f.Means != "" || len(f.Commands) != 0 || f.Logs == "" {
		t.Errorf("a cell that no plan knows: %+v", f)
	}
}

func event(t *testing.T, e journal.Event, data any) journal.Event {
	t.Helper()
	var err error
	if e.Data, err = json.Marshal(data); err != nil {
		t.Fatal(err)
	}
	return e
}
