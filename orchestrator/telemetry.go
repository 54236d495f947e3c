package orchestrator

import (
	"context"
	"path/filepath"
	"time"

	"servematrix/device"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/telemetry"
)

// engineFirst is when the engine is asked first, so that short clients show something. A
// variable for the tests only.
var engineFirst = 2 * time.Second

// keepTelemetry keeps in dir what server, client, host and devices are like until the
// recorder is closed. Nobody waits for any of it.
func (l *launch) keepTelemetry(a *attempt, dir string) *telemetry.Recorder {
	often := l.Plan.Run.Telemetry
	if often == nil {
		often = matrix.DefaultTelemetry()
	}
	kept := telemetry.Record(filepath.Join(dir, journal.TelemetryFile))
	if every := time.Duration(often.Host); every > 0 {
		kept.Watch(0, every, telemetry.NewHostMeter(l.proc, a.proc).Look)
	}
	a.beside = nil
	if every := time.Duration(often.Devices); every > 0 && l.devices != nil {
		// Tools of its own: one whose driver hangs holds up nothing.
		a.beside = &beside{launch: l, client: a.proc, tools: device.Find(l.Environ)}
		kept.Watch(min(besideFirst, every), every, a.beside.look)
	}
	if every := time.Duration(often.Engine); every > 0 && l.profile.Metrics != "" && l.profile.Gauges.Any() && l.late.url != "" {
		page := func(ctx context.Context) ([]byte, error) { return metricsPage(ctx, l.late.url+l.profile.Metrics) }
		kept.Watch(min(engineFirst, every), every, (&telemetry.EngineMeter{Page: page, Gauges: l.profile.Gauges}).Look)
	}
	return kept
}
