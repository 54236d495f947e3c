// Package runfolder makes large run folders as runs would have left them, for the programs that
// measure what is done with one.
package runfolder

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"servematrix/engine"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/orchestrator"
	"servematrix/process"
	"servematrix/result"
)

// Side is how many variants and workloads the sweep of Make has.
const Side = 100

// The commands are as long as real ones; what runs is a shell.
const sweep = `version: 1
name: large
server:
  axes: {seed: [%s]}
  command: [sh, -c, exec sleep 3600, python3, -m, sglang.launch_server, --model-path, /dev/shm/DeepSeek-V3-0324/, --tp, '8', --trust-remote,
    --attention-backend, flashinfer, --disable-radix, --random-seed, "${{ seed }}"]
  env: {SGLANG_ENABLE_FLASHINFER_GEMM: '1'}
  port: ${{ late.port }}
  ready: {log: never}
client:
  axes: {conc: [%s]}
  command: [sh, -c, 'true', python3, -m, sglang.bench_serving, --backend, sglang-oai, --dataset-name, random, --random-input-len, '1000',
    --random-output-len, '1000', --random-range-ratio, '1', --num-prompts, '256', --max-concurrency, "${{ conc }}", --base-url, "${{ server.url }}"]
run: {blocks: %d, max_cells: 10000}
`

// Make leaves a run folder below parent in which so many samples are finished, so many to a block
// as there are cells, and further blocks are to come.
// What it cannot write ends the program.
func Make(parent string, samples, further int) journal.Folder {
	r := Begin(parent, Side, (samples+Side*Side-1)/(Side*Side)+further)
	for range samples {
		r.Sample()
	}
	r.End()
	return r.Folder
}

// Run is a run folder whose run seems to go on.
type Run struct {
	Folder  journal.Folder
	plan    *matrix.Plan
	units   []orchestrator.Unit
	journal *journal.Writer
	lock    *journal.Lock
	side, n int
}

// Begin makes the run folder of a sweep of side variants × side workloads, locked, without a sample.
func Begin(parent string, side, blocks int) *Run {
	list := ""
	for i := range side {
		list += fmt.Sprintf("%d, ", i)
	}
	source := fmt.Appendf(nil, sweep, list, list, blocks)
	plan, problems := matrix.Parse("sweep.yaml", source, matrix.Options{Getenv: os.LookupEnv})
	check(problems.Err())
	catalog, err := engine.Load()
	check(err)
	check(catalog.Complete(plan).Err())

	frozen, err := os.Create(filepath.Join(parent, "plan"))
	check(err)
	check(plan.WriteJSON(frozen))
	check(frozen.Close())
	text, err := os.ReadFile(frozen.Name())
	check(err)
	session := journal.Session{Version: "perf", Dir: parent, SweepPath: filepath.Join(parent, "sweep.yaml"), Blocks: blocks, Cells: len(plan.Cells) * blocks, Plan: 1, PlanSHA256: journal.Digest(text)}
	begun, first, err := journal.First(session)
	check(err)
	folder, lock, err := journal.Create(parent, plan.Name, time.Now(), map[string][]byte{
		journal.SweepFile: source, journal.PlanFile: text, journal.EventsFile: first,
	})
	check(err)
	w, err := folder.Append(journal.End{Offset: int64(len(first)), Seq: begun.Seq})
	check(err)
	return &Run{Folder: folder, plan: plan, units: orchestrator.PlanUnits(plan, blocks), journal: w, lock: lock, side: side}
}

// End lets go of the folder.
func (r *Run) End() {
	check(r.journal.Close())
	check(r.lock.Release())
}

