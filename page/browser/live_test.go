package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"servematrix/journal"
	"servematrix/live"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
)

// growing is a run that goes on as the test lets it, and the server of its page.
type growing struct {
	t       *testing.T
	plan    *matrix.Plan
	folder  journal.Folder
	journal *journal.Writer
	server  *live.Server
	home    string
	link    string
	end     func() // of the server
	n       int
}

func grow(t *testing.T) *growing {
	t.Helper()
	needed(t)
	source := []byte("version: 1\nname: growing\nserver: {axes: {backend: [triton, fa3, evil]}, command: [serve, \"${{ backend }}\"], ready: {log: never}}\n" +
		"client: {axes: {load: [c8, c9]}, command: [bench, \"${{ load }}\"]}\n")
	plan, problems := matrix.Parse("sweep.yaml", source, matrix.Options{Getenv: os.LookupEnv})
	must(t, problems.Err())
	for _, s := range plan.Servers { // a plan that somebody else wrote can have any name
		if s.Axes[0].Value == "evil" {
			s.Name, s.Axes[0].Value = hostile, hostile
		}
	}
	var frozen bytes.Buffer
	must(t, plan.WriteJSON(&frozen))
	begun, first, err := journal.First(journal.Session{Blocks: 1, Cells: len(plan.Cells), Plan: 1})
	must(t, err)
	g := &growing{t: t, plan: plan}
	var lock *journal.Lock
	g.folder, lock, err = journal.Create(t.TempDir(), plan.Name, time.Now(), map[string][]byte{journal.SweepFile: source, journal.PlanFile: frozen.Bytes(), journal.EventsFile: first})
	must(t, err)
	g.journal, err = g.folder.Append(journal.End{Offset: int64(len(first)), Seq: begun.Seq})
	must(t, err)
	l, err := live.Listen(0)
	must(t, err)
	g.server = live.New(g.folder, l)
	g.link, g.home = g.server.Link(), "http://"+l.Addr().String()+"/"
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- g.server.Serve(ctx) }()
	g.end = func() { cancel(); must(t, <-done); done <- nil }
	t.Cleanup(func() { g.end(); must(t, g.journal.Close()); must(t, lock.Release()) })
	return g
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (g *growing) event(e journal.Event, kind journal.Type, data any) {
	g.t.Helper()
	e.Type = kind
	_, err := g.journal.Write(e, data, false)
	must(g.t, err)
}

// sample starts the server of the next cell and measures it.
func (g *growing) sample() {
	g.t.Helper()
	cell := g.plan.Cells[g.n]
	g.n++
	s := &result.Sample{Run: "growing", Cell: cell.ID, Block: 1, Attempt: 1, Status: result.StatusOK, Times: map[string]result.PhaseTime{}, Server: &result.Side{ID: cell.Server}, Client: &result.Side{ID: cell.Client},
		Metrics: metric.Of(map[string]float64{"output_throughput": 1000 + float64(g.n), "mean_ttft_ms": 20})}
	at := journal.Event{Launch: fmt.Sprint(g.n), Cell: cell.ID, Block: 1, Attempt: 1}
	g.event(at, journal.LaunchStarted, journal.Launch{Server: cell.Server, Name: hostile})
	rel := journal.AttemptName(cell.ID, 1, 1)
	g.event(at, journal.SampleStarted, journal.Sample{Folder: rel, Client: cell.Client, Name: "load"})
	data, err := json.Marshal(s)
	must(g.t, err)
	must(g.t, os.MkdirAll(g.folder.Path(rel), 0o700))
	must(g.t, os.WriteFile(g.folder.Path(rel, journal.SampleFile), data, 0o600))
	g.event(at, journal.SampleEnded, journal.Ended{Status: result.StatusOK, SHA256: journal.Digest(data), Final: true})
}

