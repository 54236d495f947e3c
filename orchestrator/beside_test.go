package orchestrator

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/result"
	"servematrix/telemetry"
)

// While a client runs, a stranger comes and goes and a device slows down: both are seen.
func TestWhatHappensToDevicesBesideAClient(t *testing.T) {
	defer func(first time.Duration) { besideFirst = first }(besideFirst)
	besideFirst = time.Millisecond
	for _, validity := range []string{"normal", "strict"} {
		t.Run(validity, func(t *testing.T) {
			b := newBench(t, `
server: {command: "SERVER", ready: READY}
client: {command: "CLIENT await TMP/go"}
run: {retries: 0}
validity: `+validity+`
`)
			b.plan.Run.Telemetry.Devices = matrix.Duration(5 * time.Millisecond)
			f := withGPUs(b, 100, 100)
			pid := sleeper(t)
			var changed sync.WaitGroup
			_, err := b.run(context.Background(), Again{}, func(e journal.Event) {
				if e.Type != journal.ClientStarted {
					return
				}
				f.app(pid, 100)
				f.write("clocks", "0, 0x0000000000000004\n1, 0x00000000000000c4\n") // both at their power limit
				f.write("looks", "\n")
				changed.Go(func() { // two looks that began later have ended when the third begins
					for deadline := time.Now().Add(time.Minute); f.looks() < 4 && time.Now().Before(deadline); {
						time.Sleep(time.Millisecond)
					}
					argv := b.plan.Clients[0].Argv
					if err := os.WriteFile(argv[len(argv)-1], nil, 0o600); err != nil {
						t.Error(err)
					}
				})
			})
			changed.Wait()
			if err != nil {
				t.Fatal(err)
			}
			s := b.sampleOf(1)
			want := map[string]string{StatusOK: "normal", StatusInvalid: "strict"}
			if want[s.Status] != validity || len(s.Validity.Reasons) != 2 {
				t.Fatalf("%s, %+v", s.Status, s.Validity)
			}
			for i, part := range []string{fmt.Sprintf("pid %d (sleep 3600) with 100 MiB of device 0 (Fake) while the client ran", pid), "device 1 (Fake): hw_power_brake_slowdown at "} {
				r := s.Validity.Reasons[i]
				if !strings.Contains(r.Detail, part) || r.Severity != result.SeverityWarning || r.Reason != []string{result.ForeignProcess, result.Throttled}[i] {
					t.Errorf("%+v, want %q", r, part)
				}
			}
			if !strings.Contains(s.Validity.Reasons[1].Detail, "device 1 (Fake): hw_thermal_slowdown") || strings.Contains(s.Validity.Reasons[1].Detail, "device 0") || strings.Contains(s.Validity.Reasons[1].Detail, "power_cap") {
				t.Errorf("%+v", s.Validity.Reasons[1])
			}
			kept, err := os.ReadFile(b.folder.Path(b.state().Of(Unit{b.plan.Cells[0].ID, 1}).Folder, journal.TelemetryFile))
			if err != nil {
				t.Fatal(err)
			}
			var looks []telemetry.Reading
			for _, r := range telemetry.Parse(kept) {
				if r.Tool != "" {
					looks = append(looks, r)
				}
			}
			if len(looks) < 2 {
				t.Fatalf("devices were seen %d times: %s", len(looks), kept)
			}
			look := looks[0]
			if look.Time.IsZero() || look.Tool != "nvidia-smi" || len(look.Devices) != 2 || looks[1].Seconds <= look.Seconds {
				t.Fatalf("%s", kept)
			}
			if d := look.Devices[1]; *d.Utilization != 0 || *d.Power != 101.5 || *d.Temperature != 41 || *d.Clock != 1755 || d.Memory.Used != 100<<20 {
				t.Errorf("%s", kept)
			}
			if n := strings.Count(b.warnings(), "is not of this run"); n != 1 {
				t.Errorf("the stranger is named %d times: %s", n, b.warnings())
			}
		})
	}
}
