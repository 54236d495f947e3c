package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
)

// samplePlan is the plan of the sweep in the sample: two attention backends under two loads.
func samplePlan(lang string, isolation string) *matrix.Plan {
	const launch = "python3 -m sglang.launch_server --model-path /dev/shm/DeepSeek-V3-0324/ --tp 8 --trust-remote --attention-backend "
	plan := &matrix.Plan{Schema: 1, Name: "deepseek-v3-attention", Lang: lang, Run: matrix.Run{Blocks: 1, Retries: 1}, Hints: map[string]matrix.Hints{
		"sglang": {"oom": {EN: "lower --mem-fraction-static", ZH: "降低 --mem-fraction-static", Source: "https://docs.example/oom"}},
	}}
	for _, s := range []struct{ name, flags string }{{"flashinfer", "flashinfer --disable-radix"}, {"triton", "triton"}} {
		plan.Servers = append(plan.Servers, &matrix.Server{Isolation: isolation, Variant: matrix.Variant{
			ID: s.name + "-0a1b2c3d4e5f", Profile: "sglang", Name: s.name, Axes: matrix.Axes{{Name: "backend", Value: s.name}},
			Argv: strings.Fields(launch + s.flags), Env: map[string]string{"SGLANG_ENABLE_FLASHINFER_GEMM": "1"},
		}})
	}
	for _, c := range []struct{ name, prompts, conc string }{{"rand256x32", "256", "32"}, {"rand128x16", "128", "16"}} {
		plan.Clients = append(plan.Clients, &matrix.Client{Variant: matrix.Variant{
			ID: c.name + "-112233445566", Name: c.name, Axes: matrix.Axes{{Name: "load", Value: c.name}},
			Argv: strings.Fields("python3 -m sglang.bench_serving --backend sglang-oai --dataset-name random --random-input-len 1000 --random-output-len 1000 --random-range-ratio 1 --num-prompts " + c.prompts + " --max-concurrency " + c.conc),
		}})
	}
	for _, s := range plan.Servers {
		for _, c := range plan.Clients {
			plan.Cells = append(plan.Cells, matrix.Cell{ID: s.Name + "-" + c.Name + "-c0ffee", Server: s.ID, Client: c.ID})
		}
	}
	return plan
}

// outcome is how one attempt goes.
type outcome struct {
	out, err  string
	status    string
	failure   *journal.Failure
	reasons   []result.Reason
	metrics   *metric.Values
	simulated bool
	exit      journal.Exited
}

func (r *run) server(cell int) *matrix.Server {
	for _, s := range r.plan.Servers {
		if s.ID == r.plan.Cells[cell].Server {
			return s
		}
	}
	panic("no such server")
}

func (r *run) client(cell int) *matrix.Client {
	for _, c := range r.plan.Clients {
		if c.ID == r.plan.Cells[cell].Client {
			return c
		}
	}
	panic("no such client")
}

func (r *run) begin() {
	r.add(journal.Event{Type: journal.RunStarted}, journal.Session{Version: "1", Dir: "/home/me", Blocks: r.plan.Run.Blocks, Cells: len(r.plan.Cells)})
}

func (r *run) resume() {
	r.add(journal.Event{Type: journal.RunResumed}, journal.Session{Version: "1", Dir: "/home/me", Blocks: r.plan.Run.Blocks, Cells: len(r.plan.Cells)})
}

// launch is an event of a launch for one cell, or for all of a block when cell is -1.
func (r *run) launch(t journal.Type, id string, cell, block int) journal.Event {
	e := journal.Event{Type: t, Launch: id, Block: block}
	if cell >= 0 {
		e.Cell = r.plan.Cells[cell].ID
	}
	return e
}

func (r *run) startServer(id string, of, cell, block int, simulated bool) {
	s := r.server(of)
	r.add(r.launch(journal.LaunchStarted, id, cell, block), journal.Launch{
		Server: s.ID, Name: s.Name, Number: 1, Argv: s.Argv, Env: s.Env, Dir: "/home/me", Port: 30000, URL: "http://127.0.0.1:30000",
		Logs: []string{"launches/" + id + "/server.out", "launches/" + id + "/server.err"}, Simulated: simulated,
	})
	r.add(r.launch(journal.LaunchRunning, id, cell, block), journal.Running{PID: 4711, SID: 4711, Start: 99, Boot: "b"})
}

func (r *run) ready(id string, cell, block int) {
	r.add(r.launch(journal.LaunchReady, id, cell, block), journal.Ready{
		Line: "The server is fired up and ready to roll!", File: "launches/" + id + "/server.err", LineNo: 812, By: []string{"log", "http"}, Seconds: 71.25,
	})
}

