package orchestrator

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"servematrix/engine"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/process"
	"servematrix/secret"
)

// The test binary plays guard, server and client.
func TestMain(m *testing.M) {
	process.GuardMain()
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "fake-server":
			fakeServer(os.Args[2], os.Args[3:])
		case "fake-client":
			fakeClient(os.Args[2:])
		case "replay-client":
			replayClient(os.Args[2], os.Args[3:])
		case "fake-child":
			time.Sleep(time.Hour)
		case "fake-deaf":
			signal.Ignore(syscall.SIGTERM)
			fmt.Println("deaf")
			time.Sleep(time.Hour)
		}
	}
	// Under the race detector each guard, server and client would sleep a second at its end.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// fakeServer listens on port and does what the words say.
func fakeServer(port string, words []string) {
	has := func(w string) bool { return slices.Contains(words, w) }
	if has("bad-flag") {
		fmt.Fprintln(os.Stderr, "fake: error: unrecognized arguments: --nonsense")
		os.Exit(2)
	}
	if at := slices.Index(words, "makes-when-told"); at >= 0 {
		makeWhenTold(words[at+1], words[at+2])
	}
	if has("never-ready") {
		time.Sleep(time.Hour)
	}
	if has("nasty-children") {
		for range 3 {
			cmd := exec.Command(os.Args[0], "fake-child", "x")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if err := cmd.Start(); err != nil {
				panic(err)
			}
		}
	}
	if has("deaf") {
		signal.Ignore(syscall.SIGTERM)
	}
	l, err := listenShared("127.0.0.1:" + port)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/flush", func(w http.ResponseWriter, _ *http.Request) {
		if has("sticky-cache") {
			http.Error(w, "busy", http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, "flushed")
	})
	mux.HandleFunc("/info", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"version": "7", "told": 1, "port": 5}`) })
	mux.HandleFunc("/name", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, os.Getenv("S")) })
	mux.HandleFunc("/die", func(http.ResponseWriter, *http.Request) {
		fmt.Fprintln(os.Stderr, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")
		os.Exit(1)
	})
	for _, word := range words {
		if name, arg, ok := strings.Cut(word, "="); ok {
			defer leave(name, arg).Close() // kept open: what is left of it is left by a server that was killed
		}
	}
	stageDeaths(mux, l, words)
	fmt.Println("READY")
	if has("dies-ready") {
		fmt.Fprintln(os.Stderr, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")
		os.Exit(0)
	}
	if err := http.Serve(l, mux); has("closes-port") {
		time.Sleep(time.Hour)
	} else {
		panic(err)
	}
}

// leave makes what can outlive a server.
func leave(what, arg string) io.Closer {
	var c io.Closer
	var err error
	switch what {
	case "shm":
		c, err = os.OpenFile(arg, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	case "unused":
		if c, err = os.OpenFile(arg, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			err = c.Close()
		}
	case "socket":
		c, err = net.Listen("unix", arg)
	case "port":
		c, err = net.Listen("tcp", "127.0.0.1:"+arg)
	case "says": // what stands in a file
		var text []byte
		text, err = os.ReadFile(arg)
		fmt.Print(string(text))
		c = io.NopCloser(nil)
	}
	if err != nil {
		panic(err)
	}
	return c
}

// listenShared listens so that another socket can listen there too.
func listenShared(addr string) (net.Listener, error) {
	shared := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		if cerr := c.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) }); cerr != nil {
			return cerr
		}
		return err
	}}
	return shared.Listen(context.Background(), "tcp", addr)
}

// fakeClient prints a result, or does what the words say. "once=FILE WORD" does it only as long as FILE is not there.
func fakeClient(words []string) {
	url := words[0]
	words = words[1:]
	if len(words) > 1 && strings.HasPrefix(words[0], "once=") {
		file := strings.TrimPrefix(words[0], "once=")
		if _, err := os.Stat(file); err == nil {
			words = nil
		} else if err := os.WriteFile(file, nil, 0o600); err != nil {
			panic(err)
		}
	}
	if i := slices.Index(words, "ask"); i >= 0 { // a path of the server, then hang, or go on
		if res, err := http.Get(url + words[i+1]); err == nil {
			res.Body.Close()
		}
	}
	switch {
	case slices.Contains(words, "partly"):
		duration := "2.0"
		if slices.Contains(words, "long") { // says that it measured for longer than it lived
			duration = "3600"
		}
		fmt.Println(`{"duration": ` + duration + `, "completed": 0, "total_output_tokens": 0, "output_throughput": 0.0}`)
		os.Exit(0)
	case slices.Contains(words, "fail"):
		fmt.Fprintln(os.Stderr, "ValueError: no luck")
		os.Exit(1)
	case slices.Contains(words, "hang"):
		time.Sleep(time.Hour)
	case slices.Contains(words, "kill-server"):
		if res, err := http.Get(url + "/die"); err == nil {
			res.Body.Close()
		}
		time.Sleep(time.Hour)
	case slices.Contains(words, "await"): // a file
		for {
			if _, err := os.Stat(words[1]); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
	case slices.Contains(words, "empty"):
		os.Exit(0)
	}
	rate := "50.0"
	if at := slices.Index(words, "pick"); at >= 0 { // a file that counts the calls, and a value for each: for server a, then for the others
		if fetch(url+"/name") != "a" {
			at += 2
		}
		rate = given(words[at+1], strings.Split(words[at+2], ","))
	}
	fmt.Println(`{"duration": 2.0, "completed": 10, "total_output_tokens": 100, "output_throughput": ` + rate + `}`)
	os.Exit(0)
}

// fetch gives what the server answers.
func fetch(url string) string {
	res, err := http.Get(url)
	if err != nil {
		panic(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		panic(err)
	}
	return string(body)
}

// given gives the next of the values, and from then on the last one.
func given(counter string, values []string) string {
	calls, _ := os.ReadFile(counter)
	if err := os.WriteFile(counter, append(calls, '.'), 0o600); err != nil {
		panic(err)
	}
	v := values[min(len(calls), len(values)-1)]
	if v == "fails" {
		os.Exit(1)
	}
	return v
}

// bench is one run folder and what it takes to work on it.
type bench struct {
	t       *testing.T
	plan    *matrix.Plan
	catalog *engine.Catalog
	folder  journal.Folder
	environ []string
	until   *journal.Until
}

// newBench expands a sweep in which SERVER and CLIENT stand for the fake commands;
// profiles are documents beside our own.
func newBench(t *testing.T, sweep string, profiles ...string) *bench {
	t.Helper()
	var files []string
	for i, text := range profiles {
		file := filepath.Join(t.TempDir(), fmt.Sprintf("profile%d.yaml", i))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	sweep = strings.NewReplacer("SERVER", os.Args[0]+" fake-server ${{ late.port }}", "CLIENT", os.Args[0]+" fake-client ${{ server.url }}",
		"READY", "{log: '^READY$', timeout: 20s}", "TMP", t.TempDir()).Replace(sweep)
	plan, problems := matrix.Parse("sweep.yaml", []byte("version: 1\nname: test\n"+sweep), matrix.Options{Getenv: os.LookupEnv})
	if problems.HasErrors() {
		t.Fatalf("sweep: %v", problems)
	}
	catalog, err := engine.Load(files...)
	if err != nil {
		t.Fatal(err)
	}
	if problems := catalog.Complete(plan); problems.HasErrors() {
		t.Fatalf("complete: %v", problems)
	}
	b := &bench{t: t, plan: plan, catalog: catalog, environ: os.Environ()}
	var lock *journal.Lock
	b.folder, lock, err = journal.Create(t.TempDir(), "test", time.Now(), map[string][]byte{journal.PlanFile: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Release() })
	return b
}

// run works one session; react sees every event as it is written.
func (b *bench) run(ctx context.Context, again Again, react func(journal.Event)) (journal.Verdict, error) {
	b.t.Helper()
	state, end, err := ReadState(b.folder)
	if err != nil {
		b.t.Fatal(err)
	}
	w, err := b.folder.Append(end)
	if err != nil {
		b.t.Fatal(err)
	}
	if react != nil {
		w.Subscribe(react)
	}
	me, err := process.Identify(os.Getpid())
	if err != nil {
		b.t.Fatal(err)
	}
	redactor := &secret.Redactor{}
	redactor.AddEnviron(b.environ, b.plan.Secrets)
	session := journal.Session{Process: journal.Running{PID: me.PID, Start: me.StartTicks, Boot: me.BootID}, Blocks: b.plan.Run.Blocks, Seed: b.plan.Run.Seed, Until: b.until}
	if b.until != nil {
		session.Blocks = max(b.until.Least, state.Session.Blocks)
	}
	begun, err := w.Begin(session)
	if err != nil {
		b.t.Fatal(err)
	}
	all := PlanUnits(b.plan, session.Blocks)
	units := state.Missing(all, again)
	verdict, err := Run(ctx, Options{
		Folder: b.folder, Plan: b.plan, Catalog: b.catalog, Journal: w, State: state, Begun: begun, Session: session,
		Units: units, All: all, Lost: FindLost(ctx, b.folder, state, all, units), Afresh: again != Again{},
		Dir: b.t.TempDir(), Environ: b.environ, Exe: os.Args[0], Redactor: redactor, Log: zerolog.Nop(), Hurry: make(chan struct{}),
	})
	if cerr := w.Close(); cerr != nil {
		b.t.Fatal(cerr)
	}
	b.nothingLeft()
	return verdict, err
}

// events replays what the journal holds, only the given types if any.
func (b *bench) events(types ...journal.Type) []journal.Event {
	b.t.Helper()
	all, err := b.folder.Replay()
	if err != nil {
		b.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(e journal.Event) bool { return len(types) > 0 && !slices.Contains(types, e.Type) })
}

// state folds the journal.
func (b *bench) state() *State {
	b.t.Helper()
	s, _, err := ReadState(b.folder)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// nothingLeft looks for itself whether a process of this run still lives.
func (b *bench) nothingLeft() {
	b.t.Helper()
	marker := MarkerEnv + "=" + Marker(b.folder)
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, f := range files {
		if env, err := os.ReadFile(f); err == nil && strings.Contains(string(env), marker) {
			cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
			b.t.Errorf("%s still lives: %q", filepath.Dir(f), strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
}
