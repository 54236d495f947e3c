package engine

import (
	"strings"
	"testing"

	"servematrix/matrix"
)

func TestFilesOfRequestsThatAreOverwritten(t *testing.T) {
	const bench = "servematrix bench --dataset-name random --base-url ${{server.url}} --output-requests "
	for _, tc := range []struct {
		clients string
		blocks  int
		bench   bool
		want    string
	}{
		{bench + "r.jsonl.gz|" + bench + "r.jsonl.gz --seed 2", 1, false, "2 measurements write --output-requests r.jsonl.gz, each over the one before: --output-requests ${{ late.dir }}/r.jsonl.gz"},
		{bench + "/tmp/r.jsonl", 3, true, `3 measurements write --output-requests r.jsonl, each over the one before: output_requests: "${{ late.dir }}/r.jsonl"`},
		{bench + "r.jsonl|" + bench + "s.jsonl", 1, false, ""},
		{bench + "r.jsonl", 1, false, ""},
		{bench + "/dev/null", 3, false, ""},
		{bench + "${{late.dir}}/r.jsonl", 3, false, ""},
		{"servematrix bench --dataset-name random --base-url ${{server.url}} --output-file all.jsonl", 3, false, ""}, // appended
		{"my-bench --output-requests r.jsonl", 3, false, ""},
	} {
		p := plan(server("vllm serve m"), nil)
		p.Run.Blocks = tc.blocks
		for i, command := range strings.Split(tc.clients, "|") {
			c := client(command)
			c.ID = string(rune('a' + i))
			if tc.bench {
				c.Origins = map[string]string{"bench": "sweep.yaml:7"}
			}
			p.Clients = append(p.Clients, c)
			p.Cells = append(p.Cells, matrix.Cell{Server: p.Servers[0].ID, Client: c.ID})
		}
		p.Reidentify(p.Clients)
		var got []string
		for _, problem := range mustLoad(t).Complete(p) {
			got = append(got, problem.Message+": "+problem.Suggestion)
			if problem.Rule != "overwritten" || problem.Severity != matrix.Warning {
				t.Errorf("%s: %+v", tc.clients, problem)
			}
		}
		if strings.Join(got, "|") != tc.want {
			t.Errorf("%s\n%q, want %q", tc.clients, got, tc.want)
		}
	}
}
