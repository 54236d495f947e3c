package progress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"servematrix/device"
	"servematrix/telemetry"
)

const (
	// lookBytes is more than one look at the devices of a host takes in its file.
	lookBytes = 64 << 10
	// stale is the age of a look that says nothing of now: the next one is missing.
	stale = 150 * time.Second
)

// deviceUse watches what the run itself saw last of a server's devices. It asks no
// device: that would disturb what is measured.
type deviceUse struct {
	path   string
	looked time.Time
	last   telemetry.Reading
}

// look writes "GPU×8 93% 612W 71°C 71/80GiB 20s ago", "" where nothing is known.
func (w *deviceUse) look(now time.Time, path string) string {
	if path != w.path {
		*w = deviceUse{path: path}
	}
	if now.Sub(w.looked) >= lookEvery {
		w.looked = now
		if last, ok := lastLook(tailOf(path, lookBytes)); ok {
			w.last = last
		}
	}
	age := max(now.Sub(w.last.Time), 0)
	if len(w.last.Devices) == 0 || age > stale {
		return ""
	}
	return used(w.last.Tool, w.last.Devices) + " " + running(age) + " ago"
}

// lastLook finds the newest line of devices: the other sources have lines of their own.
func lastLook(lines []byte) (telemetry.Reading, bool) {
	for len(lines) > 0 {
		lines = bytes.TrimRight(lines, "\n")
		begin := bytes.LastIndexByte(lines, '\n') + 1
		var r telemetry.Reading
		if line := lines[begin:]; bytes.Contains(line, []byte(`"devices":`)) && json.Unmarshal(line, &r) == nil {
			return r, true
		}
		lines = lines[:begin]
	}
	return telemetry.Reading{}, false
}

// used sums devices up: how many, the mean of their utilization and of their power, and
// the temperature of the hottest and the memory of the fullest.
func used(tool string, devices []device.Device) string {
	text := "GPU"
	if strings.HasPrefix(tool, "npu") {
		text = "NPU"
	}
	if len(devices) > 1 {
		text += fmt.Sprintf("×%d", len(devices))
	}
	var busy, tell int
	var power, told, hottest float64
	var fullest device.Memory
	for _, d := range devices {
		if d.Utilization != nil {
			busy += *d.Utilization
			tell++
		}
		if d.Power != nil {
			power += *d.Power
			told++
		}
		if d.Temperature != nil {
			hottest = max(hottest, *d.Temperature)
		}
		if d.Memory != nil && d.Memory.Used >= fullest.Used {
			fullest = *d.Memory
		}
	}
	if tell > 0 {
		text += fmt.Sprintf(" %d%%", (busy+tell/2)/tell)
	}
	if told > 0 {
		text += fmt.Sprintf(" %.0fW", power/told)
	}
	if hottest > 0 {
		text += fmt.Sprintf(" %.0f°C", hottest)
	}
	if fullest.Total > 0 {
		const gib = 1 << 30
		text += fmt.Sprintf(" %.0f/%.0fGiB", float64(fullest.Used)/gib, float64(fullest.Total)/gib)
	}
	return text
}
