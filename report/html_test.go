package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"servematrix/journal"
	"servematrix/metric"
	"servematrix/page"
	"servematrix/result"
)

// failed is a journal of a run in which no server started; measured one of a run with numbers in every cell.
func failed(r *run) {
	r.begin()
	for cell := range r.plan.Cells {
		id := "000" + string(rune('1'+cell)) + "-x"
		r.startServer(id, cell, cell, 1, false)
		f := journal.Failure{Class: "oom", Phase: "start", Message: "CUDA out of memory", File: "launches/" + id + "/server.err", Line: 3, Tail: []string{"</script><img src=x>", "\u202eevil"}}
		r.add(r.launch(journal.LaunchFailed, id, cell, 1), f)
		r.stopServer(id, cell, 1)
		r.end(id, cell, 1, 1, outcome{status: result.StatusFailed, failure: &f})
	}
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{ExitCode: 3, Failed: len(r.plan.Cells)})
}

func measured(r *run) {
	r.begin()
	for cell := range r.plan.Cells {
		id := "000" + string(rune('1'+cell)) + "-x"
		r.startServer(id, cell, cell, 1, false)
		r.ready(id, cell, 1)
		r.attempt(id, cell, 1, 1, outcome{status: result.StatusOK, metrics: metric.Of(map[string]float64{"output_throughput": 1000 + float64(cell), "p99_ttft_ms": 200, "max_concurrency": 16 * float64(1+cell%2)})})
		r.stopServer(id, cell, 1)
	}
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{OK: len(r.plan.Cells)})
}

