package telemetry

import (
	"context"
	"runtime"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"
	"github.com/shirou/gopsutil/v3/mem"

	"servematrix/process"
)

// scanShare is how small a part of the time goes into scans of the process table: one in so
// many. Between two scans the processes that are known are asked alone.
const scanShare = 1000

// HostMeter tells how busy a server, its client and the host are. What a process computed
// that came and went between two looks is missed in its tree, not in the host.
type HostMeter struct {
	trees []*process.Process
	scan  func(...*process.Process) ([][]process.Usage, error)

	at      time.Time                             // of the last look
	host    float64                               // seconds that all cores were busy by then
	used    [2]map[process.Identity]time.Duration // by the processes of each tree by then
	whole   bool                                  // it scanned the process table
	scanned time.Time                             // last scan
	cost    time.Duration                         // of that
}

// NewHostMeter makes the meter of a server and its client.
func NewHostMeter(server, client *process.Process) *HostMeter {
	return &HostMeter{trees: []*process.Process{server, client}, scan: process.UsageOf}
}

// Look gives how busy they were since the look before; the first look gives nothing.
func (h *HostMeter) Look(context.Context) []Reading {
	before, host := h.at, h.host
	cores, err := h.advance()
	if err != nil { // whoever is not seen did not rest: the next look counts from itself
		*h = HostMeter{trees: h.trees, scan: h.scan}
		return nil
	}
	wall := h.at.Sub(before).Seconds()
	memory, err := mem.VirtualMemory()
	if wall <= 0 || err != nil || host == 0 || h.host < host {
		return nil // nothing to count from, or the kernel does not tell
	}
	return []Reading{{Host: &Host{
		ServerCores: rounded(cores[0].Seconds() / wall), ClientCores: rounded(cores[1].Seconds() / wall), BusyCores: rounded((h.host - host) / wall),
		Cores: runtime.NumCPU(), MemoryUsed: memory.Total - min(memory.Available, memory.Total), MemoryTotal: memory.Total,
	}}}
}

// advance looks, and gives what each tree has used since the look before.
func (h *HostMeter) advance() (used [2]time.Duration, err error) {
	h.at, h.host = time.Now(), 0
	if all, err := cpu.Times(false); err == nil && len(all) == 1 {
		h.host = all[0].User + all[0].Nice + all[0].System + all[0].Irq + all[0].Softirq // user time has that of guests in it
	}
	whole := h.whole
	h.whole = h.at.Sub(h.scanned) >= scanShare*h.cost
	trees, err := h.processes()
	if err != nil {
		return used, err
	}
	for i, tree := range trees {
		now := make(map[process.Identity]time.Duration, len(tree))
		for _, p := range tree {
			before, known := h.used[i][p.Identity]
			if known || whole && h.whole { // who was in no table a look ago has begun since
				used[i] += max(p.CPU-before, 0)
			}
			now[p.Identity] = p.CPU
		}
		h.used[i] = now
	}
	return used, nil
}

// processes gives those of the trees, by a scan or by asking those that are known.
func (h *HostMeter) processes() ([][]process.Usage, error) {
	if h.whole {
		all, err := h.scan(h.trees...)
		h.scanned, h.cost = h.at, time.Since(h.at)
		return all, err
	}
	all := make([][]process.Usage, len(h.trees))
	for i, tree := range h.used {
		for id := range tree {
			if u, alive := id.Usage(); alive {
				all[i] = append(all[i], u)
			}
		}
	}
	return all, nil
}
