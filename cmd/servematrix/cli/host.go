package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"
	gohost "github.com/shirou/gopsutil/v3/host"
	"github.com/shirou/gopsutil/v3/mem"
	"golang.org/x/sys/unix"

	"servematrix/process"

	"servematrix/orchestrator"
)

// hostReport is what there is to know of a host without measuring it; host.json of a run holds it.
type hostReport struct {
	Time     time.Time           `json:"time"`
	Hostname string              `json:"hostname"`
	OS       string              `json:"os"`
	Kernel   string              `json:"kernel"`
	Arch     string              `json:"arch"`
	CPU      string              `json:"cpu"`
	Cores    int                 `json:"cores"`        // logical ones
	Usable   int                 `json:"usable_cores"` // those that this process may use
	Memory   uint64              `json:"memory_bytes"`
	Free     uint64              `json:"memory_available_bytes"`
	Swap     uint64              `json:"swap_bytes"`
	Limits   map[string]limit    `json:"limits"`
	Cgroup   cgroup              `json:"cgroup"`
	Contain  process.Containment `json:"containment"`
	Shm      *space              `json:"shm,omitempty"` // /dev/shm
	Devices  []deviceAnswer      `json:"devices"`
}

// limit is a resource limit; null is none.
type limit struct {
	Soft *uint64 `json:"soft"`
	Hard *uint64 `json:"hard"`
}

type cgroup struct {
	Version  int    `json:"version"` // 0: none can be seen
	Path     string `json:"path,omitempty"`
	Writable bool   `json:"writable"` // servers can be held in a leaf of their own
}

// space is a file system's size and what is free of it, in bytes.
type space struct {
	Path  string `json:"path"`
	Total uint64 `json:"total_bytes"`
	Free  uint64 `json:"free_bytes"`
}

// hostFacts is host.json.
func hostFacts(devices *orchestrator.Devices) ([]byte, error) {
	data, err := json.MarshalIndent(lookAtHost(context.Background(), devices), "", "  ")
	return append(data, '\n'), err
}

// lookAtHost gathers what can be known; what cannot stays empty.
func lookAtHost(ctx context.Context, devices *orchestrator.Devices) hostReport {
	r := hostReport{Time: time.Now().UTC(), Limits: map[string]limit{}, Contain: process.ProbeContainment()}
	r.Cgroup = findCgroup(r.Contain)
	if info, err := gohost.InfoWithContext(ctx); err == nil {
		r.Hostname, r.Kernel, r.Arch = info.Hostname, info.KernelVersion, info.KernelArch
		r.OS = strings.TrimSpace(info.OS + " " + info.Platform + " " + info.PlatformVersion)
	}
	if all, err := cpu.InfoWithContext(ctx); err == nil && len(all) > 0 {
		r.CPU = all[0].ModelName
	}
	if n, err := cpu.CountsWithContext(ctx, true); err == nil {
		r.Cores = n
	}
	r.Usable = runtime.NumCPU()
	if v, err := mem.VirtualMemoryWithContext(ctx); err == nil {
		r.Memory, r.Free = v.Total, v.Available
	}
	if v, err := mem.SwapMemoryWithContext(ctx); err == nil {
		r.Swap = v.Total
	}
	for name, which := range map[string]int{"nofile": unix.RLIMIT_NOFILE, "nproc": unix.RLIMIT_NPROC, "memlock": unix.RLIMIT_MEMLOCK, "core": unix.RLIMIT_CORE} {
		var l unix.Rlimit
		if unix.Getrlimit(which, &l) == nil {
			r.Limits[name] = limit{finite(l.Cur), finite(l.Max)}
		}
	}
	if s, err := spaceOf("/dev/shm"); err == nil {
		r.Shm = &s
	}
	r.Devices = answersOf(devices)
	return r
}

func finite(v uint64) *uint64 {
	if v == unix.RLIM_INFINITY {
		return nil
	}
	return &v
}

func spaceOf(path string) (space, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return space{}, fmt.Errorf("ask %s for its space: %w", path, err)
	}
	return space{path, st.Blocks * uint64(st.Bsize), st.Bavail * uint64(st.Bsize)}, nil
}

// findCgroup finds where this process stands in the cgroup v2 tree.
func findCgroup(can process.Containment) cgroup {
	path, mounted := process.OwnCgroup()
	if !mounted {
		return cgroup{Version: 1}
	}
	return cgroup{Version: 2, Path: path, Writable: can.Leaf}
}
