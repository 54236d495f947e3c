package orchestrator

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"

	"github.com/shirou/gopsutil/v3/cpu"
	"golang.org/x/sys/unix"

	"servematrix/effective"
)

// host is the machine under this launch's server, as far as it is seen.
func (l *launch) host() effective.Host {
	h := machine()
	if l.devices == nil {
		return h
	}
	for _, s := range l.devices.before.snapshots {
		count := map[string]int{}
		var names []string
		for _, d := range s.Devices {
			name := d.Name
			if name == "" {
				name = s.Vendor
			}
			if count[name]++; count[name] == 1 {
				names = append(names, name)
			}
		}
		for _, name := range names {
			h.Devices = append(h.Devices, fmt.Sprintf("%s × %d", name, count[name]))
		}
		if s.Driver != "" && len(s.Devices) > 0 {
			h.Drivers = append(h.Drivers, s.Vendor+" "+s.Driver)
		}
	}
	return h
}

// machine is what stays the same for a session.
var machine = sync.OnceValue(func() effective.Host {
	var h effective.Host
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		h.Name, h.Kernel = text(u.Nodename[:]), text(u.Release[:])
	}
	if all, err := cpu.Info(); err == nil && len(all) > 0 && all[0].ModelName != "" {
		h.CPU = fmt.Sprintf("%s × %d", all[0].ModelName, runtime.NumCPU())
	}
	return h
})

// text is a C string.
func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}
