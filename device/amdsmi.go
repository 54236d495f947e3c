package device

import (
	"context"
	"sync"
)

// amdSMI asks amd-smi. Its JSON has had several layouts: a list, or a list under
// "gpu_data"; a process alone, or a list of them.
type amdSMI struct {
	program
	static string // what does not change while a host is up, asked once
	few    bool   // it has not all of amdGauges, as in a virtual machine
}

// Read asks for memory and for processes at once: amd-smi takes most of a second each time.
func (a *amdSMI) Read(ctx context.Context) (Snapshot, error) {
	var static, process output
	var processErr error
	var all sync.WaitGroup
	all.Go(func() { process, processErr = a.call(ctx, "process", "--json") })
	if a.static == "" {
		all.Go(func() { static, _ = a.call(ctx, "static", "--asic", "--bus", "--driver", "--json") })
	}
	metric, err := a.metric(ctx)
	all.Wait()
	if err != nil {
		return Snapshot{}, err
	}
	if a.static == "" && static.code == 0 {
		a.static = static.text
	}
	s := parseAMDDevices(metric.text, a.static)
	if len(s.Devices) == 0 {
		if rows, ok := amdRows(metric.text); ok && len(rows) == 0 && metric.code == 0 {
			return Snapshot{}, ErrNone
		}
		return Snapshot{}, a.failure(metric)
	}
	switch {
	case processErr != nil:
		s.ProcessProblem = processErr.Error()
	default:
		processes, ok := parseAMDProcesses(process.text)
		if !ok {
			s.ProcessProblem = a.failure(process).Error()
		}
		s.Processes = processes
	}
	return s, nil
}

// amdGauges are the options of metric that some versions do not have where the device is a virtual one.
var amdGauges = []string{"--power", "--temperature", "--clock"}

func (a *amdSMI) metric(ctx context.Context) (output, error) {
	args := []string{"metric", "--mem-usage", "--usage", "--json"}
	if !a.few {
		out, err := a.call(ctx, append(args, amdGauges...)...)
		if _, answered := amdRows(out.text); answered || err != nil {
			return out, err
		}
	}
	out, err := a.call(ctx, args...)
	a.few = a.few || err == nil && out.code == 0
	return out, err
}

// amdRows gives the objects, one for each GPU, of an answer.
func amdRows(text string) ([]object, bool) {
	var list []object
	if jsonIn(text, &list) {
		return list, true
	}
	var wrapped struct {
		Rows *[]object `json:"gpu_data"`
	}
	if jsonIn(text, &wrapped) && wrapped.Rows != nil {
		return *wrapped.Rows, true
	}
	return nil, false
}

// parseAMDDevices joins the answers of metric and static; that of static can be empty.
func parseAMDDevices(metric, static string) Snapshot {
	s := Snapshot{Vendor: "AMD", Tool: "amd-smi", Processes: []Process{}}
	fixed := map[int]object{}
	rows, _ := amdRows(static)
	for _, row := range rows {
		if gpu, ok := row.index("gpu"); ok {
			fixed[gpu] = row
		}
	}
	rows, _ = amdRows(metric)
	for _, row := range rows {
		gpu, ok := row.index("gpu")
		if !ok {
			continue
		}
		asic, driver := fixed[gpu].at("asic"), fixed[gpu].at("driver")
		d := Device{Index: gpu, ID: asic.text("asic_serial"), Bus: fixed[gpu].at("bus").text("bdf"), Name: asic.text("market_name")}
		usage := row.at("mem_usage", "fb_usage")
		used, total := usage.bytes("used_vram", "MB"), usage.bytes("total_vram", "MB")
		if used == nil || total == nil { // ROCm 6.0
			used, total = usage.bytes("fb_used", "MB"), usage.bytes("fb_total", "MB")
		}
		if used != nil && total != nil && *total > 0 {
			d.Memory = &Memory{*used, *total}
		}
		d.Utilization = row.at("usage").percent("gfx_activity")
		d.Power = row.at("power").gauge(watts, "socket_power")
		d.Temperature = row.at("temperature").gauge(celsius, "hotspot", "edge")
		d.Clock = row.at("clock").at("gfx_0").gauge(megahertz, "clk")
		if v := driver.text("version", "driver_version"); v != "" {
			s.Driver = v
		}
		s.Devices = append(s.Devices, d)
	}
	return s
}

// parseAMDProcesses reads the answer of process; false when it is none.
func parseAMDProcesses(text string) ([]Process, bool) {
	rows, ok := amdRows(text)
	processes := []Process{}
	for _, row := range rows {
		gpu, known := row.index("gpu")
		if !known {
			gpu = AnyDevice
		}
		infos := []any{row["process_info"]} // ROCm 6.0: one, in the row itself
		if list, isList := row["process_info"].([]any); isList {
			infos = list
		}
		if list, isList := row["process_list"].([]any); isList {
			infos = list
		}
		for _, info := range infos {
			o, _ := info.(map[string]any)
			if inner := object(o).at("process_info"); inner != nil {
				o = inner
			}
			pid, isPID := object(o).index("pid")
			if !isPID || pid == 0 { // "No running processes detected"
				continue
			}
			p := Process{Device: gpu, PID: pid, Name: object(o).text("name")}
			p.Used = object(o).at("memory_usage").bytes("vram_mem", "B")
			if whole := object(o).bytes("mem_usage", "B"); whole != nil && (p.Used == nil || *p.Used == 0) {
				p.Used = whole
			}
			processes = append(processes, p)
		}
	}
	return processes, ok
}