// drawnPage gives the page and the data in it.
func drawnPage(t *testing.T, folder journal.Folder) (text string, d *page.Data) {
	t.Helper()
	var b bytes.Buffer
	err := HTML(&b, folder, "")
	if _, incomplete := errors.AsType[*Incomplete](err); err != nil && !incomplete {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(b.String())
	if m == nil || !json.Valid([]byte(m[1])) {
		t.Fatal("the data in the page is no JSON")
	}
	return b.String(), Page(folder, "")
}

func newSample(t *testing.T, fill func(*run)) *run {
	t.Helper()
	r := newRun(t, t.TempDir(), samplePlan("en", "cell"))
	fill(r)
	return r
}

func TestPageOfMeasuredRun(t *testing.T) {
	_, d := drawnPage(t, newSample(t, measured).folder)
	if d.State != page.Ended || d.Counts != (page.Counts{OK: 4}) || len(d.Gaps) > 0 {
		t.Errorf("state %s, counts %+v, gaps %v", d.State, d.Counts, d.Gaps)
	}
	if len(d.Cells) != 4 || d.Cells[0].Load.Concurrency != 16 || d.Cells[0].Numbers[d.Primary].Mean != 1000 || !math.IsNaN(d.Cells[0].Numbers[d.Primary].Low) {
		t.Errorf("the first of %d cells: %+v", len(d.Cells), d.Cells[0])
	}
	if len(d.Axes) != 2 || d.Axes[0].Name != "backend" || !d.Axes[0].Server || d.Axes[1].Server {
		t.Errorf("axes %+v", d.Axes)
	}
	if len(d.Comparisons) != 4 || d.Comparisons[0].Baseline != "backend=flashinfer" {
		t.Fatalf("%d comparisons", len(d.Comparisons))
	}
	for _, p := range d.Comparisons[0].Pairs {
		if p.Verdict != "inconclusive" || p.Why.EN != "one start per arm" || p.Why.ZH != "每组只有一次启动" || p.Cells[0] < 0 || p.Cells[1] != p.Cells[0]+2 || !math.IsNaN(p.Compared[0].Low) {
			t.Errorf("a pair of lone starts: %+v", p)
		}
	}
	if d.Comparisons[0].Arms[0].Verdicts != (page.Verdicts{Inconclusive: 2}) {
		t.Errorf("verdicts %+v", d.Comparisons[0].Arms[0].Verdicts)
	}
}

func TestPhasesOfAPage(t *testing.T) {
	d := Page(newSample(t, measured).folder, "")
	var names []string
	for _, p := range d.Phases[:4] {
		names = append(names, p.Name)
		if p.To < p.From || p.Open || p.Failed || p.Cell != 0 {
			t.Errorf("phase %+v", p)
		}
	}
	if got := strings.Join(names, " "); got != "start ready client stop" || len(d.Phases) != 16 {
		t.Errorf("%d phases, the first are %s", len(d.Phases), got)
	}
	d = Page(newSample(t, failed).folder, "")
	if p := d.Phases[1]; p.Name != "ready" || !p.Failed {
		t.Errorf("the phase that failed: %+v", p)
	}
}

func TestPageOfFailuresOnly(t *testing.T) {
	text, d := drawnPage(t, newSample(t, failed).folder)
	if d.Counts.Failed != 4 || len(d.Troubles) != 1 || len(d.Troubles[0].Rows) != 4 || len(d.Comparisons) > 0 || len(d.Gaps) != 1 {
		t.Errorf("%+v, %d troubles, %d comparisons, gaps %v", d.Counts, len(d.Troubles), len(d.Comparisons), d.Gaps)
	}
	if strings.Contains(text, "<img src") || strings.Contains(text, "\u202e") {
		t.Error("a line of a log is markup, or turns the page's writing round")
	}
}

// Whatever is wrong with a run folder: its page is drawn, and says so.
func TestPageOfDamagedFolders(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(r *run)
		gap    string // "" for none
		state  page.State
		ok     int // cells
	}{
		"nothing begun":        {func(r *run) { r.write("") }, "has not begun", page.Empty, 0},
		"nothing finished":     {func(r *run) { r.keep(3); r.live() }, "No cell is finished yet", page.Running, 0},
		"half of it":           {func(r *run) { r.keep(len(r.events) / 2); r.live() }, "", page.Running, 2},
		"a crash":              {func(r *run) { r.keep(len(r.events) / 2) }, "while no server ran. Most likely servematrix was killed, or its host went down. Not measured: 0 cut short, 2 not run.", page.Crashed, 2},
		"an early crash":       {func(r *run) { r.keep(3) }, "Nothing was measured", page.Crashed, 0},
		"a torn line":          {func(r *run) { r.write(r.journal()[:len(r.journal())-20]) }, "Everything was measured before that", page.Crashed, 4},
		"a damaged line":       {func(r *run) { r.write(strings.Replace(r.journal(), `{"seq":15,`, `{"seq`, 1)) }, "Damaged lines of events.jsonl were passed over: 15 (events.jsonl:15: ", page.Holed, 4},
		"events of the future": {func(r *run) { r.write(strings.ReplaceAll(r.journal(), `"logs":[`, `"logs":[{},`)) }, "launch.started", page.Ended, 4},
		"unknown events":       {func(r *run) { r.write(strings.ReplaceAll(r.journal(), "launch.ready", "launch.quite_ready")) }, "does not know are not shown: launch.quite_ready (4)", page.Ended, 4},
		"no plan":              {func(r *run) { r.remove(journal.PlanFile) }, "The plan cannot be read", page.Ended, 4},
		"a plan of the future": {func(r *run) { r.plan.Schema = 2; r.replan() }, "newer version", page.Ended, 4},
		"half a plan":          {func(r *run) { r.file(journal.PlanFile, []byte(`{"schema":1,"name":`)) }, "The plan cannot be read", page.Ended, 4},
		"a sample is gone":     {func(r *run) { r.remove(journal.AttemptName(r.plan.Cells[0].ID, 1, 1) + "/" + journal.SampleFile) }, "", page.Ended, 3},
		"all samples are gone": {func(r *run) { r.remove("cells") }, "Nothing was measured", page.Ended, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSample(t, measured)
			c.damage(r)
			_, d := drawnPage(t, r.folder)
			said := ""
			for _, g := range d.Gaps {
				said += g.EN + "\n"
				if g.ZH == "" {
					t.Errorf("nothing in Chinese for %s", g.EN)
				}
			}
			if c.gap == "" && said != "" || !strings.Contains(said, c.gap) {
				t.Errorf("the page says %q, not %q", said, c.gap)
			}
			if d.State != c.state || d.Counts.OK != c.ok || d.Counts.Former != 0 {
				t.Errorf("state %s, counts %+v; want %s and %d measured", d.State, d.Counts, c.state, c.ok)
			}
		})
	}
}

