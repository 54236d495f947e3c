package device

import (
	"context"
	"strconv"
	"strings"
	"sync"
)

// nvidia asks nvidia-smi, in its CSV form without heads and units. The name comes
// last in each query, for it is the one value that can hold a comma.
type nvidia struct {
	program
	noMIG   bool // this nvidia-smi is older than MIG
	reasons int  // which of reasonFields it knows
}

const (
	nvidiaDevices   = "index,uuid,pci.bus_id,memory.used,memory.total,utilization.gpu,power.draw,temperature.gpu,clocks.sm,driver_version,mig.mode.current,name"
	nvidiaProcesses = "gpu_uuid,pid,used_memory,process_name"
	// infoROMCorrupted is nvidia-smi's exit code for a GPU whose configuration store is
	// damaged; everything that was asked is printed all the same.
	infoROMCorrupted = 14
)

// Read asks for devices and for processes at once: each call initialises the driver.
func (n *nvidia) Read(ctx context.Context) (Snapshot, error) {
	var apps output
	var appsErr error
	var both sync.WaitGroup
	both.Go(func() {
		apps, appsErr = n.call(ctx, "--query-compute-apps="+nvidiaProcesses, "--format=csv,noheader,nounits")
	})
	s, err := n.devices(ctx)
	both.Wait()
	if err != nil {
		return Snapshot{}, err
	}
	switch {
	case appsErr != nil:
		s.ProcessProblem = appsErr.Error()
	case apps.code != 0 && apps.code != infoROMCorrupted:
		s.ProcessProblem = n.failure(apps).Error()
	default:
		s.Processes = parseNvidiaProcesses(apps.text, s.Devices)
	}
	return s, nil
}

func (n *nvidia) devices(ctx context.Context) (Snapshot, error) {
	query := nvidiaDevices
	if n.noMIG {
		query = strings.Replace(query, "mig.mode.current,", "", 1)
	}
	out, err := n.call(ctx, "--query-gpu="+query, "--format=csv,noheader,nounits")
	if err != nil {
		return Snapshot{}, err
	}
	if said := out.text + out.said; !n.noMIG && out.code != 0 && strings.Contains(said, "mig.mode.current") {
		n.noMIG = true
		return n.devices(ctx)
	}
	s := parseNvidiaDevices(out.text, !n.noMIG)
	switch {
	case saysNone(out.text + out.said):
		return Snapshot{}, ErrNone
	case len(s.Devices) == 0, out.code != 0 && out.code != infoROMCorrupted:
		return Snapshot{}, n.failure(out)
	}
	return s, nil
}

func saysNone(text string) bool {
	return strings.Contains(strings.ToLower(text), "no devices were found")
}

// parseNvidiaDevices reads the lines of the device query; mig says whether it asked
// for the MIG mode. A line that is no device's, such as a warning, is passed over.
func parseNvidiaDevices(text string, mig bool) Snapshot {
	s := Snapshot{Vendor: "NVIDIA", Tool: "nvidia-smi", Processes: []Process{}}
	columns := strings.Count(nvidiaDevices, ",") + 1
	if !mig {
		columns--
	}
	for line := range strings.Lines(text) {
		f := fields(line, columns)
		if f == nil {
			continue
		}
		index, err := strconv.Atoi(f[0])
		if err != nil || index < 0 {
			continue
		}
		d := Device{Index: index, ID: told(f[1]), Bus: told(f[2]), Name: told(f[columns-1])}
		if used, total := number(f[3]), number(f[4]); used != nil && total != nil && *total > 0 {
			d.Memory = &Memory{*used * mib, *total * mib}
		}
		d.Utilization = percent(f[5])
		d.Power, d.Temperature, d.Clock = watts(f[6]), celsius(f[7]), megahertz(f[8])
		d.Shared = mig && f[10] == "Enabled"
		s.Driver = told(f[9])
		s.Devices = append(s.Devices, d)
	}
	return s
}

// parseNvidiaProcesses reads the lines of the process query. A process that uses
// two devices, or one twice, has a line for each.
func parseNvidiaProcesses(text string, devices []Device) []Process {
	index := map[string]int{}
	for _, d := range devices {
		index[d.ID] = d.Index
	}
	processes := []Process{}
	for line := range strings.Lines(text) {
		f := fields(line, 4)
		if f == nil {
			continue
		}
		pid, err := strconv.Atoi(f[1])
		if err != nil || pid <= 0 {
			continue
		}
		at, known := index[f[0]]
		if !known {
			at = AnyDevice // such as a MIG instance's
		}
		p := Process{Device: at, PID: pid, Name: told(f[3])}
		if used := number(f[2]); used != nil {
			p.Used = new(*used * mib)
		}
		processes = append(processes, p)
	}
	return processes
}

// fields parts a line at its first n-1 commas; nil when it has fewer.
func fields(line string, n int) []string {
	f := strings.SplitN(line, ",", n)
	if len(f) < n {
		return nil
	}
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	return f
}

// told is "" where a tool has put a remark in the place of a value, such as [N/A],
// [Not Supported] or [Insufficient Permissions].
func told(value string) string {
	if value = strings.TrimSpace(value); strings.HasPrefix(value, "[") || strings.EqualFold(value, "N/A") {
		return ""
	}
	return strings.ToValidUTF8(value, "\uFFFD")
}

// maxMiB bounds what can be a number of mebibytes: bytes must fit as well.
const maxMiB = 1 << 40

// number reads a whole number of mebibytes or bytes below maxMiB; nil where there is none.
func number(value string) *uint64 {
	n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
	if err != nil || n >= maxMiB {
		return nil
	}
	return &n
}

// percent reads a whole number from 0 to 100; nil where there is none.
func percent(value string) *int {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), "%"))
	if err != nil || n < 0 || n > 100 {
		return nil
	}
	return &n
}
