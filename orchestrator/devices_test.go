package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"servematrix/device"
	"servematrix/journal"
	"servematrix/process"
)

func (b *bench) warnings() string { return strings.Join(b.state().Warnings, "\n") }

func (b *bench) gone() (all []journal.Gone) {
	for _, e := range b.events(journal.LaunchEnded) {
		g, err := journal.Decode[journal.Gone](e)
		if err != nil {
			b.t.Fatal(err)
		}
		all = append(all, g)
	}
	return all
}

// fresh sets how old a reading may be.
func fresh(t *testing.T, d time.Duration) {
	was := deviceFresh
	deviceFresh = d
	t.Cleanup(func() { deviceFresh = was })
}

// twoServers is a sweep whose first client waits until the test has done its part.
const twoServers = `
server: {axes: {s: [x, y]}, command: "SERVER ${{ s }}", ready: READY}
client: {command: "CLIENT await TMP/part"}
`

// part does the test's part while the first client runs, and lets that go on.
func (b *bench) part(do func()) func(journal.Event) {
	done := false
	return func(e journal.Event) {
		if e.Type != journal.ClientStarted || done {
			return
		}
		done = true
		do()
		argv := b.plan.Clients[0].Argv
		if err := os.WriteFile(argv[len(argv)-1], nil, 0o600); err != nil {
			b.t.Error(err)
		}
	}
}

func TestSlowReleaseOfDeviceMemoryIsWaitedFor(t *testing.T) {
	fresh(t, time.Hour)
	b := newBench(t, twoServers)
	f := withGPUs(b, 100, 7)
	f.use("busy", 70_000, 7)
	verdict, err := b.run(context.Background(), Again{}, b.part(func() { f.write("lag", "1\n2\n3\n") }))
	if err != nil || verdict.OK != 2 {
		t.Fatalf("verdict %+v, err %v", verdict, err)
	}
	// One look before the first start, four until the first server's memory is back, one
	// behind the second: the last look behind a server is the level of the next.
	if n := f.looks(); n != 6 {
		t.Errorf("%d looks, want 6", n)
	}
	for _, g := range b.gone() {
		if len(g.Devices) != 2 || g.Devices[0] != (journal.DeviceLevel{Tool: "nvidia-smi", ID: "GPU-0", Before: 100 << 20, After: 100 << 20}) || len(g.Held) > 0 || g.Retried {
			t.Errorf("gone %+v", g)
		}
	}
	if w := b.warnings(); w != "" {
		t.Error(w)
	}
}

func TestDeviceMemoryThatIsNotGivenBackEndsTheRun(t *testing.T) {
	hastenGate(t)
	b := newBench(t, twoServers)
	f := withGPUs(b, 5000, 7)
	pid := sleeper(t)
	f.app(pid, 4990) // it was there before: not its fault
	verdict, err := b.run(context.Background(), Again{}, b.part(func() { f.use("gpus", 9900, 7) }))
	var dirty *NotCleanError
	if !errors.As(err, &dirty) || verdict.ExitCode != ExitPreflight || verdict.OK != 1 || verdict.Missing != 1 {
		t.Fatalf("verdict %+v, err %v", verdict, err)
	}
	for _, want := range []string{"device 0 (Fake)", "4900 MiB more", "5000 MiB, now 9900 MiB", fmt.Sprintf("pid %d (sleep 3600) with 4990 MiB", pid)} {
		if !strings.Contains(dirty.What, want) {
			t.Errorf("%q does not say %q", dirty.What, want)
		}
	}
	g := b.gone()[0]
	if len(g.Held) != 1 || g.Held[0].What != journal.HeldDevice || g.Held[0].Boot == "" || g.Held[0].Device.Before != 5000<<20 || g.Held[0].Device.After != 9900<<20 || !g.Retried || !g.PortFree {
		t.Errorf("gone %+v", g)
	}
	if f := b.state().Last().Failure; f == nil || f.Class != "host_not_clean" {
		t.Errorf("failure %+v", f)
	}
}

func TestLeftoverThatHoldsDeviceMemoryIsEnded(t *testing.T) {
	hastenGate(t)
	b := newBench(t, twoServers)
	f := withGPUs(b, 100)
	f.use("busy", 9000)
	verdict, err := b.run(context.Background(), Again{}, b.part(func() {
		pid := sleeper(t, MarkerEnv+"="+Marker(b.folder))
		f.app(pid, 8900)
		f.write("holder", fmt.Sprint(pid))
	}))
	if err != nil || verdict.OK != 2 {
		t.Fatalf("verdict %+v, err %v", verdict, err)
	}
	if g := b.gone(); !g[0].Retried || g[1].Retried || g[0].Devices[0].After != 100<<20 {
		t.Errorf("gone %+v", g)
	}
	if w := b.warnings(); !strings.Contains(w, "escaped its guard") || strings.Contains(w, "not of this run") {
		t.Error(w)
	}
}

