package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"servematrix/device"
	"servematrix/process"
	"servematrix/result"
	"servematrix/telemetry"
)

// besideFirst is when the devices are looked at first, unless run.telemetry.devices is
// less. A variable for the tests only.
var besideFirst = 10 * time.Second

// beside is what looks at the server's devices have seen while one client ran. They use
// tools of their own, and nobody waits for one: a driver that hangs holds up nothing.
type beside struct {
	launch *launch
	client *process.Process
	tools  []device.Tool

	mu        sync.Mutex
	looks     int
	strangers []user
	slow      []slowDevice
}

// slowDevice is a device that ran slower than it could, and at how many looks.
type slowDevice struct {
	device, why string
	looks       int
}

// look looks once, and gives what is kept of it.
func (b *beside) look(ctx context.Context) (seen []telemetry.Reading) {
	now := reading{at: time.Now()}
	var slow []slowDevice
	for i, a := range ask(ctx, b.tools) {
		if a.Err != nil {
			continue
		}
		s := a.Snapshot.Visible(b.launch.devices.environ)
		now.snapshots = append(now.snapshots, s)
		if t, ok := b.tools[i].(device.Throttler); ok {
			slow = append(slow, b.throttled(ctx, t, s)...)
		}
	}
	if ctx.Err() != nil || len(now.snapshots) == 0 {
		return nil
	}
	for _, s := range now.snapshots {
		seen = append(seen, telemetry.Reading{Tool: s.Tool, Devices: s.Devices})
	}
	others := b.notOurs(now.users())
	b.mu.Lock()
	defer b.mu.Unlock()
	b.looks++
	for _, u := range others {
		if !slices.ContainsFunc(b.strangers, func(known user) bool { return known.Identity == u.Identity }) {
			b.strangers = append(b.strangers, u)
		}
	}
	for _, s := range slow {
		i := slices.IndexFunc(b.slow, func(known slowDevice) bool { return known.device == s.device && known.why == s.why })
		if i < 0 {
			b.slow = append(b.slow, s)
		} else {
			b.slow[i].looks++
		}
	}
	return seen
}

func (b *beside) throttled(ctx context.Context, t device.Throttler, s device.Snapshot) (slow []slowDevice) {
	ctx, cancel := context.WithTimeout(ctx, deviceWait)
	defer cancel()
	reasons, err := t.Throttled(ctx)
	if err != nil {
		return nil // it cannot tell
	}
	for _, d := range s.Devices {
		for _, why := range reasons[d.Index] {
			slow = append(slow, slowDevice{d.String(), why, 1})
		}
	}
	return slow
}

// notOurs leaves out what is of this run: by its marker, or in the trees of server and client.
func (b *beside) notOurs(users []user) []user {
	users = foreign(users, Marker(b.launch.Folder))
	if len(users) == 0 {
		return nil
	}
	ours := append(b.launch.proc.Tree(), b.client.Tree()...)
	if escaped, err := b.launch.proc.Escaped(b.launch.logs...); err == nil {
		for _, s := range escaped {
			ours = append(ours, s.Identity)
		}
	}
	return slices.DeleteFunc(users, func(u user) bool { return slices.Contains(ours, u.Identity) })
}

// reasons are what speaks against a sample that was measured meanwhile: strangers on the
// server's devices, before its start or while the client ran, and devices that ran slower
// than they could. The strangers are named in the journal too, each once.
func (b *beside) reasons() (reasons []result.Reason) {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.launch.nameForeign(b.strangers)
	var who []string
	for _, u := range b.launch.devices.others {
		who = append(who, u.String()+" before the start"+ofRun(u))
	}
	for _, u := range b.strangers {
		if !slices.ContainsFunc(b.launch.devices.others, func(known user) bool { return known.Identity == u.Identity }) {
			who = append(who, u.String()+" while the client ran"+ofRun(u))
		}
	}
	if len(who) > 0 {
		reasons = append(reasons, result.Reason{Reason: result.ForeignProcess, Severity: result.SeverityWarning,
			Detail: b.launch.Redactor.String("others used the server's devices: " + listed(who))})
	}
	var slow []string
	for _, s := range b.slow {
		slow = append(slow, fmt.Sprintf("%s: %s at %d of %d looks", s.device, s.why, s.looks, b.looks))
	}
	if len(slow) > 0 {
		reasons = append(reasons, result.Reason{Reason: result.Throttled, Severity: result.SeverityWarning,
			Detail: "devices ran slower than they could: " + listed(slow)})
	}
	return reasons
}