// Sample finishes the next one: it writes the nine events of a start of its own and the files that they name.
func (r *Run) Sample() {
	u := r.units[r.n]
	cell := r.plan.Cells[r.n%len(r.plan.Cells)]
	server, client := r.plan.Servers[r.n%len(r.plan.Cells)/r.side], r.plan.Clients[r.n%r.side]
	r.n++
	launch := fmt.Sprintf("%04d-%s", r.n, server.ID)
	check(os.MkdirAll(r.Folder.LaunchDir(launch), 0o700))
	rel := journal.AttemptName(cell.ID, u.Block, 1)
	check(os.MkdirAll(r.Folder.Path(rel), 0o700))
	boot := "b5330ad0-840d-4507-93c1-1b2808c359b2/pid:[4026531836]"
	at := journal.Event{Launch: launch, Cell: cell.ID, Block: u.Block}
	r.event(at, journal.LaunchStarted, journal.Launch{
		Server: server.ID, Name: server.Name, Number: u.Block, Argv: server.Argv, Env: server.Env, Dir: "/home/me/bench", Port: 30000,
		URL: "http://127.0.0.1:30000", Logs: []string{"launches/" + launch + "/server.out", "launches/" + launch + "/server.err"},
	})
	r.event(at, journal.LaunchRunning, journal.Running{PID: 28455, SID: 28455, Start: 347723, Boot: boot})
	r.event(at, journal.LaunchReady, journal.Ready{Line: "[2026-11-21 08:59:08] The server is fired up and ready to roll!",
		File: "launches/" + launch + "/server.err", LineNo: 416, By: []string{"log", "http"}, Seconds: 71.351296252})
	at.Attempt = 1
	r.event(at, journal.SampleStarted, journal.Sample{Folder: rel, Client: client.ID, Name: client.Name, Argv: client.Argv, Env: client.Env})
	r.event(at, journal.ClientStarted, journal.Running{PID: 28558, SID: 28558, Start: 347759, Boot: boot})
	r.event(at, journal.ClientExited, journal.Exited{Seconds: 277.99082063})
	r.event(at, journal.SampleEnded, journal.Ended{Status: orchestrator.StatusOK, SHA256: r.files(cell, u, server, client, rel), Final: true})
	at.Attempt = 0
	r.event(at, journal.LaunchStopping, journal.Stopping{Why: "its clients are done"})
	now := time.Now().UTC()
	steps, err := json.Marshal([]process.Step{
		{At: now, Since: 148197, Action: "signal", Signal: "SIGTERM"}, {At: now, Since: 1208274858, Action: "leader-exit", Detail: "signal 9 (SIGKILL)"},
		{At: now, Since: 2208274858, Action: "kill", Signal: "SIGKILL", Alive: 9}, {At: now, Since: 2209123972, Action: "gone"},
	})
	check(err)
	r.event(at, journal.LaunchEnded, journal.Gone{Code: -1, Signal: "SIGKILL", Orderly: true, Steps: steps, PortFree: true, Seconds: 2.218136687})
}

func (r *Run) event(e journal.Event, t journal.Type, data any) {
	e.Type = t
	_, err := r.journal.Write(e, data, false)
	check(err)
}

// files writes the sample's files and gives the digest of sample.json.
func (r *Run) files(cell matrix.Cell, u orchestrator.Unit, server *matrix.Server, client *matrix.Client, rel string) string {
	s := &result.Sample{
		Run: filepath.Base(string(r.Folder)), Cell: cell.ID, Block: u.Block, Attempt: 1, Status: orchestrator.StatusOK,
		Server:  &result.Side{Name: server.Name, ID: server.ID, Axes: server.Axes, Argv: server.Argv, Env: server.Env},
		Client:  &result.Side{Name: client.Name, ID: client.ID, Axes: client.Axes, Argv: client.Argv, Env: client.Env},
		Metrics: &metric.Values{}, Times: map[string]result.PhaseTime{},
	}
	vary := rand.New(rand.NewPCG(uint64(r.n), 0))
	for i, name := range metric.Names() {
		s.Metrics.Set(name, (1000.25+float64(i))*(1+0.01*vary.NormFloat64())) // no two starts are alike
	}
	for _, phase := range []string{"start", "ready", "client", "client_end"} {
		s.Times[phase] = result.PhaseTime{Start: time.Now().UTC(), Since: 71.25}
	}
	data, err := json.MarshalIndent(s, "", "  ")
	check(err)
	check(os.WriteFile(r.Folder.Path(rel, journal.SampleFile), data, 0o600))
	out := make([]byte, 0, 2800)
	for len(out) < 2700 {
		out = append(out, "Successful requests:                     256\n"...)
	}
	check(os.WriteFile(r.Folder.Path(rel, journal.ClientOut), out, 0o600))
	return journal.Digest(data)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "runfolder:", err)
		os.Exit(1)
	}
}
