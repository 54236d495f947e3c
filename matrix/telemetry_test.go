package matrix

import (
	"strings"
	"testing"
)

func TestTelemetryIsNoTorrent(t *testing.T) {
	for text, want := range map[string]string{
		"{host: 100ms}":   "s.yaml:4:25: run.telemetry.host must be 0s (never) or at least 1s",
		"{devices: 0.9s}": "s.yaml:4:28: run.telemetry.devices must be 0s (never) or at least 1s",
		"{engine: 10}":    "run.telemetry.engine needs a unit: 10 of what?",
		"{gpu: 1s}":       `unknown key "gpu"`,
		"10s":             "run.telemetry",
	} {
		_, problems := Parse("s.yaml", []byte("version: 1\nserver: {command: run}\nclient: {command: bench}\nrun: {telemetry: "+text+"}\n"), testOptions)
		if got := problems.Error(); !strings.Contains(got, want) || len(problems) != 1 {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}
