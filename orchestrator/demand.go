package orchestrator

import (
	"context"
	"strconv"
	"time"

	"servematrix/journal"
	"servematrix/process"
)

// demandPause is the longest pause between two looks at what is still held. A look
// that takes long itself, such as one at a device, fills at most one part in
// demandShare of the time.
const (
	demandPause = 100 * time.Millisecond
	demandShare = 4
)

// demand is one thing that the host must have back before the next server starts.
type demand struct {
	journal.Held
	// look sets By to who holds it, in words, and to "" when nobody does any more;
	// where the holder is a process it also sets Process. A look has a bound of its own.
	look func(*journal.Held)
}

// met looks once.
func (d *demand) met() bool {
	d.By, d.Process = "", nil
	d.look(&d.Held)
	return d.By == ""
}

// await looks until nobody holds it, or until ctx ends; it looks once at least.
func (d *demand) await(ctx context.Context) (met bool) {
	for pause := time.Millisecond; ; pause = min(2*pause, demandPause) {
		began := time.Now()
		if d.met() {
			return true
		}
		select {
		case <-time.After(max(pause, (demandShare-1)*time.Since(began))):
		case <-ctx.Done():
			return false
		}
	}
}

// unmet waits for all of them and gives those that are still held when ctx ends.
func unmet(ctx context.Context, all []demand) (left []demand) {
	for _, d := range all {
		if !d.await(ctx) {
			left = append(left, d)
		}
	}
	return left
}

// portBack wants a port that can be bound.
func portBack(host string, port int) demand {
	return demand{journal.Held{What: journal.HeldPort, Name: number(port), Host: host}, func(h *journal.Held) {
		state, err := process.ProbePort(host, port)
		switch {
		case err != nil || state.Free: // an answer that cannot be had is no reason to wait
		case state.Holder != nil:
			held(h, state.Holder)
		default:
			h.By = state.Reason
		}
	}}
}

// socketGone wants the end of a socket that the server listened on besides its own
// port. Who has taken the port since by another socket has nothing of the server's:
// such ports are often the kernel's choice, and anybody's next.
func socketGone(host string, port int, inode uint64) demand {
	return demand{journal.Held{What: journal.HeldPort, Name: number(port), Host: host, Inode: inode}, func(h *journal.Held) {
		state, err := process.ProbePort(host, port)
		if err == nil && !state.Free && state.Holder != nil && state.Holder.Inode == inode {
			held(h, state.Holder)
		}
	}}
}

// held notes who has a port.
func held(h *journal.Held, by *process.Holder) {
	h.By = by.String()
	if id, err := process.Identify(by.PID); err == nil && by.PID > 0 {
		h.Process = identity(id)
	}
}

// processGone wants the end of a process that outlived SIGKILL; name is what people know it by.
func processGone(id process.Identity, name string) demand {
	return demand{journal.Held{What: journal.HeldProcess, Name: number(id.PID)}, func(h *journal.Held) {
		h.Process = identity(id)
		if id.Alive() {
			h.By = name
		}
	}}
}

func identity(id process.Identity) *journal.Running {
	return &journal.Running{PID: id.PID, Start: id.StartTicks, Boot: id.BootID}
}

// heldOnBy counts a demand as met, long after the server's end, when the process
// that held it then is gone: who holds it now has nothing of the server's.
func heldOnBy(then *journal.Running, d demand) demand {
	look := d.look
	d.look = func(h *journal.Held) {
		if then == nil || (process.Identity{PID: then.PID, StartTicks: then.Start, BootID: then.Boot}).Alive() {
			look(h)
		}
	}
	return d
}

// demandOf is the demand behind what a journal says was not given back; ok is
// false for what this version does not know.
func demandOf(h journal.Held) (d demand, ok bool) {
	port, _ := strconv.Atoi(h.Name)
	switch {
	case h.What == journal.HeldPort && h.Inode != 0:
		return socketGone(h.Host, port, h.Inode), true
	case h.What == journal.HeldPort:
		return heldOnBy(h.Process, portBack(h.Host, port)), true
	case h.What == journal.HeldProcess && h.Process != nil:
		return processGone(process.Identity{PID: h.Process.PID, StartTicks: h.Process.Start, BootID: h.Process.Boot}, h.By), true
	case h.What == journal.HeldDevice && h.Device != nil:
		return memoryStillHeld(h), true
	}
	return demand{}, false
}
