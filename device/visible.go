package device

import (
	"slices"
	"strconv"
	"strings"
)

// Visible narrows a snapshot to the devices that an environment in the form of
// os.Environ lets a program see, and to the processes on them:
// CUDA_VISIBLE_DEVICES for NVIDIA, ROCR_VISIBLE_DEVICES and within it
// HIP_VISIBLE_DEVICES (or else CUDA_VISIBLE_DEVICES) for AMD,
// ASCEND_RT_VISIBLE_DEVICES for Ascend. Entries are numbers, UUIDs or the beginning
// of one; as for the runtimes, the first entry that names nothing ends the list, and
// an empty list hides everything. An entry that names a MIG instance names no device,
// so with one nothing is narrowed.
//
// Numbers are taken to count the devices in the tool's order. CUDA does that with
// CUDA_DEVICE_ORDER=PCI_BUS_ID, and on hosts whose GPUs are all alike.
func (s Snapshot) Visible(environ []string) Snapshot {
	devices := s.Devices
	narrow := func(names ...string) {
		for _, name := range names {
			if list, set := lookupVariable(environ, name); set {
				devices = listed(devices, list)
				return
			}
		}
	}
	switch s.Vendor {
	case "NVIDIA":
		narrow("CUDA_VISIBLE_DEVICES")
	case "AMD":
		narrow("ROCR_VISIBLE_DEVICES")
		narrow("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
	case "Ascend":
		narrow("ASCEND_RT_VISIBLE_DEVICES")
	}
	return s.only(devices)
}

// only keeps these devices and the processes that may be on one of them.
func (s Snapshot) only(devices []Device) Snapshot {
	s.Devices = slices.Clone(devices)
	s.Processes = slices.DeleteFunc(slices.Clone(s.Processes), func(p Process) bool {
		if p.Device == AnyDevice {
			return len(devices) == 0
		}
		return !slices.ContainsFunc(devices, func(d Device) bool { return d.Index == p.Device })
	})
	return s
}

// listed gives the devices that a list names, in the list's order.
func listed(devices []Device, list string) []Device {
	var out []Device
	if strings.TrimSpace(list) == "" {
		return nil
	}
	for entry := range strings.SplitSeq(list, ",") {
		if entry = strings.TrimSpace(entry); strings.HasPrefix(entry, "MIG-") {
			return devices
		}
		i := find(devices, entry)
		if i < 0 {
			break
		}
		if !slices.ContainsFunc(out, func(d Device) bool { return d.Index == devices[i].Index }) {
			out = append(out, devices[i])
		}
	}
	return out
}

// find gives the position of the device that an entry names, -1 for none or several.
func find(devices []Device, entry string) int {
	if n, err := strconv.Atoi(entry); err == nil {
		if n < 0 || n >= len(devices) {
			return -1
		}
		return n
	}
	at := -1
	for i, d := range devices {
		if id := plainID(d.ID); entry != "" && strings.HasPrefix(id, plainID(entry)) {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// plainID is an id without what the spellings of different tools differ in: AMD's
// GPU-1f9d… is the unique id 0x1f9d….
func plainID(id string) string {
	id = strings.ToLower(id)
	return strings.TrimPrefix(strings.TrimPrefix(id, "gpu-"), "0x")
}
