package progress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"servematrix/device"
	"servematrix/orchestrator"
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
	last   orchestrator.DeviceLook
}

// look writes "GPU×8 93% 71/80GiB 20s ago", "" where nothing is known.
func (w *deviceUse) look(now time.Time, path string) string {
	if path != w.path {
		*w = deviceUse{path: path}
	}
	if now.Sub(w.looked) >= lookEvery {
		w.looked = now
		lines := bytes.Split(bytes.TrimSpace(tailOf(path, lookBytes)), []byte{'\n'})
		var last orchestrator.DeviceLook
		if json.Unmarshal(lines[len(lines)-1], &last) == nil {
			w.last = last
		}
	}
	age := max(now.Sub(w.last.Time), 0)
	if len(w.last.Devices) == 0 || age > stale {
		return ""
	}
	return used(w.last.Tool, w.last.Devices) + " " + running(age) + " ago"
}

// used sums devices up: how many, the mean of their utilization, and the memory of the fullest.
func used(tool string, devices []device.Device) string {
	text := "GPU"
	if strings.HasPrefix(tool, "npu") {
		text = "NPU"
	}
	if len(devices) > 1 {
		text += fmt.Sprintf("×%d", len(devices))
	}
	var busy, tell int
	var fullest device.Memory
	for _, d := range devices {
		if d.Utilization != nil {
			busy += *d.Utilization
			tell++
		}
		if d.Memory != nil && d.Memory.Used >= fullest.Used {
			fullest = *d.Memory
		}
	}
	if tell > 0 {
		text += fmt.Sprintf(" %d%%", (busy+tell/2)/tell)
	}
	if fullest.Total > 0 {
		const gib = 1 << 30
		text += fmt.Sprintf(" %.0f/%.0fGiB", float64(fullest.Used)/gib, float64(fullest.Total)/gib)
	}
	return text
}
