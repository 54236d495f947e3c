package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"servematrix/journal"
)

func TestForeignProcessOnADevice(t *testing.T) {
	for _, c := range []struct {
		name, policy string
		during       bool // it comes while the first client runs
		ok, missing  int
		starts       int
	}{
		{"was there, warn", "warn", false, 2, 0, 2},
		{"was there, stop", "stop", false, 0, 2, 0},
		{"comes, warn", "warn", true, 2, 0, 2},
		{"comes, stop", "stop", true, 1, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, twoServers+"run: {on_foreign_process: "+c.policy+"}\n")
			f := withGPUs(b, 100)
			pid := sleeper(t)
			come := func() {
				f.use("gpus", 4100)
				f.app(pid, 4000)
			}
			if !c.during {
				come()
			}
			verdict, err := b.run(context.Background(), Again{}, b.part(come))
			var dirty *NotCleanError
			stopped := c.policy == "stop"
			if errors.As(err, &dirty) != stopped || stopped != (verdict.ExitCode == ExitPreflight) || verdict.OK != c.ok || verdict.Missing != c.missing {
				t.Fatalf("verdict %+v, err %v", verdict, err)
			}
			if n := len(b.events(journal.LaunchRunning)); n != c.starts {
				t.Errorf("%d servers started, want %d", n, c.starts)
			}
			who := fmt.Sprintf("pid %d (sleep 3600) with 4000 MiB of device 0 (Fake)", pid)
			if n := strings.Count(b.warnings(), who+" is not of this run"); (n == 1) != (c.during || !stopped) || n > 1 {
				t.Errorf("it is named %d times in: %s", n, b.warnings())
			}
			if stopped {
				if f := b.state().Last().Failure; f == nil || f.Class != "device_busy" || f.Phase != "preflight" || !strings.Contains(f.Message, who) {
					t.Errorf("failure %+v", f)
				}
				if g := b.gone(); g[len(g)-1].Note != "it was never started" {
					t.Errorf("gone %+v", g)
				}
			}
		})
	}
}

func TestForeignBeforeTheRun(t *testing.T) {
	b := newBench(t, twoServers+"run: {on_foreign_process: stop}\n")
	f := withGPUs(b, 100)
	pid := sleeper(t)
	f.app(pid, 4000)
	units := PlanUnits(b.plan, 1)
	check := func(more ...string) error {
		environ := slices.Concat(b.environ, more)
		d := LookAtDevices(environ)
		defer d.close()
		return Foreign(d, b.plan, units, "/", environ)
	}
	var host *HostError
	if err := check(); !errors.As(err, &host) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d (sleep 3600) with 4000 MiB", pid)) {
		t.Errorf("error %v", err)
	}
	if err := check("CUDA_VISIBLE_DEVICES="); err != nil {
		t.Errorf("no device is used, and yet: %v", err)
	}
	f.app(1<<22-1, 4000) // no such process here: of another pid namespace
	if err := check(); err != nil {
		t.Errorf("the process cannot be confirmed, and yet: %v", err)
	}
	f.app(pid, 4000)
	b.plan.Run.OnForeign = "warn"
	if err := check(); err != nil {
		t.Errorf("a warning is enough, and yet: %v", err)
	}
}

func TestDevicesThatTheServerDoesNotSeeAreNotItsMatter(t *testing.T) {
	hastenGate(t)
	b := newBench(t, `
server: {command: "SERVER", ready: READY, env: {CUDA_VISIBLE_DEVICES: "1"}}
client: {command: "CLIENT await TMP/part"}
run: {on_foreign_process: stop}
`)
	f := withGPUs(b, 100, 7)
	b.environ = append(b.environ, "CUDA_VISIBLE_DEVICES=0") // the sweep's own wins
	f.app(sleeper(t), 50)
	verdict, err := b.run(context.Background(), Again{}, b.part(func() { f.use("gpus", 60_000, 7) }))
	if err != nil || verdict.OK != 1 {
		t.Fatalf("verdict %+v, err %v", verdict, err)
	}
	if g := b.gone()[0]; len(g.Devices) != 1 || g.Devices[0].Index != 1 {
		t.Errorf("gone %+v", g)
	}
}
