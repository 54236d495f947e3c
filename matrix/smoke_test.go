package matrix

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const rehearsed = `
version: 1
name: night
secrets: [MYKEY]
server: {axes: {s: [a, b]}, command: "serve ${{ s }}", env: {MYKEY: hidden, X: "1"}}
client:
  axes: {n: [100, 200, 3]}
  command: bench -n ${{ n }}
  env: {MYKEY: hidden, Y: "2"}
  warmup: 2
run: {blocks: 3, retries: 4, cooldown: 1m, on_failure: stop, order: blocked}
validity: strict
`

func TestRehearsal(t *testing.T) {
	p, problems := Parse("sweep.yaml", []byte(rehearsed), Options{Getenv: func(string) (string, bool) { return "", false }})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	before := slices.Clone(hexes(p))
	all := map[string]bool{}
	for _, c := range p.Cells {
		all[c.ID] = true
	}
	small := p.Rehearsal(all, 4, func(c *Client, n int) bool {
		c.Argv = slices.Clone(c.Argv)
		if len(c.Argv[2]) > 1 {
			c.Argv[2] = "4"
		}
		return c.Name != "3"
	})
	if diff := cmp.Diff(before, hexes(p)); diff != "" {
		t.Errorf("the plan itself was changed: %s", diff)
	}
	if small.Name != "night-smoke" || small.Launches != 2 || len(small.Cells) != 2 {
		t.Errorf("%s: %d cells in %d launches", small.Name, len(small.Cells), small.Launches)
	}
	if r := small.Run; r.Blocks != 1 || r.Retries != 0 || r.Cooldown != 0 || r.OnFailure != "continue" || small.Validity != "normal" {
		t.Errorf("run %+v, validity %s", r, small.Validity)
	}
	want := &SmokeRun{Requests: 4, Launches: 18, Uncut: []string{"3"}, StandFor: map[string][]string{"100": {"200"}}}
	if diff := cmp.Diff(want, small.Smoke); diff != "" {
		t.Error(diff)
	}
	ids := map[string]bool{}
	for _, c := range small.Clients {
		ids[c.ID] = true
		if c.Warmup != 0 {
			t.Errorf("%s: %d warm-ups", c.Name, c.Warmup)
		}
		// The command that was cut down is another one; the other has kept its identity.
		kept := slices.ContainsFunc(p.Clients, func(o *Client) bool { return o.ID == c.ID })
		if kept != (c.Name == "3") {
			t.Errorf("%s: id %s, that of a real workload: %v", c.Name, c.ID, kept)
		}
	}
	for _, c := range small.Cells {
		if !ids[c.Client] || c.ID != CellID(c.Server, c.Client) {
			t.Errorf("cell %+v", c)
		}
	}
	var text strings.Builder
	if err := small.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	back, err := ReadPlan(strings.NewReader(text.String()))
	if err != nil || back.Smoke == nil || back.Smoke.Launches != 18 {
		t.Errorf("read back: %+v, err %v", back.Smoke, err)
	}
}

// Only what --only selects is rehearsed.
func TestRehearsalOfSome(t *testing.T) {
	p, problems := Parse("sweep.yaml", []byte(rehearsed), Options{})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	small := p.Rehearsal(map[string]bool{p.Cells[4].ID: true}, 4, func(*Client, int) bool { return true })
	if len(small.Servers) != 1 || small.Servers[0].Name != "b" || len(small.Clients) != 1 || small.Clients[0].Name != "200" || small.Smoke.Launches != 3 {
		t.Errorf("servers %v, clients %v, smoke %+v", small.Servers, small.Clients, small.Smoke)
	}
}
