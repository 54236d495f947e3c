package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"servematrix/device"
	"servematrix/journal"
	"servematrix/page"
	"servematrix/telemetry"
)

func (r *run) looks(cell, attempt int, all ...telemetry.Reading) {
	var text []byte
	for _, one := range all {
		line, err := json.Marshal(one)
		if err != nil {
			r.t.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	r.file(journal.AttemptName(r.plan.Cells[cell].ID, 1, attempt)+"/"+journal.TelemetryFile, append(text, `{"time":"2026`...))
}

// Readings stand on the run's clock, behind the start of their client; between two clients is a gap.
func TestPageWithTelemetry(t *testing.T) {
	r := newSample(t, measured)
	gpu := device.Device{Index: 1, Utilization: new(93), Power: new(612.3), Memory: &device.Memory{Used: 64 << 30, Total: 80 << 30}}
	r.looks(0, 1, telemetry.Reading{Seconds: 2, Host: &telemetry.Host{ServerCores: 1.5, BusyCores: 2}}, telemetry.Reading{Seconds: 10, Tool: "nvidia-smi", Devices: []device.Device{gpu}},
		telemetry.Reading{Seconds: 12, Engine: &telemetry.Engine{Running: new(64.0), KVCache: new(0.5)}})
	r.looks(2, 1, telemetry.Reading{Seconds: 10, Tool: "npu-smi", Devices: []device.Device{gpu}}, telemetry.Reading{Seconds: 4, Host: &telemetry.Host{ServerCores: 0.5}})
	text, d := drawnPage(t, r.folder)
	var starts []float64 // of the clients of cells 0 and 2
	for _, p := range d.Phases {
		if p.Name == "client" && (p.Cell == 0 || p.Cell == 2) {
			starts = append(starts, p.From+1) // the client starts a second after its sample
		}
	}
	series := map[string]page.Series{}
	for _, p := range d.Telemetry {
		for _, s := range p.Series {
			series[p.Title.EN+", "+s.Name+", "+p.Unit] = s
		}
	}
	gap := math.NaN()
	for name, want := range map[string]page.Series{
		"Device utilization, GPU 1, %":      {X: []float64{starts[0] + 10, starts[0] + 10}, Y: []float64{93, gap}},
		"Device utilization, NPU 1, %":      {X: []float64{starts[1] + 10, starts[1] + 10}, Y: []float64{93, gap}},
		"Device power, GPU 1, W":            {X: []float64{starts[0] + 10, starts[0] + 10}, Y: []float64{612.3, gap}},
		"Device memory in use, GPU 1, GiB":  {X: []float64{starts[0] + 10, starts[0] + 10}, Y: []float64{64, gap}},
		"Requests in the engine, running, ": {X: []float64{starts[0] + 12, starts[0] + 12}, Y: []float64{64, gap}},
		"KV cache in use, engine, %":        {X: []float64{starts[0] + 12, starts[0] + 12}, Y: []float64{50, gap}},
		"Processor cores in use, server, ":  {X: []float64{starts[0] + 2, starts[0] + 2, starts[1] + 4, starts[1] + 4}, Y: []float64{1.5, gap, 0.5, gap}},
	} {
		got := series[name]
		if len(got.X) != len(want.X) {
			t.Errorf("%s: %v of %v", name, got, series)
			continue
		}
		for i := range want.X {
			if math.Abs(got.X[i]-want.X[i]) > 1e-6 || got.Y[i] != want.Y[i] && !(math.IsNaN(got.Y[i]) && math.IsNaN(want.Y[i])) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
	}
	if len(series) != 12 {
		t.Errorf("%d series: %v", len(series), series)
	}
	if !strings.Contains(text, `id="telemetry"`) {
		t.Error("the page does not draw it")
	}
	if _, d := drawnPage(t, newSample(t, measured).folder); len(d.Telemetry) > 0 {
		t.Errorf("telemetry of nothing: %v", d.Telemetry)
	}
}

// However much was kept, a page holds only so much of it.
func TestPageWithMuchTelemetry(t *testing.T) {
	var b bands
	all := make([]telemetry.Reading, 20_000)
	for i := range all {
		var devices []device.Device
		for n := range 8 {
			devices = append(devices, device.Device{Index: n, Power: new(float64(i % 700)), Temperature: new(50.0), Clock: new(1000.0), Utilization: new(i % 100)})
		}
		all[i] = telemetry.Reading{Seconds: float64(i), Tool: "nvidia-smi", Devices: devices}
	}
	b.take(all, 0)
	points := 0
	for _, p := range b.panels() {
		for _, s := range p.Series {
			points += len(s.X)
			if len(s.X) > seriesMost || len(s.X) < seriesLeast {
				t.Errorf("%s %s has %d points", p.Title.EN, s.Name, len(s.X))
			}
		}
	}
	if points > telemetryPoints {
		t.Errorf("%d points", points)
	}
}
