package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run is a run folder whose run goes on: the test holds its lock and writes its journal.
type run struct {
	t       *testing.T
	folder  journal.Folder
	plan    *matrix.Plan
	journal *journal.Writer
	lock    *journal.Lock
	n       int
}

func newRun(t *testing.T, cells int) *run {
	t.Helper()
	values := ""
	for i := range cells {
		values += fmt.Sprintf("%d, ", i)
	}
	source := fmt.Appendf(nil, `version: 1
name: watched
server: {axes: {seed: [%s]}, command: [python3, -m, http.server, "${{ seed }}"], ready: {log: never}}
client: {axes: {conc: [8]}, command: [bench, "${{ conc }}"]}
`, values)
	plan, problems := matrix.Parse("sweep.yaml", source, matrix.Options{Getenv: os.LookupEnv})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	var frozen bytes.Buffer
	if err := plan.WriteJSON(&frozen); err != nil {
		t.Fatal(err)
	}
	begun, first, err := journal.First(journal.Session{Blocks: 1, Cells: cells, Plan: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := &run{t: t, plan: plan}
	if r.folder, r.lock, err = journal.Create(t.TempDir(), plan.Name, time.Now(), map[string][]byte{
		journal.SweepFile: source, journal.PlanFile: frozen.Bytes(), journal.EventsFile: first,
	}); err != nil {
		t.Fatal(err)
	}
	if r.journal, err = r.folder.Append(journal.End{Offset: int64(len(first)), Seq: begun.Seq}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.lock.Release(); r.journal.Close() })
	return r
}

func (r *run) event(e journal.Event, kind journal.Type, data any) int64 {
	r.t.Helper()
	e.Type = kind
	e, err := r.journal.Write(e, data, false)
	if err != nil {
		r.t.Fatal(err)
	}
	return e.Seq
}

// start begins the start of the next cell's server, whose name can be anything.
func (r *run) start(name string) int64 {
	r.t.Helper()
	return r.event(r.at(0), journal.LaunchStarted, journal.Launch{Server: r.plan.Servers[r.n].ID, Name: name, Number: 1})
}

// sample measures the next cell.
func (r *run) sample() int64 {
	r.t.Helper()
	at, cell := r.at(1), r.plan.Cells[r.n]
	server, client := r.plan.Servers[r.n], r.plan.Clients[0]
	r.n++
	rel := journal.AttemptName(cell.ID, 1, 1)
	r.event(at, journal.SampleStarted, journal.Sample{Folder: rel, Client: client.ID, Name: client.Name})
	s := &result.Sample{Run: "watched", Cell: cell.ID, Block: 1, Attempt: 1, Status: result.StatusOK, Times: map[string]result.PhaseTime{},
		Server:  &result.Side{Name: server.Name, ID: server.ID, Axes: server.Axes},
		Client:  &result.Side{Name: client.Name, ID: client.ID, Axes: client.Axes},
		Metrics: metric.Of(map[string]float64{"output_throughput": 100 + float64(r.n), "mean_ttft_ms": 20})}
	data, err := json.Marshal(s)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := os.MkdirAll(r.folder.Path(rel), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.folder.Path(rel, journal.SampleFile), data, 0o600); err != nil {
		r.t.Fatal(err)
	}
	return r.event(at, journal.SampleEnded, journal.Ended{Status: result.StatusOK, SHA256: journal.Digest(data), Final: true})
}

func (r *run) at(attempt int) journal.Event {
	return journal.Event{Launch: fmt.Sprintf("%04d", r.n+1), Cell: r.plan.Cells[r.n].ID, Block: 1, Attempt: attempt}
}

func (r *run) end() int64 {
	r.t.Helper()
	return r.event(journal.Event{}, journal.RunEnded, journal.Verdict{OK: r.n})
}