// The page opens by its link, grows while the run goes on, keeps what its reader chose, and says when the run has ended.
func TestLivePageGrows(t *testing.T) {
	g := grow(t)
	p := visit(t, g.link+"#status=ok", g.home)
	is(p, `location.href`, g.home+"#status=ok")
	is(p, `document.cookie`, "")
	is(p, `document.querySelector("#count").textContent`, "6 of 6 cells") // there is no ok to choose yet
	g.sample()
	p.until(`document.querySelector("#count").textContent === "1 of 6 cells"`)
	p.until(`document.querySelector("#live.on .en")?.textContent.includes("1 done")`)
	is(p, `document.querySelector("#live .en").textContent.includes(`+quote("<img src=x")+`)`, true)
	p.js(`document.querySelector("#filters input[name=q]").focus()`)
	p.choose(`#filters input[name=q]`, "c9", "input")
	for range 5 {
		g.sample()
	}
	p.until(`document.querySelector("#count").textContent === "3 of 6 cells"`)
	is(p, `document.activeElement.name + document.activeElement.value`, "qc9")
	is(p, `location.hash`, "#status=ok&q=c9")
	is(p, `window.pwned === undefined && document.querySelectorAll("img, iframe").length === 0`, true)
	is(p, `document.body.textContent.includes(`+quote("<img src=x")+`)`, true)
	g.event(journal.Event{}, journal.RunEnded, journal.Verdict{OK: 6})
	g.server.Finish(t.Context())
	p.until(`document.querySelector("#live.over .en")?.textContent === "The run has ended; this page stays as it is."`)
	is(p, `document.querySelector("#verdict .state .en").textContent.startsWith("Everything was tried")`, true)
	p.shoot("live-laptop-light", 1280, 900)
	g.end()
	is(p, `document.querySelector("#live").className`, "over")
}

// A link on a page of somebody else leads in too, though the cookie is not sent at first.
func TestLiveLinkFromElsewhere(t *testing.T) {
	g := grow(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<!doctype html><link rel="icon" href="data:,"><a href="%s">the page</a>`, g.link)
	}))
	t.Cleanup(elsewhere.Close)
	p := visit(t, strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1), "http://")
	p.expected = "403"
	p.do(chromedp.Click(chromedp.CSS("a")))
	for there := false; !there && p.ctx.Err() == nil; { // pages come and go meanwhile, and what is asked of them gets lost
		there, _ = chromedp.Run(p.ctx, chromedp.Evaluate[bool](`document.querySelector("#live.on") !== null`))
	}
	is(p, `location.href`, g.home)
}

// faulty stands between the browser and the server of the page, and can refuse to hand on its newer pages.
type faulty struct {
	*httptest.Server
	refuses atomic.Bool
	refused atomic.Int32
}

func (g *growing) behindFaults() *faulty {
	home, err := url.Parse(g.home)
	must(g.t, err)
	f := &faulty{}
	to := httputil.NewSingleHostReverseProxy(home)
	to.ErrorLog = log.New(io.Discard, "", 0)
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/main" && f.refuses.Load() {
			f.refused.Add(1)
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		to.ServeHTTP(w, r)
	}))
	g.t.Cleanup(f.CloseClientConnections)
	g.link, g.home = strings.Replace(g.link, g.home, f.URL+"/", 1), f.URL+"/"
	return f
}

// A newer page that did not come is asked for again, and it is not said that this one is the last before that came.
func TestLivePageAsksAgain(t *testing.T) {
	g := grow(t)
	f := g.behindFaults()
	p := visit(t, g.link+"#status=ok", g.home)
	p.expected = "Failed to load resource"
	p.until(`document.querySelector("#live.on") !== null`)
	f.refuses.Store(true)
	g.sample()
	p.until(`document.querySelector("#live.on .en")?.textContent.includes("1 done")`)
	for f.refused.Load() == 0 && p.ctx.Err() == nil { // until the browser has asked in vain
		time.Sleep(time.Millisecond)
	}
	is(p, `document.querySelector("#count").textContent`, "6 of 6 cells") // there is no ok to choose yet
	f.refuses.Store(false)
	p.until(`document.querySelector("#count").textContent === "1 of 6 cells"`)
	f.refuses.Store(true)
	for range 5 {
		g.sample()
	}
	g.event(journal.Event{}, journal.RunEnded, journal.Verdict{OK: 6})
	finished := make(chan struct{})
	go func() { defer close(finished); g.server.Finish(t.Context()) }()
	p.until(`document.querySelector("#live.away") !== null`)
	is(p, `document.querySelector("#live.over") === null`, true)
	f.refuses.Store(false)
	p.until(`document.querySelector("#live.over .en")?.textContent === "The run has ended; this page stays as it is."`)
	is(p, `document.querySelector("#verdict .state .en").textContent.startsWith("Everything was tried")`, true)
	<-finished
}

// A page whose server goes says so, and that its link no longer counts when another one comes.
func TestLiveServerGoes(t *testing.T) {
	g := grow(t)
	p := visit(t, g.link, g.home)
	p.expected = "Failed to load resource"
	p.until(`document.querySelector("#live.on") !== null`)
	g.end()
	p.until(`document.querySelector("#live.away .en")?.textContent.startsWith("The server of this page is away")`)
	is(p, `document.querySelector("h1").textContent`, "growing")
}
