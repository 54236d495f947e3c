package telemetry

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"servematrix/engine"
	"servematrix/process"
)

// TestMain lets the test binary be the guard of what a test starts.
func TestMain(m *testing.M) {
	process.GuardMain()
	os.Exit(m.Run())
}

// A server whose child computes and a client that sleeps: each is told by itself.
func TestHostMeter(t *testing.T) {
	server, client := started(t, "sh -c 'while :; do :; done' & wait"), started(t, "exec sleep 3600")
	m := NewHostMeter(server, client)
	if got := m.Look(t.Context()); got != nil {
		t.Errorf("the first look has nothing to count from, but: %+v", got)
	}
	for round := range 3 { // by a scan or by the known processes alone
		if round == 2 {
			m.cost = time.Hour
		}
		before := computed(server)
		for deadline := time.Now().Add(time.Minute); computed(server)-before < 100*time.Millisecond; {
			if time.Now().After(deadline) {
				t.Fatal("the server does not compute")
			}
			time.Sleep(time.Millisecond)
		}
		got := m.Look(t.Context())
		if len(got) != 1 || got[0].Host == nil {
			t.Fatalf("%+v", got)
		}
		h := got[0].Host
		if h.ServerCores <= 0 || h.ClientCores > h.ServerCores/2 || h.BusyCores <= 0 || h.BusyCores > float64(h.Cores)*1.5 || h.MemoryUsed == 0 || h.MemoryUsed >= h.MemoryTotal {
			t.Errorf("%+v", h)
		}
	}
	if m.whole {
		t.Error("a scan that takes long is made at every look")
	}
}

// A look that could not see the processes tells nothing, and neither does the next, which has nothing to count from.
func TestHostMeterThatSeesNothing(t *testing.T) {
	server, client := started(t, "exec sleep 3600"), started(t, "exec sleep 3600")
	m := NewHostMeter(server, client)
	m.Look(t.Context())
	m.scan = func(...*process.Process) ([][]process.Usage, error) { return nil, syscall.EMFILE }
	m.scanned = time.Time{} // the next look scans
	if got := m.Look(t.Context()); got != nil {
		t.Errorf("it saw nothing, and said %+v", got[0].Host)
	}
	m.scan = process.UsageOf
	if got := m.Look(t.Context()); got != nil {
		t.Errorf("it has nothing to count from, and said %+v", got[0].Host)
	}
	if got := m.Look(t.Context()); len(got) != 1 {
		t.Errorf("it sees again, and says %+v", got)
	}
}

// computed is the processor time of a tree.
func computed(p *process.Process) (sum time.Duration) {
	all, err := process.UsageOf(p)
	if err != nil {
		return 0
	}
	for _, u := range all[0] {
		sum += u.CPU
	}
	return sum
}

func started(t testing.TB, script string) *process.Process {
	t.Helper()
	guard, err := process.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p, err := guard.Start(process.Spec{Argv: []string{"/bin/sh", "-c", script}, Env: os.Environ(), Dir: dir,
		Stdout: filepath.Join(dir, "out"), Stderr: filepath.Join(dir, "err"), Status: filepath.Join(dir, "status"), Lock: filepath.Join(dir, "lock"), Session: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop(process.StopPolicy{Signal: syscall.SIGKILL})
		<-p.Done()
	})
	return p
}

// What one minute of a client costs, at the intervals of matrix.DefaultTelemetry: 30 looks
// at the host and 6 at an engine's page, as far as they are ours; to be read in CPU time.
func BenchmarkMinute(b *testing.B) {
	page, err := os.ReadFile("testdata/vllm.metrics")
	if err != nil {
		b.Fatal(err)
	}
	catalog, err := engine.Load()
	if err != nil {
		b.Fatal(err)
	}
	vllm := catalog.Server("vllm")
	server, client := started(b, "exec sleep 3600"), started(b, "exec sleep 3600")
	r := Record(filepath.Join(b.TempDir(), "telemetry.jsonl"))
	m := NewHostMeter(server, client)
	var began, ended syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &began); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for range 30 {
			m.cost = 0 // each look scans
			r.keep(time.Now(), m.Look(b.Context()))
		}
		for range 6 {
			state := pick(page, vllm.Gauges)
			r.keep(time.Now(), []Reading{{Engine: &state}})
		}
	}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ended); err != nil {
		b.Fatal(err)
	}
	used := time.Duration(ended.Utime.Nano() + ended.Stime.Nano() - began.Utime.Nano() - began.Stime.Nano())
	b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "cpu-ms/minute")
}
