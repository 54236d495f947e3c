package device

import (
	"context"
	"errors"
	"fmt"
)

// Tool is a vendor's tool that was found on this host.
type Tool interface {
	// Name is the program's, such as "nvidia-smi".
	Name() string
	// Read asks for the devices and the processes on them. The error is ErrNone
	// when the tool works and sees no device; any other says what the tool did
	// instead of answering. It returns when ctx ends; give it AnswerLimit.
	Read(ctx context.Context) (Snapshot, error)
}

// ErrNone says that a tool works and that there is no device for it.
var ErrNone = errors.New("no devices were found")

// Snapshot is what one tool says at one moment.
type Snapshot struct {
	Vendor  string   `json:"vendor"`           // "NVIDIA", "AMD" or "Ascend"
	Tool    string   `json:"tool"`             // the program that was asked
	Driver  string   `json:"driver,omitempty"` // the driver's version
	Devices []Device `json:"devices"`          // in the tool's order
	// Processes are those that the tool names. On AMD the memory of a process that uses
	// several devices can be its sum over all of them, given for each.
	Processes []Process `json:"processes"`
	// ProcessProblem says why Processes is not known to be complete.
	ProcessProblem string `json:"process_problem,omitempty"`
}

// Device is one accelerator: a GPU, or one chip of an NPU card.
type Device struct {
	Index       int     `json:"index"`                 // the number by which variables such as CUDA_VISIBLE_DEVICES name it
	ID          string  `json:"id,omitempty"`          // UUID, unique id, or "NPU 3 chip 1"
	Bus         string  `json:"bus,omitempty"`         // PCI address
	Name        string  `json:"name,omitempty"`        // product
	Memory      *Memory `json:"memory,omitempty"`      // nil: the tool does not tell
	Utilization *int    `json:"utilization,omitempty"` // percent of the last moments in which it computed; nil: not told
	// Power is the draw in watts, by tool of this moment or the mean of about the last second; nil: not told.
	Power *float64 `json:"power_watts,omitempty"`
	// Temperature is that of the chip in °C, on AMD of its hottest spot where that is told; nil: not told.
	Temperature *float64 `json:"temperature_celsius,omitempty"`
	// Clock is the frequency of the compute units (NVIDIA: SM, AMD: gfx) in MHz; nil: not told.
	Clock *float64 `json:"clock_mhz,omitempty"`
	// Shared is true when the device is cut into instances (MIG) that are handed out
	// one by one: its memory in use is then that of all of them.
	Shared bool `json:"shared,omitempty"`
}

// Memory is a device's memory in bytes.
type Memory struct {
	Used  uint64 `json:"used_bytes"`
	Total uint64 `json:"total_bytes"`
}

// Process is a process on a device, as the tool names it.
type Process struct {
	Device int     `json:"device"`               // Device.Index; -1: on some device of this tool, nobody says which
	PID    int     `json:"pid"`                  // as printed: perhaps of another pid namespace
	Name   string  `json:"name,omitempty"`       // as printed; "" when the tool does not know
	Used   *uint64 `json:"used_bytes,omitempty"` // nil: not told
}

// AnyDevice stands for a device that nobody names.
const AnyDevice = -1

// String is such as "device 0 (NVIDIA H200)".
func (d Device) String() string {
	if d.Name == "" {
		return fmt.Sprintf("device %d", d.Index)
	}
	return fmt.Sprintf("device %d (%s)", d.Index, d.Name)
}

// On gives the processes on a device, those included of which nobody says where they are.
func (s Snapshot) On(index int) []Process {
	var on []Process
	for _, p := range s.Processes {
		if p.Device == index || p.Device == AnyDevice {
			on = append(on, p)
		}
	}
	return on
}

const mib = 1 << 20
