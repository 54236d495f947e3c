package device

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// npuSMI asks npu-smi, which prints tables for people and nothing else. A device is
// a chip: a card has one (910B) or two of them (910C, 300I Duo).
type npuSMI struct{ program }

// Read asks for the table; where that has no processes in it, card by card for them.
func (n *npuSMI) Read(ctx context.Context) (Snapshot, error) {
	out, err := n.call(ctx, "info")
	if err != nil {
		return Snapshot{}, err
	}
	t := parseNPU(out.text)
	if len(t.Devices) == 0 {
		if out.code == 0 && t.header {
			return Snapshot{}, ErrNone
		}
		return Snapshot{}, n.failure(out)
	}
	if t.hasProcesses {
		return t.Snapshot, nil
	}
	asked := map[int]bool{}
	for _, c := range t.chips {
		if asked[c.npu] {
			continue
		}
		asked[c.npu] = true
		out, err := n.call(ctx, "info", "-t", "proc-mem", "-i", strconv.Itoa(c.npu))
		if err != nil {
			t.ProcessProblem = err.Error()
			break
		}
		processes, ok := parseNPUProcMem(out.text, c.npu, t.chips)
		if !ok {
			t.ProcessProblem = n.failure(out).Error()
			break
		}
		t.Processes = append(t.Processes, processes...)
	}
	return t.Snapshot, nil
}

// npuChip is how npu-smi names a device.
type npuChip struct{ npu, chip int }

// npuTable is what the table of npu-smi info says.
type npuTable struct {
	Snapshot
	chips        []npuChip // of each device
	header       bool      // the head of the table of devices was there
	hasProcesses bool      // the head of the table of processes was there
}

// parseNPU reads the table of npu-smi info. Two lines belong to a device:
//
//	| 0     910B2               | OK            | 99.0        36                0    / 0             |
//	| 0                         | 0000:C1:00.0  | 0           0    / 0          3454 / 65536         |
//
// The second begins with the chip and, in some versions, with the chip's number among
// all ("Device", "Phy-ID"). Its last pair of numbers is the memory that models use.
func parseNPU(text string) npuTable {
	t := npuTable{Snapshot: Snapshot{Vendor: "Ascend", Tool: "npu-smi", Processes: []Process{}}}
	npu, name, gauges := -1, "", []string(nil)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) > 1 && strings.Contains(cells[1], "Process id") {
			t.hasProcesses = true
			continue
		}
		words := strings.Fields(cells[0])
		if len(words) == 0 {
			continue
		}
		if _, version, ok := strings.Cut(line, " Version: "); ok && words[0] == "npu-smi" {
			t.Driver = strings.Trim(version, "| ")
			continue
		}
		first, err := strconv.Atoi(words[0])
		switch {
		case err != nil || first < 0:
			t.header = t.header || words[0] == "NPU"
		case t.hasProcesses && len(cells) == 4:
			t.process(first, words, cells)
		case t.hasProcesses || len(cells) != 3:
		case npu < 0:
			npu, name, gauges = first, strings.Join(words[1:], " "), strings.Fields(cells[2])
		default:
			t.chips = append(t.chips, npuChip{npu, first})
			d := npuDevice(len(t.Devices), npu, first, name, cells)
			if len(gauges) > 1 { // power, of a card with two chips at its first, and temperature
				d.Power, d.Temperature = watts(gauges[0]), celsius(gauges[1])
			}
			t.Devices = append(t.Devices, d)
			npu = -1
		}
	}
	return t
}

func npuDevice(index, npu, chip int, name string, cells []string) Device {
	// ASCEND_RT_VISIBLE_DEVICES counts the chips that can be seen, in this order.
	d := Device{Index: index, ID: fmt.Sprintf("NPU %d chip %d", npu, chip), Bus: strings.TrimSpace(cells[1]), Name: name}
	if d.Bus == "NA" {
		d.Bus = ""
	}
	words := strings.Fields(strings.ReplaceAll(cells[2], "/", " / "))
	if len(words) > 0 {
		d.Utilization = percent(words[0])
	}
	for i := 1; i+1 < len(words); i++ {
		if words[i] != "/" {
			continue
		}
		if used, total := number(words[i-1]), number(words[i+1]); used != nil && total != nil && *total > 0 {
			d.Memory = &Memory{*used * mib, *total * mib}
		}
	}
	return d
}

// process reads a line of the table of processes: NPU and chip, pid, name, memory.
func (t *npuTable) process(npu int, words, cells []string) {
	chip := 0
	if len(words) > 1 {
		chip, _ = strconv.Atoi(words[1])
	}
	pid, err := strconv.Atoi(strings.TrimSpace(cells[1]))
	if err != nil || pid <= 0 {
		return
	}
	p := Process{Device: deviceOf(t.chips, npu, chip), PID: pid, Name: told(cells[2])}
	if used := number(cells[3]); used != nil {
		p.Used = new(*used * mib)
	}
	t.Processes = append(t.Processes, p)
}

func deviceOf(chips []npuChip, npu, chip int) int {
	for i, c := range chips {
		if c == (npuChip{npu, chip}) {
			return i
		}
	}
	return AnyDevice
}

// parseNPUProcMem reads the answer of npu-smi info -t proc-mem for one card: the lines
// of a chip's processes, then the chip's number. False when it is no such answer.
//
//	Process id:3229095 Process name:python          Process memory(MB):48208
//	Chip ID                        : 1
func parseNPUProcMem(text string, npu int, chips []npuChip) (found []Process, ok bool) {
	var waiting []Process
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, isProcess := strings.CutPrefix(line, "Process id:"); isProcess {
			id, rest, _ := strings.Cut(rest, "Process name:")
			name, memory, _ := strings.Cut(rest, "Process memory(MB):")
			pid, err := strconv.Atoi(strings.TrimSpace(id))
			if err != nil || pid <= 0 {
				continue
			}
			p := Process{Device: AnyDevice, PID: pid, Name: told(name)}
			if used := number(memory); used != nil {
				p.Used = new(*used * mib)
			}
			waiting = append(waiting, p)
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) != "Chip ID" {
			continue
		}
		ok = true
		chip, err := strconv.Atoi(strings.TrimSpace(value))
		for _, p := range waiting {
			if err == nil {
				p.Device = deviceOf(chips, npu, chip)
			}
			found = append(found, p)
		}
		waiting = nil
	}
	return append(found, waiting...), ok || len(waiting) > 0
}