func (r *run) journal() string {
	r.t.Helper()
	data, err := os.ReadFile(r.folder.Path(journal.EventsFile))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}

// live lets the run look alive to the end of the test.
func (r *run) live() {
	r.t.Helper()
	lock, err := r.folder.Lock()
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.(*testing.T).Cleanup(func() { _ = lock.Release() })
}

func (r *run) write(journalText string) { r.file(journal.EventsFile, []byte(journalText)) }

// keep keeps the first lines of the journal.
func (r *run) keep(lines int) {
	r.write(strings.Join(strings.SplitAfter(r.journal(), "\n")[:lines], ""))
}

func (r *run) remove(rel string) {
	if err := os.RemoveAll(r.folder.Path(rel)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *run) replan() {
	data, err := json.Marshal(r.plan)
	if err != nil {
		r.t.Fatal(err)
	}
	r.file(journal.PlanFile, data)
}

// The page is drawn when no client runs, and a client that starts ends the drawing.
func TestPageBesideARun(t *testing.T) {
	r := newSample(t, measured)
	path := r.folder.Path(htmlFile)
	there := func() bool { _, err := os.Stat(path); return err == nil }
	b := beside{folder: r.folder}
	b.hear(journal.Event{Type: journal.SampleStarted})
	b.hear(journal.Event{Type: journal.LaunchStopping})
	if b.busy != nil {
		t.Fatal("it draws while a client runs")
	}
	b.hear(journal.Event{Type: journal.SampleEnded})
	b.hear(journal.Event{Type: journal.LaunchStopping})
	<-b.busy
	if !there() {
		t.Fatal("nothing is drawn though no client runs")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	drawnAt := b.drawn
	b.cost.Store(int64(time.Hour)) // as if it had been
	b.hear(journal.Event{Type: journal.LaunchEnded})
	if b.drawn != drawnAt {
		t.Error("it draws again though the last drawing was as long ago as it took")
	}
	r.remove(htmlFile)
	if _, err := b.last(); err != nil || !there() {
		t.Errorf("at the end there is no page: %v", err)
	}
}

// A server that serves several cells does not stop between them: the page is drawn there too.
func TestPageBetweenCellsOfALaunch(t *testing.T) {
	r := newSample(t, measured)
	b := beside{folder: r.folder}
	b.hear(journal.Event{Type: journal.SampleStarted})
	b.hear(journal.Event{Type: journal.SampleStarted}) // on another server
	b.hear(journal.Event{Type: journal.SampleEnded})
	if b.busy != nil {
		t.Fatal("it draws while the other client runs")
	}
	b.hear(journal.Event{Type: journal.SampleEnded})
	if b.busy == nil {
		t.Fatal("nothing is drawn between two cells")
	}
	<-b.busy
	if _, err := os.Stat(r.folder.Path(htmlFile)); err != nil {
		t.Error(err)
	}
}

// Wherever a drawing is when a client starts: it ends there, and the page stays as it was.
func TestDrawingEndsWithAClient(t *testing.T) {
	r := newSample(t, measured)
	b := beside{folder: r.folder}
	former := []byte("the former page")
	r.file(htmlFile, former)
	asked := 0
	for ends := 0; ; ends += 1 + ends/16 {
		asked = 0
		err := b.draw(func() error {
			if asked++; asked > ends {
				return errClientRuns
			}
			return nil
		})
		if err == nil {
			break
		}
		if err != errClientRuns || asked > ends+3 {
			t.Fatalf("told at the %d. time it asked, the drawing went on and asked %d times more: %v", ends+1, asked-ends-1, err)
		}
		if text, err := os.ReadFile(r.folder.Path(htmlFile)); err != nil || !bytes.Equal(text, former) {
			t.Fatalf("told at the %d. time it asked, the drawing changed the page (%v)", ends+1, err)
		}
	}
	if read := len(r.events); asked < read+50 {
		t.Errorf("beside the %d events the drawing asked only %d times", read, asked-read)
	}
	b.ended.Store(true)
	if b.clientRuns() != errClientRuns {
		t.Error("a client that started does not end the drawing")
	}
}
