package draft

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"servematrix/matrix"
)

// The plan of the drafted sweep has the pairs that the script ran, or a note says that it has more.
func TestDraftedSweepPlansThePairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]string{"1", "2", "0.90", "0.9", "007", "x", "on", `"q"\`, "a or b"})
		half := func(program, name string) []Command {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Command {
				c := Command{Argv: []string{program, "--a", value.Draw(t, "a"), "--b", value.Draw(t, "b")}}
				if rapid.Bool().Draw(t, "on") {
					c.Argv = append(c.Argv, "--on")
				}
				return c
			}), 1, 4).Draw(t, name)
		}
		in := Input{Name: "p", Path: "p.yaml", Servers: half("srv", "servers"), Clients: half("cli", "clients")}
		want := map[string]bool{}
		for range rapid.IntRange(1, 12).Draw(t, "pairs") {
			s, c := rapid.IntRange(0, len(in.Servers)-1).Draw(t, "server"), rapid.IntRange(0, len(in.Clients)-1).Draw(t, "client")
			in.Pairs = append(in.Pairs, [2]int{s, c})
			want[fmt.Sprintf("%q %q", sorted(in.Servers[s].Argv), sorted(in.Clients[c].Argv))] = true
		}
		sweep := Sweep(in)
		plan, problems := matrix.Parse("p.yaml", sweep, matrix.Options{})
		if problems.HasErrors() {
			t.Fatalf("the sweep has problems: %v\n%s", problems, sweep)
		}
		servers, clients := map[string][]string{}, map[string][]string{}
		for _, s := range plan.Servers {
			servers[s.ID] = sorted(s.Argv)
		}
		for _, c := range plan.Clients {
			clients[c.ID] = sorted(c.Argv)
		}
		got := map[string]bool{}
		for _, c := range plan.Cells {
			got[fmt.Sprintf("%q %q", servers[c.Server], clients[c.Client])] = true
		}
		note := Unpaired(in)
		if note != "" && (len(plan.Cells) != len(servers)*len(clients) || len(want) >= len(plan.Cells) || !strings.HasPrefix(note, fmt.Sprintf("the script runs %d of the %d pairs", len(want), len(plan.Cells)))) {
			t.Fatalf("%s, of %d cells\n%s", note, len(plan.Cells), sweep)
		}
		if note == "" && !maps.Equal(want, got) {
			t.Fatalf("want %q\ngot  %q\n%s", slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), sweep)
		}
	})
}

func TestPairsAreWrittenByAxis(t *testing.T) {
	in := Input{Name: "demo", Path: "p.yaml"}
	for i := range 4 { // --tp turns slower than --backend, and a backend has a client of its own
		backend := []string{"fa3", "triton"}[i%2]
		in.Servers = append(in.Servers, Command{Argv: []string{"srv", "--tp", fmt.Sprint(1 + i/2), "--backend", backend}})
		in.Clients = append(in.Clients, Command{Argv: []string{"cli", "--n", fmt.Sprint(4 + i%2)}})
		in.Pairs = append(in.Pairs, [2]int{i, i})
	}
	want := "\npair: # the script runs these 4 of 8\n  when: \"(server.backend == \\\"fa3\\\" and client.n == 4) or (server.backend == \\\"triton\\\" and client.n == 5)\"\n"
	if got := string(Sweep(in)); !strings.Contains(got, want) {
		t.Errorf("want %s in\n%s", want, got)
	}
	in.Pairs = in.Pairs[:3] // the last server has no client
	if got := string(Sweep(in)); strings.Contains(got, "pair:") {
		t.Error(got)
	}
	if got, want := Unpaired(in), "the script runs 3 of the 8 pairs of server and client that this sweep runs; pair: chooses some of them"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
