package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"servematrix/device"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/process"
	"servematrix/secret"
)

// user is a process on a device that /proc confirms.
type user struct {
	process.Survivor
	vendor string
	on     device.Device
	used   *uint64 // bytes; nil: the tool does not tell
}

// String is such as "pid 12 (python3 train.py) with 1200 MiB of device 0 (NVIDIA H100)".
func (u user) String() string {
	memory := "memory"
	if u.used != nil {
		memory = fmt.Sprintf("%d MiB", *u.used>>20)
	}
	return fmt.Sprintf("%s with %s of %s", u.Survivor, memory, u.on)
}

// users gives the confirmed processes on the devices of a reading.
func (r reading) users() (users []user) {
	for _, s := range r.snapshots {
		for _, d := range s.Devices {
			for _, p := range s.On(d.Index) {
				if who, ok := p.Confirm(); ok {
					users = append(users, user{who, s.Vendor, d, p.Used})
				}
			}
		}
	}
	return users
}

// foreign gives the users that do not belong to a run; marker "" is no run.
func foreign(users []user, marker string) (out []user) {
	for _, u := range users {
		if marker == "" || u.Marker != marker {
			out = append(out, u)
		}
	}
	return out
}

// nameForeign journals the processes of others on the devices of a reading, each once.
func (r *runner) nameForeign(found []user) {
	for _, u := range found {
		if !r.Devices.foreign[u.Identity] {
			r.Devices.foreign[u.Identity] = true
			r.warn(u.String() + " is not of this run: what is measured beside it can be wrong" + ofRun(u))
		}
	}
}

// ofRun says to which other run a process belongs.
func ofRun(u user) string {
	if u.Marker == "" {
		return ""
	}
	return "; it belongs to the run " + u.Marker
}

// stopsForForeign tells whether the sweep does not want to be measured beside others.
func stopsForForeign(p *matrix.Plan) bool { return p.Run.OnForeign == "stop" }

// busyDevices says in one sentence who is in the way; each process once, also where it is on several devices.
func busyDevices(found []user) string {
	var words []string
	seen := map[process.Identity]bool{}
	for _, u := range found {
		if !seen[u.Identity] {
			seen[u.Identity] = true
			words = append(words, u.String()+ofRun(u))
		}
	}
	return fmt.Sprintf("the devices are used by others: %s; end them, choose other devices, or set run.on_foreign_process: warn", strings.Join(words, ", "))
}

// Foreign checks before anything starts that nobody else uses the devices that the
// units' servers may use, where the sweep wants that. The error is a *HostError.
func Foreign(d *Devices, p *matrix.Plan, units []Unit, dir string, environ []string) error {
	if !stopsForForeign(p) || d.none() {
		return nil
	}
	fill := &runner{Options: Options{Plan: p, Environ: environ, Dir: dir}}
	servers, _, _ := involved(p, units)
	for _, s := range servers {
		c, err := fill.fill(&s.Variant, fill.trial())
		if err != nil {
			continue // Commands has said so
		}
		if found := foreign(d.now(context.Background()).visible(fill.environ(c)).users(), ""); len(found) > 0 {
			return &HostError{errors.New(new(secret.Redactor).String(busyDevices(found)))}
		}
	}
	return nil
}

// takeLevel notes how much memory of the server's devices is in use before it starts,
// and who else uses them. Where the sweep does not want to be measured beside others
// the error is a *NotCleanError, and the launch has ended.
func (l *launch) takeLevel(ctx context.Context) (*journal.Failure, error) {
	select {
	case <-l.Devices.first:
	case <-ctx.Done():
		return interrupted(ctx, "preflight"), nil
	}
	if l.Devices.none() {
		l.tellNews()
		return nil, nil
	}
	now := l.Devices.now(ctx)
	if ctx.Err() != nil {
		return interrupted(ctx, "preflight"), nil
	}
	l.tellNews()
	l.Devices.settle(now)
	l.devices = newDeviceGate(l, now.visible(l.environ(l.command)))
	others := foreign(l.devices.before.users(), Marker(l.Folder))
	l.devices.others = others
	if len(others) == 0 || !stopsForForeign(l.Plan) {
		l.nameForeign(others)
		return nil, nil
	}
	what := l.Redactor.String(busyDevices(others))
	return nil, l.refuse(ctx, "device_busy", what)
}
