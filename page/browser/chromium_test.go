package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"servematrix/page"
)

// names under which systems have it.
var chromiums = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

var browser context.Context // nil: there is none

func TestMain(m *testing.M) {
	os.Exit(func() int {
		for _, name := range chromiums {
			path, err := exec.LookPath(name)
			if err != nil {
				continue
			}
			options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(2*time.Minute))
			allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
			defer stop()
			var end context.CancelFunc
			browser, end = chromedp.NewContext(allocator)
			defer end()
			if err := chromedp.Do(browser); err != nil {
				panic(err)
			}
			break
		}
		return m.Run()
	}())
}

// tab is an open page with what it complained of and asked for.
type tab struct {
	t   *testing.T
	ctx context.Context

	home     string // where all that it asks for is
	expected string // in what the console says; "": nothing

	mu       sync.Mutex
	problems []string
	requests []string
}

// open writes the page of data to a file and opens it.
func open(t *testing.T, data *page.Data, fragment string) *tab {
	t.Helper()
	needed(t)
	var b bytes.Buffer
	if err := page.HTML(&b, data, page.Options{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return visit(t, "file://"+path+fragment, "file://"+path)
}

// needed skips the test where there is no browser.
func needed(t *testing.T) {
	t.Helper()
	if browser == nil {
		if os.Getenv("SERVEMATRIX_BROWSER") == "required" {
			t.Fatalf("no Chromium is installed (looked for %s), and SERVEMATRIX_BROWSER=required", strings.Join(chromiums, ", "))
		}
		t.Skipf("no Chromium is installed (looked for %s)", strings.Join(chromiums, ", "))
	}
}

// visit opens an address; what the page asks for must begin with home.
func visit(t *testing.T, address, home string) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(browser)
	t.Cleanup(end)
	ctx, late := context.WithTimeout(ctx, 4*time.Minute)
	t.Cleanup(late)
	p := &tab{t: t, ctx: ctx, home: home}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	command(p, network.Enable, network.EnableParams{})
	command(p, log.Enable, cdp.Empty{})
	command(p, runtime.Enable, cdp.Empty{})
	p.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(address))
	t.Cleanup(p.quiet)
	return p
}

func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
		p.problems = append(p.problems, text)
	case *runtime.EventConsoleAPICalled:
		p.problems = append(p.problems, "console."+string(e.Type))
	case *log.EventEntryAdded:
		p.problems = append(p.problems, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	}
}

// quiet fails the test when the page complained of anything or asked for anything but itself.
func (p *tab) quiet() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, problem := range p.problems {
		if p.expected == "" || !strings.Contains(problem, p.expected) {
			p.t.Errorf("the console says: %s", problem)
		}
	}
	for _, url := range p.requests {
		if !strings.HasPrefix(url, p.home) && url != "data:," && !strings.HasPrefix(url, "blob:") {
			p.t.Errorf("the page asked for %s", url)
		}
	}
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

func command[P, R any](p *tab, c cdp.Command[P, R], params P) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, c, params); err != nil {
		p.t.Fatal(err)
	}
}

// eval gives what an expression, or what it promises, is in the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// js lets the page do something.
func (p *tab) js(statement string) {
	p.t.Helper()
	eval[chromedp.Void](p, statement)
}

func (p *tab) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

func (p *tab) key(key string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(key))
}

// choose sets a field and lets the page hear of it, as a reader's choice would.
func (p *tab) choose(selector, value, event string) {
	p.t.Helper()
	p.js(`{ const e = document.querySelector(` + quote(selector) + `); e.value = ` + quote(value) + `; e.dispatchEvent(new Event("` + event + `", { bubbles: true })); }`)
}

// until waits for an expression to hold.
func (p *tab) until(expression string) {
	p.t.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[bool](expression)); err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// is fails the test unless an expression is what is wanted.
func is[T comparable](p *tab, expression string, want T) {
	p.t.Helper()
	if got := eval[T](p, expression); got != want {
		p.t.Errorf("%s is %v, not %v", expression, got, want)
	}
}

// shoot keeps a picture of the page, where pictures are wanted.
func (p *tab) shoot(name string, width, height int64) {
	p.t.Helper()
	folder := os.Getenv("SERVEMATRIX_SCREENSHOTS")
	if folder == "" {
		return
	}
	p.do(chromedp.EmulateViewport(width, height))
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	p.do(chromedp.EmulateViewport(1280, 800))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
