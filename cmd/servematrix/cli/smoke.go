package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"servematrix/cmd/servematrix/progress"
	"servematrix/engine"
	"servematrix/journal"
	"servematrix/matrix"
)

// smokeRequests is how many requests a workload of a smoke run sends: enough to
// have more than one under way, few enough to be over at once.
const smokeRequests = 4

// rehearsal gives the plan of the smoke run of what --only selects, and says what it is.
func rehearsal(env Env, plan *matrix.Plan, catalog *engine.Catalog, only string) (*matrix.Plan, error) {
	kept, err := selectCells(plan, only)
	if err != nil {
		return nil, err
	}
	small := plan.Rehearsal(kept, smokeRequests, catalog.CutDown)
	fmt.Fprintf(env.Stderr, "smoke run: each of %s and %s is tried once, in %s, with %d requests at most; none of it is a measurement\n",
		count(len(small.Servers), "server variant"), count(len(small.Clients), "workload"), count(small.Launches, "start"), smokeRequests)
	for _, c := range small.Clients {
		if same := small.Smoke.StandFor[c.Name]; len(same) > 0 {
			fmt.Fprintf(env.Stderr, "  workload %s stands for %s: cut down they are the same\n", c.Name, listOf(same))
		}
	}
	if uncut := small.Smoke.Uncut; len(uncut) > 0 {
		fmt.Fprintf(env.Stderr, "  %s may send more: no profile knows the flag that would cut the requests down, or another one decides their number\n", listOf(uncut))
	}
	return small, nil
}

// tried is what a smoke run has shown of its servers and workloads.
type tried struct {
	plan    *matrix.Plan
	starts  []float64         // seconds from each start to ready
	servers map[string]string // id → "" works, else why not
	clients map[string]string
}

// smokeVerdict writes the line that a smoke run is made for.
func smokeVerdict(w io.Writer, plan *matrix.Plan, events []journal.Event) error {
	t := tried{plan: plan, servers: map[string]string{}, clients: map[string]string{}}
	for _, e := range events {
		if err := t.take(e); err != nil {
			return err
		}
	}
	var servers, clients []subject
	for _, s := range plan.Servers {
		servers = append(servers, subject{s.Name, s.ID})
	}
	for _, c := range plan.Clients {
		name := c.Name
		if same := plan.Smoke.StandFor[name]; len(same) > 0 {
			name += " (and so " + listOf(same) + ")"
		}
		clients = append(clients, subject{name, c.ID})
	}
	_, err := fmt.Fprintf(w, "smoke: %s · %s · %s\n", judged("server variants", servers, t.servers), judged("workloads", clients, t.clients), t.duration())
	return err
}

// take learns from one event.
func (t *tried) take(e journal.Event) error {
	switch e.Type {
	case journal.LaunchReady:
		d, err := journal.Decode[journal.Ready](e)
		t.starts = append(t.starts, d.Seconds)
		return err
	case journal.SampleEnded:
		d, err := journal.Decode[journal.Ended](e)
		if err == nil {
			t.sample(e.Cell, d)
		}
		return err
	}
	return nil
}

// sample puts the end of one down to its server or to its workload. What failed
// earlier and works now, after a resume, works.
func (t *tried) sample(id string, d journal.Ended) {
	var cell matrix.Cell
	for _, c := range t.plan.Cells {
		if c.ID == id {
			cell = c
		}
	}
	switch f := d.Failure; {
	case f == nil && len(d.Reasons) > 0 && d.Status != "ok":
		t.servers[cell.Server], t.clients[cell.Client] = "", "invalid: "+strings.Join(d.Reasons, " ")
	case f == nil:
		t.servers[cell.Server], t.clients[cell.Client] = "", ""
	case f.Class == "interrupted":
	case f.Phase == "client" && f.Class != "server_died":
		t.servers[cell.Server], t.clients[cell.Client] = "", f.Class+": "+progress.Clean(f.Message)
	default:
		t.servers[cell.Server] = f.Class + ": " + progress.Clean(f.Message)
	}
}

// subject is what a smoke run tries.
type subject struct{ name, id string }

// judged says which of a kind work, and why the others do not.
func judged(kind string, all []subject, why map[string]string) string {
	var works, not, unknown []string
	failed := map[string][]string{} // by reason
	var reasons []string
	for _, s := range all {
		switch reason, met := why[s.id]; {
		case !met:
			unknown = append(unknown, s.name)
		case reason == "":
			works = append(works, s.name)
		default:
			if failed[reason] == nil {
				reasons = append(reasons, reason)
			}
			failed[reason] = append(failed[reason], s.name)
		}
	}
	for _, reason := range reasons {
		each := ""
		if len(failed[reason]) > 1 {
			each = "each "
		}
		not = append(not, fmt.Sprintf("%s (%s%s)", listOf(failed[reason]), each, reason))
	}
	var parts []string
	for _, p := range []struct {
		verdict string
		names   []string
	}{{"working", works}, {"NOT working", not}, {"not tried", unknown}} {
		if len(p.names) > 0 {
			parts = append(parts, p.verdict+": "+listOf(p.names))
		}
	}
	return kind + " " + strings.Join(parts, "; ")
}

// duration says how long the starts took and what that means for the night.
func (t *tried) duration() string {
	if len(t.starts) == 0 {
		return "no server was ready"
	}
	var sum float64
	for _, s := range t.starts {
		sum += s
	}
	n := t.plan.Smoke.Launches
	took := waited(slices.Min(t.starts))
	if most := waited(slices.Max(t.starts)); most != took {
		took += " to " + most
	}
	return fmt.Sprintf("%s took %s, so the %s of the whole sweep take about %s", count(len(t.starts), "start"),
		took, count(n, "start"), waited(sum/float64(len(t.starts))*float64(n)))
}

// waited writes seconds as a person would.
func waited(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Minute {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// mostNames is how many names a list spells out.
const mostNames = 8

func listOf(names []string) string {
	if n := len(names) - mostNames; n > 0 {
		return strings.Join(names[:mostNames], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}
