package orchestrator

import (
	"context"
	"fmt"
	"os"
	"strings"

	"servematrix/device"
	"servematrix/journal"
	"servematrix/process"
)

// deviceGate is what the gate must know of the devices that a server could use.
type deviceGate struct {
	launch  *launch
	environ []string
	before  reading // before the start, narrowed to these devices
	others  []user  // who else used them then
	last    *reading
}

func newDeviceGate(l *launch, before reading) *deviceGate {
	return &deviceGate{launch: l, environ: l.environ(l.command), before: before}
}

// demands wants the memory of each device back at its level before the start, but for
// the tolerance and for what others have taken meanwhile. Nothing is asked of a device
// whose memory nobody tells, nor of one that is cut into instances of which others may
// have some. The zero of *deviceGate, no devices, wants nothing.
func (g *deviceGate) demands() (all []demand) {
	if g == nil {
		return nil
	}
	for _, s := range g.before.snapshots {
		for _, d := range s.Devices {
			key := deviceKey{s.Vendor, d.Index}
			level, known := g.launch.Devices.levels[key]
			if known && d.Memory != nil && !d.Shared {
				all = append(all, g.memoryBack(key, d, level))
			}
		}
	}
	return all
}

func (g *deviceGate) memoryBack(key deviceKey, d device.Device, level uint64) demand {
	var judged *reading // the last that this device was judged by: a newer one serves all of them
	return demand{journal.Held{What: journal.HeldDevice, Name: d.String()}, func(h *journal.Held) {
		if g.last == nil || g.last == judged {
			g.look()
		}
		judged = g.last
		if s, now, ok := g.last.of(key); ok {
			h.Device, h.Boot = levelOf(s, now, level), g.launch.proc.Identity().BootID
			h.By = excess(s, now, level, g.others, g.notOurs)
		}
	}}
}

// look takes a new reading; a second interrupt cuts it short.
func (g *deviceGate) look() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-g.launch.Hurry:
			cancel()
		case <-ctx.Done():
		}
	}()
	r := g.launch.Devices.read(ctx).visible(g.environ)
	g.last = &r
	g.launch.tellNews()
}

// of gives a device as it was read, and the snapshot that it stands in.
func (r reading) of(key deviceKey) (device.Snapshot, device.Device, bool) {
	for _, s := range r.snapshots {
		for _, d := range s.Devices {
			if (deviceKey{s.Vendor, d.Index}) == key && d.Memory != nil {
				return s, d, true
			}
		}
	}
	return device.Snapshot{}, device.Device{}, false
}

// excess says how much more of a device is in use than its level, and who uses it; ""
// when it is no more than it may be. others are those who used the devices when the
// level was taken; notOurs tells who is one of them now.
func excess(s device.Snapshot, d device.Device, level uint64, others []user, notOurs func([]user) []user) string {
	used, limit := d.Memory.Used, level+tolerance(d.Memory.Total)
	if used <= limit {
		return ""
	}
	s.Devices = []device.Device{d}
	now := notOurs(reading{snapshots: []device.Snapshot{s}}.users())
	if taken, known := taken(deviceKey{s.Vendor, d.Index}, others, now); !known || used <= limit+taken {
		return ""
	}
	return fmt.Sprintf("has %d MiB more in use than before the start (%d MiB, now %d MiB): %s", (used-level)>>20, level>>20, used>>20, holders(s.On(d.Index)))
}

// taken is what others have taken of a device meanwhile, in bytes. It is not known when
// a tool that tells no numbers names somebody new.
func taken(key deviceKey, before, now []user) (sum uint64, known bool) {
	had := map[process.Identity]uint64{}
	for _, u := range before {
		if (deviceKey{u.vendor, u.on.Index}) != key {
			continue
		}
		had[u.Identity] += 0 // it was there, also where the tool tells no number
		if u.used != nil {
			had[u.Identity] += *u.used
		}
	}
	for _, u := range now {
		had, was := had[u.Identity]
		switch {
		case u.used == nil && !was:
			return 0, false
		case u.used != nil && *u.used > had:
			sum += *u.used - had
		}
	}
	return sum, true
}

// levelOf is what a journal keeps of a device around a launch.
func levelOf(s device.Snapshot, d device.Device, before uint64) *journal.DeviceLevel {
	return &journal.DeviceLevel{Tool: s.Tool, Index: d.Index, ID: d.ID, Before: before, After: d.Memory.Used}
}

// memoryStillHeld is the demand behind a device that a former session left with more
// memory in use than before: that is no level to begin with. What processes without any
// run's marker use now is theirs.
func memoryStillHeld(h journal.Held) demand {
	then := *h.Device
	return demand{h, func(h *journal.Held) {
		if me, err := process.Identify(os.Getpid()); err != nil || me.BootID != h.Boot {
			return
		}
		for _, a := range ask(context.Background(), device.Find(os.Environ())) {
			for _, d := range a.Devices {
				if a.Tool == then.Tool && d.Index == then.Index && d.ID == then.ID && d.Memory != nil {
					h.Device = levelOf(a.Snapshot, d, then.Before)
					h.By = excess(a.Snapshot, d, then.Before, nil, strangers)
				}
			}
		}
	}}
}

// strangers gives the users that belong to no run at all.
func strangers(users []user) (out []user) {
	for _, u := range users {
		if u.Marker == "" {
			out = append(out, u)
		}
	}
	return out
}

// notOurs leaves out what can be proven to be of this launch: by cgroup, session, log or
// run marker.
func (g *deviceGate) notOurs(users []user) []user {
	users = foreign(users, Marker(g.launch.Folder))
	if len(users) == 0 {
		return nil
	}
	escaped, err := g.launch.proc.Escaped(g.launch.logs...)
	if err != nil {
		g.launch.warn(err.Error())
	}
	ours := map[process.Identity]bool{}
	for _, s := range escaped {
		ours[s.Identity] = true
	}
	var out []user
	for _, u := range users {
		if !ours[u.Identity] {
			out = append(out, u)
		}
	}
	return out
}

// holders says who uses a device, as far as it can be confirmed.
func holders(on []device.Process) string {
	var words []string
	for _, p := range on {
		who, ok := p.Confirm()
		name := who.String()
		if !ok {
			name = fmt.Sprintf("a process that cannot be confirmed here (the tool says pid %d %s)", p.PID, p.Name)
		}
		if p.Used != nil {
			name += fmt.Sprintf(" with %d MiB", *p.Used>>20)
		}
		words = append(words, name)
	}
	if len(words) == 0 {
		return "no process is named that uses it"
	}
	return strings.Join(words, ", ")
}

// passed is called behind the gate: others that came during the launch are named, the
// reading becomes the next level, and the journal gets both.
func (g *deviceGate) passed(clean bool) (levels []journal.DeviceLevel) {
	if g == nil || g.last == nil {
		return nil
	}
	g.launch.nameForeign(g.notOurs(g.last.users()))
	for _, s := range g.last.snapshots {
		for _, d := range s.Devices {
			if before, known := g.launch.Devices.levels[deviceKey{s.Vendor, d.Index}]; known && d.Memory != nil {
				levels = append(levels, *levelOf(s, d, before))
			}
		}
	}
	if clean {
		g.launch.Devices.settle(g.launch.Devices.latest)
	}
	return levels
}
