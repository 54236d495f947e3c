package telemetry

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"servematrix/device"
	"servematrix/schema/schematest"
)

// Three sources at their own pace, on one clock; one of them hangs.
func TestRecorder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.jsonl")
	synctest.Test(t, func(t *testing.T) {
		r := Record(path)
		r.Watch(2*time.Second, 4*time.Second, func(context.Context) []Reading { return []Reading{{Host: &Host{Cores: 2}}} })
		r.Watch(time.Second, time.Second, func(ctx context.Context) []Reading {
			<-ctx.Done()
			return []Reading{{Engine: &Engine{}}} // too late
		})
		r.Watch(5*time.Second, time.Minute, func(context.Context) []Reading {
			time.Sleep(2 * time.Second) // the reading is of the moment when it was asked for
			return []Reading{{Tool: "a-smi", Devices: []device.Device{{Power: new(612.5)}}}, {Tool: "b-smi", Devices: []device.Device{{}}}}
		})
		time.Sleep(11 * time.Second)
		r.Close()
		synctest.Wait()
		time.Sleep(time.Hour)
	})
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	began := got[0].Time.Add(-2 * time.Second)
	at := func(s float64, r Reading) Reading {
		r.Time, r.Seconds = began.Add(time.Duration(s*float64(time.Second))), s
		return r
	}
	want := []Reading{at(2, Reading{Host: &Host{Cores: 2}}), at(6, Reading{Host: &Host{Cores: 2}}),
		at(5, Reading{Tool: "a-smi", Devices: []device.Device{{Power: new(612.5)}}}), at(5, Reading{Tool: "b-smi", Devices: []device.Device{{}}}), at(10, Reading{Host: &Host{Cores: 2}})}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// A file that cannot be written loses readings and nothing else, and what follows a torn
// line can be read.
func TestRecorderOnABadDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "telemetry.jsonl")
	one := []Reading{{Engine: &Engine{Running: new(1.0)}}}
	r := Record(filepath.Join(dir, "gone", "telemetry.jsonl"))
	r.keep(time.Now(), one)
	if r.written != 0 {
		t.Errorf("%d bytes were written nowhere", r.written)
	}
	if err := os.WriteFile(path, []byte(`{"time":"2026-11-22T02:0`), 0o600); err != nil {
		t.Fatal(err)
	}
	r = Record(path)
	r.torn = true
	r.keep(time.Now(), one)
	r.keep(time.Now(), one)
	if got, err := Read(path); err != nil || len(got) != 2 {
		t.Errorf("%d readings, %v", len(got), err)
	}
	r.written = fileMost
	r.keep(time.Now(), one)
	r.Close()
	r.written = 0
	r.keep(time.Now(), one)
	if got, _ := Read(path); len(got) != 2 {
		t.Errorf("%d readings: it wrote past its end", len(got))
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	full.Close()
	r = Record("/dev/full")
	if r.keep(time.Now(), one); !r.torn || r.written != 0 {
		t.Errorf("a full disk: torn %v, %d written", r.torn, r.written)
	}
}

func TestSchema(t *testing.T) {
	schematest.Current(t, "telemetry", schematest.Of(Reading{}, "one line of telemetry.jsonl"))
	schematest.Refuses(t, "telemetry", `{"time":"2026-11-22T02:00:00Z","seconds":1,"gpu":1}`)
	schematest.Refuses(t, "telemetry", `{"time":"2026-11-22T02:00:00Z"}`)
}
