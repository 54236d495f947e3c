package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"servematrix/journal"
)

// fixedPort is a bench of two cells whose servers want one port, and the stranger who has it.
func fixedPort(t *testing.T) (b *bench, stranger net.Listener) {
	t.Helper()
	stranger, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stranger.Close() })
	port := stranger.Addr().(*net.TCPAddr).Port
	return newBench(t, fmt.Sprintf(`
server: {axes: {s: [x, y]}, command: "%s fake-server %d ${{ s }}", port: %d, ready: READY}
client: {command: "CLIENT"}
run: {retries: 0}
`, os.Args[0], port, port)), stranger
}

// TestStrangerOnAFixedPortEndsTheRun: what needs the port cannot be measured, so
// nothing is tried; the next session measures all of it.
func TestStrangerOnAFixedPortEndsTheRun(t *testing.T) {
	hastenGate(t)
	b, stranger := fixedPort(t)
	v, err := b.run(context.Background(), Again{}, nil)
	dirty, ok := errors.AsType[*NotCleanError](err)
	if !ok || v != (journal.Verdict{Missing: 2, ExitCode: ExitPreflight}) {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	me := fmt.Sprintf("held by pid %d (", os.Getpid())
	if !strings.Contains(dirty.Error(), me) {
		t.Errorf("%q does not name who holds the port", dirty)
	}
	if n := len(b.events(journal.LaunchStarted)); n != 1 || len(b.events(journal.SampleEnded)) > 0 {
		t.Errorf("%d launches, want one and no sample", n)
	}
	s := b.state()
	if f := s.Last().Failure; f == nil || f.Class != "port_busy" || f.Phase != "preflight" {
		t.Errorf("failure %+v", f)
	}
	if end := s.Last().Ended; end == nil || end.PortFree || len(end.Held) > 0 {
		t.Errorf("launch.ended %+v: the port is free, or the server's to give back", end)
	}
	if w := s.Warnings; len(w) != 2 || !strings.Contains(w[0], me) || w[1] != dirty.Error() {
		t.Errorf("warnings %q, want that it is waited for, and why the run ended", w)
	}
	stranger.Close()
	if v, err := b.run(context.Background(), Again{}, nil); err != nil || v.OK != 2 {
		t.Errorf("resumed: verdict %+v, err %v", v, err)
	}
}

func TestStrangerOnAFixedPortIsWaitedFor(t *testing.T) {
	b, stranger := fixedPort(t)
	v, err := b.run(context.Background(), Again{}, func(e journal.Event) {
		if e.Type == journal.Warning {
			stranger.Close()
		}
	})
	if err != nil || v.OK != 2 || len(b.state().Warnings) != 1 {
		t.Errorf("verdict %+v, err %v, warnings %q", v, err, b.state().Warnings)
	}
}

func TestInterruptEndsTheWaitForAStranger(t *testing.T) {
	b, _ := fixedPort(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	v, err := b.run(ctx, Again{}, func(e journal.Event) {
		if e.Type == journal.Warning {
			cancel(&Interrupt{})
		}
	})
	if _, ok := errors.AsType[*Interrupt](err); !ok || v.Missing != 2 {
		t.Errorf("verdict %+v, err %v", v, err)
	}
}

// TestStrangerOnAPortOfOurChoice costs a try: the next one gets another port.
func TestStrangerOnAPortOfOurChoice(t *testing.T) {
	b := newBench(t, "server: {command: 'SERVER', ready: READY}\nclient: {command: 'CLIENT'}\nrun: {retries: 1}\n")
	var stranger net.Listener
	v, err := b.run(context.Background(), Again{}, func(e journal.Event) {
		if e.Type != journal.LaunchStarted || stranger != nil {
			return
		}
		d, err := journal.Decode[journal.Launch](e)
		if err == nil {
			stranger, err = net.Listen("tcp", "127.0.0.1:"+number(d.Port))
		}
		if err != nil {
			t.Error(err)
		}
	})
	defer stranger.Close()
	if err != nil || v.OK != 1 || b.state().Launches[0].Failure.Class != "port_busy" {
		t.Errorf("verdict %+v, err %v", v, err)
	}
}
