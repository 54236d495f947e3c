package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"servematrix/journal"
	"servematrix/process"
)

// A look at what a server holds comes every holdsFirst while it starts, for what a
// start that fails leaves was mostly made moments before; and from ready on ever
// more seldom. The one before the stop signal has holdsAtStop for
// what is new since the last, or holdsOnly when it is the first: what it does not
// get to see stays unproven.
const (
	holdsFirst  = time.Second
	holdsMost   = time.Minute
	holdsAtStop = 5 * time.Millisecond
	holdsOnly   = time.Second
	holdsEnding = 250 * time.Millisecond
)

// holds looks beside the run at what a server's tree holds besides its processes:
// ports, shared memory, sockets. What was seen can be given back when the tree is
// gone, by this session or, from the journal, by the next.
type holds struct {
	launch *launch
	survey *process.Survey
	ready  chan struct{}
	idle   chan struct{} // the last client has ended
	ending chan struct{} // no look is to begin any more
	cancel context.CancelFunc
	done   chan struct{}
	looked atomic.Bool // at all of the tree, once at least
	late   time.Time   // when the look at a server without clients began
	told   bool        // the journal has an event of it
	err    error
}

func (l *launch) watchHolds() *holds {
	ctx, cancel := context.WithCancel(context.Background())
	h := &holds{launch: l, survey: l.proc.Survey(tmpFolders(l.environ(l.command))...), ready: make(chan struct{}, 1), idle: make(chan struct{}, 1), ending: make(chan struct{}), cancel: cancel, done: make(chan struct{})}
	go h.watch(ctx)
	return h
}

// tmpFolders are where a server with this environment makes temporary files.
func tmpFolders(environ []string) []string {
	folders := []string{os.TempDir(), "/tmp"}
	for _, kv := range environ {
		if path, ok := strings.CutPrefix(kv, "TMPDIR="); ok && path != "" {
			folders[0] = path
		}
	}
	return folders
}

func (h *holds) watch(ctx context.Context) {
	defer close(h.done)
	ready := false
	for pause := holdsFirst; ; {
		select {
		case <-time.After(pause):
			h.look(ctx)
			if ready {
				pause = min(2*pause, holdsMost)
			}
		case <-h.ready:
			ready = true
		case <-h.idle:
			h.late = time.Now()
			h.look(ctx)
		case <-h.ending:
			return
		case <-h.launch.proc.Exited():
			h.look(ctx) // while what it leaves may still live
			return
		case <-ctx.Done():
			return
		}
	}
}

// isReady brings the next look near.
func (h *holds) isReady() { h.ready <- struct{}{} }

// clientsDone brings the last look near: it goes on beside what becomes of the sample.
func (h *holds) clientsDone() {
	select {
	case h.idle <- struct{}{}:
	default:
	}
}

// last ends the watch with one more look, unless that was just done.
func (h *holds) last() {
	close(h.ending)
	limit := holdsAtStop
	if !h.looked.Load() {
		limit = holdsOnly
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	select {
	case <-h.done:
	case <-ctx.Done():
	}
	h.cancel()
	<-h.done
	if h.late.IsZero() || time.Since(h.late) > holdsFirst {
		h.look(ctx)
	}
}

// until looks on while the tree is told to end: a server that is not ready yet and
// swallows the signal goes on making things until it is killed.
func (h *holds) until(gone <-chan struct{}) {
	for {
		select {
		case <-gone:
			return
		case <-time.After(holdsEnding):
			ctx, cancel := context.WithTimeout(context.Background(), holdsOnly)
			h.look(ctx)
			cancel()
		}
	}
}

// look journals what is new. It leaves the run's state alone, because it runs beside it.
func (h *holds) look(ctx context.Context) {
	changed, err := h.survey.Look(ctx)
	if err == nil {
		h.looked.Store(true)
	} else if ctx.Err() == nil {
		h.err = err
	}
	now := h.beyondPort()
	if !changed || !h.told && len(now.Ports)+len(now.Objects) == 0 {
		return
	}
	h.told = true
	if _, err := h.launch.Journal.Write(h.launch.event(journal.LaunchHolds), now, false); err != nil {
		h.err = err // the next event of the run meets it again
	}
}

// beyondPort is what the tree holds without the server's own port, which is looked after anyway.
func (h *holds) beyondPort() process.Holdings {
	held := h.survey.Held()
	held.Ports = slices.DeleteFunc(held.Ports, func(p process.Listener) bool { return p.Port == h.launch.port })
	return held
}

// giveBack removes what the dead tree made and nobody uses, and gives its paths.
// What somebody uses, and what is not proven to be the tree's, is named and stays.
func (h *holds) giveBack() (removed []string) {
	if h.err != nil {
		h.launch.warn(h.err.Error())
	}
	removed, problems := giveBack(h.survey.Held().Objects)
	for _, p := range problems {
		h.launch.warn(fmt.Sprintf("launch %s left %s", h.launch.id, p))
	}
	if unclaimed := h.survey.Unclaimed(); len(unclaimed) > 0 {
		h.launch.warn(fmt.Sprintf("during launch %s shared memory came up that nobody uses and that is not proven to be the server's, so it stays: %s", h.launch.id, paths(unclaimed)))
	}
	return removed
}

// giveBack removes objects, and says of each that could not be why.
func giveBack(objects []process.Object) (removed, problems []string) {
	for _, o := range objects {
		gone, err := o.Remove()
		switch {
		case gone:
			removed = append(removed, o.Path)
		case errors.Is(err, process.ErrInUse):
			problems = append(problems, fmt.Sprintf("%s, which %s uses; it stays", o, users(o)))
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s: %v", o, err))
		}
	}
	return removed, problems
}

func users(o process.Object) string {
	all := o.Users()
	switch len(all) {
	case 0:
		return "a process that cannot be seen from here"
	case 1:
		return all[0].String()
	}
	return fmt.Sprintf("%s (and %d others)", all[0], len(all)-1)
}

// pathsMost bounds a list of paths in a message.
const pathsMost = 5

func paths(objects []process.Object) string {
	var names []string
	for _, o := range objects[:min(len(objects), pathsMost)] {
		names = append(names, o.Path)
	}
	if n := len(objects) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}
