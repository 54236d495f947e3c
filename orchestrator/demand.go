package orchestrator

import (
	"context"
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
	journal.Held // what it is; By is set when it was waited for in vain
	// holder looks once and says in words who holds it, "" when nobody does any
	// more. A look has a bound of its own.
	holder func() string
}

// await looks until nobody holds it, or until ctx ends; it looks once at least.
func (d *demand) await(ctx context.Context) (met bool) {
	for pause := time.Millisecond; ; pause = min(2*pause, demandPause) {
		began := time.Now()
		if d.By = d.holder(); d.By == "" {
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
	return demand{journal.Held{What: journal.HeldPort, Name: number(port), Host: host}, func() string {
		state, err := process.ProbePort(host, port)
		switch {
		case err != nil || state.Free:
			return "" // an answer that cannot be had is no reason to wait
		case state.Holder != nil:
			return state.Holder.String()
		}
		return state.Reason
	}}
}

// processGone wants the end of a process that outlived SIGKILL.
func processGone(s process.Survivor) demand {
	id := s.Identity
	held := journal.Held{What: journal.HeldProcess, Name: number(id.PID), Process: &journal.Running{PID: id.PID, Start: id.StartTicks, Boot: id.BootID}}
	return demand{held, func() string {
		if !id.Alive() {
			return ""
		}
		return s.String()
	}}
}