func (r *run) stopServer(id string, cell, block int) {
	r.add(r.launch(journal.LaunchStopping, id, cell, block), journal.Stopping{Why: "its clients are done"})
	steps, err := json.Marshal([]map[string]any{
		{"at": r.clock, "since_ns": 0, "action": "signal", "signal": "SIGTERM"},
		{"at": r.clock, "since_ns": 1200 * time.Millisecond, "action": "leader-exit", "detail": "exit 0"},
		{"at": r.clock, "since_ns": 1210 * time.Millisecond, "action": "gone"},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.add(r.launch(journal.LaunchEnded, id, cell, block), journal.Gone{Orderly: true, Steps: steps, PortFree: true, Seconds: 1.22})
}

func (r *run) attempt(id string, cell, block, attempt int, o outcome) {
	r.startClient(id, cell, block, attempt)
	if o.out != "" {
		r.file(filepath.Join(journal.AttemptName(r.plan.Cells[cell].ID, block, attempt), journal.ClientOut), []byte(o.out))
	}
	if o.err != "" {
		r.file(filepath.Join(journal.AttemptName(r.plan.Cells[cell].ID, block, attempt), journal.ClientErr), []byte(o.err))
	}
	r.add(r.sample(journal.ClientExited, id, cell, block, attempt), o.exit)
	r.end(id, cell, block, attempt, o)
}

func (r *run) sample(t journal.Type, id string, cell, block, attempt int) journal.Event {
	return journal.Event{Type: t, Launch: id, Cell: r.plan.Cells[cell].ID, Block: block, Attempt: attempt}
}

func (r *run) startClient(id string, cell, block, attempt int) {
	c := r.client(cell)
	r.add(r.sample(journal.SampleStarted, id, cell, block, attempt), journal.Sample{
		Folder: journal.AttemptName(r.plan.Cells[cell].ID, block, attempt), Client: c.ID, Name: c.Name, Argv: c.Argv, Env: c.Env,
	})
	r.add(r.sample(journal.ClientStarted, id, cell, block, attempt), journal.Running{PID: 4712, SID: 4712, Start: 100, Boot: "b"})
}

// end writes sample.json and the event that vouches for it.
func (r *run) end(id string, cell, block, attempt int, o outcome) {
	r.t.Helper()
	s := &result.Sample{
		Run: filepath.Base(string(r.folder)), Cell: r.plan.Cells[cell].ID, Block: block, Attempt: attempt, Status: o.status, Failure: o.failure,
		Server: side(&r.server(cell).Variant), Client: side(&r.client(cell).Variant), Metrics: o.metrics, Simulated: o.simulated,
		Times: map[string]result.PhaseTime{"start": {Start: r.clock.Add(-90 * time.Second)}, "client": {Start: r.clock.Add(-10 * time.Second), Since: 80}},
	}
	ended := journal.Ended{Status: o.status, Failure: o.failure, Final: true}
	if o.metrics != nil {
		s.Validity = &result.Validity{OK: o.status == result.StatusOK, Reasons: o.reasons}
		for _, reason := range o.reasons {
			ended.Reasons = append(ended.Reasons, reason.Reason)
		}
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		r.t.Fatal(err)
	}
	ended.SHA256 = r.file(filepath.Join(journal.AttemptName(s.Cell, block, attempt), journal.SampleFile), data)
	r.add(r.sample(journal.SampleEnded, id, cell, block, attempt), ended)
}

// sampleSection is one client run of the sample report.
type sampleSection struct {
	server, client, out, err string
	metrics                  *metric.Values
}

func sampleReport(t folderTB) (whole string, sections []sampleSection) {
	t.Helper()
	imported, err := result.Import([]string{"testdata/sglang-matrix-deepseek-v3.txt"})
	if err != nil || len(imported) != 4 {
		t.Fatal("the sample gives", len(imported), "samples", err)
	}
	data, err := os.ReadFile("testdata/sglang-matrix-deepseek-v3.txt")
	if err != nil {
		t.Fatal(err)
	}
	rule := strings.Repeat("#", blockRule) + "\n"
	parts := strings.Split(string(data), rule)
	for i := 1; i+1 < len(parts); i += 2 {
		head := strings.Split(parts[i], "\n")
		out, rest, ok := strings.Cut(parts[i+1], "\n[STDERR]\n")
		if !ok {
			t.Fatal("the sample has no [STDERR]")
		}
		errout, _, _ := strings.Cut(rest, "[CLIENT]")
		sections = append(sections, sampleSection{strings.TrimPrefix(head[0], "SERVER: "), strings.TrimPrefix(head[1], "CLIENT: "), out, errout, imported[len(sections)].Metrics})
	}
	if len(sections) != 4 {
		t.Fatal("the sample has", len(sections), "sections, want 4")
	}
	return string(data), sections
}