func TestToolThatFailsIsNoReasonToStop(t *testing.T) {
	for name, fail := range map[string]func(f *fakeGPUs){
		"hangs": func(f *fakeGPUs) { f.write("hang", "") },
		"vanishes": func(f *fakeGPUs) {
			if err := os.Remove(filepath.Join(f.dir, "nvidia-smi")); err != nil {
				f.t.Error(err)
			}
		},
		"babbles": func(f *fakeGPUs) { f.write("gpus", "Segmentation fault\n") },
	} {
		t.Run(name, func(t *testing.T) {
			fresh(t, 0) // so that it is asked for each start
			b := newBench(t, `
server: {axes: {s: [x, y, z]}, command: "SERVER ${{ s }}", ready: READY}
client: {command: "CLIENT await TMP/part"}
`)
			f := withGPUs(b, 100)
			if name == "hangs" {
				deviceWait = 2 * time.Second
				defer func() { deviceWait = device.AnswerLimit }()
			}
			verdict, err := b.run(context.Background(), Again{}, b.part(func() { fail(f) }))
			if err != nil || verdict.OK != 3 {
				t.Fatalf("verdict %+v, err %v", verdict, err)
			}
			w := b.warnings()
			if strings.Count(w, "device memory could not be checked: ") != 1 || strings.Count(w, "device memory is not checked any more in this run: ") != 1 {
				t.Error(w)
			}
		})
	}
}

func TestToolThatNeverAnsweredIsNamedOnce(t *testing.T) {
	for text, warned := range map[string]bool{"NVIDIA-SMI has failed": true, "No devices were found": false} {
		b := newBench(t, twoServers)
		f := withGPUs(b)
		f.write("gpus", text+"\n")
		verdict, err := b.run(context.Background(), Again{}, b.part(func() {}))
		if err != nil || verdict.OK != 2 {
			t.Fatalf("verdict %+v, err %v", verdict, err)
		}
		if w := b.warnings(); strings.Contains(w, "devices are not watched") != warned || strings.Count(w, "\n") > 0 || f.looks() != 1 {
			t.Errorf("%q: %d looks, warnings %q", text, f.looks(), w)
		}
	}
}

func TestLevelDoesNotCreep(t *testing.T) {
	d := &Devices{levels: map[deviceKey]uint64{}}
	for _, step := range []struct{ used, total, level uint64 }{
		{1000, 8000, 1000},    // the first reading
		{1200, 8000, 1000},    // within the tolerance: as before
		{1256, 8000, 1000},    //
		{1257, 8000, 1257},    // more than that while nothing of ours runs: somebody else's
		{900, 8000, 900},      // less: that is the level
		{1500, 100_000, 900},  // a hundredth of a large device
		{1901, 100_000, 1901}, //
	} {
		d.settle(reading{snapshots: []device.Snapshot{{Devices: []device.Device{{Memory: &device.Memory{Used: step.used << 20, Total: step.total << 20}}, {Index: 1}}}}})
		if got := d.levels[deviceKey{}]; got != step.level<<20 || len(d.levels) != 1 {
			t.Errorf("%d MiB in use: level %d MiB, want %d", step.used, got>>20, step.level)
		}
	}
}

func TestDeviceThatAFormerSessionLeftFull(t *testing.T) {
	b := newBench(t, twoServers)
	f := withGPUs(b, 100, 5100)
	t.Setenv("PATH", f.dir+":"+os.Getenv("PATH"))
	me, err := process.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	full := journal.Held{What: journal.HeldDevice, Boot: me.BootID, Name: "device 1 (Fake)", By: "has 5000 MiB more",
		Device: &journal.DeviceLevel{Tool: "nvidia-smi", Index: 1, ID: "GPU-1", Before: 100 << 20, After: 5100 << 20}}
	look := func(h journal.Held) string {
		d, ok := demandOf(h)
		if !ok {
			t.Fatal("nothing is demanded")
		}
		d.met()
		return d.By
	}
	if by := look(full); !strings.Contains(by, "has 5000 MiB more in use") || !strings.Contains(by, "no process is named") {
		t.Errorf("it is held by %q", by)
	}
	f.write("apps", fmt.Sprintf("GPU-1, %d, 4900, sleep\n", sleeper(t)))
	if by := look(full); by != "" {
		t.Errorf("a stranger uses it now, and yet: %s", by)
	}
	f.write("apps", fmt.Sprintf("GPU-1, %d, 4900, sleep\n", sleeper(t, MarkerEnv+"=/runs/x")))
	if by := look(full); !strings.Contains(by, "sleep 3600") {
		t.Errorf("a leftover of a run uses it: %q", by)
	}
	f.use("gpus", 100, 300)
	if by := look(full); by != "" {
		t.Errorf("its memory is back, and yet: %s", by)
	}
	f.use("gpus", 100, 5100)
	other := full
	other.Boot = "another"
	if by := look(other); by != "" {
		t.Errorf("the host was rebooted, and yet: %s", by)
	}
	full.Device.ID = "GPU-2"
	if by := look(full); by != "" {
		t.Errorf("another device is there now, and yet: %s", by)
	}
}

func TestInterruptDoesNotWaitForAToolThatHangs(t *testing.T) {
	b := newBench(t, twoServers)
	f := withGPUs(b, 100)
	f.write("hang", "")
	ctx, cancel := context.WithCancelCause(context.Background())
	verdict, err := b.run(ctx, Again{}, func(e journal.Event) {
		if e.Type == journal.LaunchStarted {
			cancel(&Interrupt{Signal: syscall.SIGINT})
		}
	})
	var interrupt *Interrupt
	if !errors.As(err, &interrupt) || verdict.ExitCode != ExitSIGINT || verdict.Missing != 2 {
		t.Fatalf("verdict %+v, err %v", verdict, err)
	}
	if n := len(b.events(journal.LaunchRunning)); n != 0 {
		t.Errorf("%d servers were started", n)
	}
}
