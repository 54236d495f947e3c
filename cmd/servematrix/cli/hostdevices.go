package cli

import (
	"fmt"

	"servematrix/device"
	"servematrix/orchestrator"
)

// deviceAnswer is what one vendor's tool says of the host's devices.
type deviceAnswer struct {
	device.Snapshot
	Problem string `json:"problem,omitempty"` // what it did instead
}

func answersOf(devices *orchestrator.Devices) []deviceAnswer {
	out := []deviceAnswer{}
	for _, a := range devices.Answers() {
		d := deviceAnswer{Snapshot: a.Snapshot}
		if a.Err != nil {
			d.Devices, d.Processes, d.Problem = []device.Device{}, []device.Process{}, a.Err.Error()
		}
		out = append(out, d)
	}
	return out
}

// write says it line by line.
func (a deviceAnswer) write(line func(key, format string, args ...any)) {
	for _, d := range a.Devices {
		words := d.String()
		if d.ID != "" {
			words += ", " + d.ID
		}
		if m := d.Memory; m != nil {
			words += fmt.Sprintf(": %s of %s in use", bytesText(int64(m.Used)), bytesText(int64(m.Total)))
		} else {
			words += ": memory not told"
		}
		if d.Utilization != nil {
			words += fmt.Sprintf(", %d %% busy", *d.Utilization)
		}
		if d.Shared {
			words += ", cut into instances (MIG)"
		}
		line("device", "%s (%s, driver %s)", words, a.Tool, a.Driver)
	}
	for _, p := range a.Processes {
		line("on device", "%s", processText(p))
	}
	if a.ProcessProblem != "" {
		line("device", "who uses it is not known: %s", a.ProcessProblem)
	}
	if a.Problem != "" {
		line("device", "%s (so the memory of its devices is not watched)", a.Problem)
	}
}

// processText says who uses a device, as far as /proc bears the tool out.
func processText(p device.Process) string {
	who := fmt.Sprintf("pid %d (%s), which cannot be confirmed here", p.PID, p.Name)
	if s, ok := p.Confirm(); ok {
		who = s.String()
	}
	where := fmt.Sprintf("device %d", p.Device)
	if p.Device == device.AnyDevice {
		where = "a device"
	}
	if p.Used == nil {
		return where + ": " + who
	}
	return fmt.Sprintf("%s: %s with %s", where, who, bytesText(int64(*p.Used)))
}
