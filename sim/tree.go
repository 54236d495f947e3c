package sim

import (
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// tree is the engine's process tree below the leader. Shapes as measured on the real ones:
//
//	SGLang: leader ─ resource_tracker, sglang::scheduler… (one per worker), sglang::detokenizer
//	vLLM:   leader ─ resource_tracker, VLLM::EngineCore ─ VLLM::Worker… (one per worker)
type tree struct {
	children []*child
	stray    bool          // faults ask that the children outlive the leader: it lets them be
	core     *child        // the process whose death the leader notices; nil: none
	died     chan struct{} // told of it
	forker   *child        // begins to fork when its lifeline ends
}

// specs gives the processes that the leader starts.
func (o Options) specs(f faultSet) []workerSpec {
	if o.Workers == 0 && !strayFaults(f) {
		return nil
	}
	n := max(o.Workers, 1)
	title := "sglang::scheduler"
	if o.Style == VLLM {
		title = "VLLM::Worker"
	}
	var ranks []workerSpec
	for i := range n {
		rank := o.misbehaving(f, title)
		if n > 1 {
			rank.Title = fmt.Sprintf("%s_TP%d", title, i)
		}
		ranks = append(ranks, rank)
	}
	all := []workerSpec{{Title: "python3"}} // multiprocessing's resource tracker
	if o.Style == VLLM {
		core := o.misbehaving(f, "VLLM::EngineCore")
		core.Children = ranks
		all = append(all, core)
	} else {
		all = append(append(all, ranks...), o.misbehaving(f, "sglang::detokenizer"))
	}
	if f.has("children-double-fork") {
		for i, spec := range all[1:] {
			all[i+1] = workerSpec{Children: []workerSpec{spec}}
		}
	}
	extra := workerSpec{Title: "python3", IgnoreParent: true, TTL: o.FaultTTL}
	if f.has("child-stopped") {
		extra.Stopped = true
		all = append(all, extra)
		extra.Stopped = false
	}
	if f.has("fork-on-stop") {
		extra.ForkOnStop = f.count("fork-on-stop")
		all = append(all, extra)
		extra.ForkOnStop = 0
	}
	if f.has("zombie-child") {
		all = append(all, workerSpec{Title: "python3", Exit: true})
	}
	return all
}

// strayFaults reports whether children are to outlive the leader.
func strayFaults(f faultSet) bool {
	return f.any("children-linger", "children-orphan", "children-setsid", "children-double-fork", "children-ignore-term",
		"children-clean-env", "children-devnull", "child-stopped", "child-holds-port", "fork-on-stop", "zombie-child")
}

// misbehaving gives a worker process with the children-… faults applied to it.
func (o Options) misbehaving(f faultSet, title string) workerSpec {
	spec := workerSpec{
		Title: title, Linger: f.duration("children-linger"),
		IgnoreTerm: f.has("children-ignore-term"), Setsid: f.has("children-setsid"),
		Devnull:      f.has("children-devnull"),
		IgnoreParent: f.any("children-orphan", "children-setsid", "children-double-fork", "children-ignore-term", "children-clean-env", "children-devnull"),
		// vLLM's processes overwrite the memory that /proc/PID/environ shows when they set their
		// title, unless SPT_NOENV is set; a process that starts without environment looks the same.
		CleanEnv: f.has("children-clean-env") || (o.Style == VLLM && os.Getenv("SPT_NOENV") == ""),
	}
	if spec.IgnoreParent {
		spec.TTL = o.FaultTTL
	}
	return spec
}

// startTree starts the processes.
func startTree(o Options, f faultSet, stdout, stderr io.Writer) (*tree, error) {
	t := &tree{stray: strayFaults(f), died: make(chan struct{}, 1)}
	for i, spec := range o.specs(f) {
		c, err := spec.start(stdout, stderr, nil)
		if err != nil {
			t.kill()
			return nil, err
		}
		t.children = append(t.children, c)
		isCore := i == 1 && len(spec.Title) > 0 // the first scheduler, or EngineCore
		if isCore {
			t.core = c
		}
		if spec.ForkOnStop > 0 {
			t.forker = c
		}
		if !spec.Exit { // for zombie-child nobody waits
			go t.reap(c, isCore)
		}
	}
	if t.stray { // what they are to outlive may come as soon as the server is ready
		for _, c := range t.children {
			c.await()
		}
	}
	return t, nil
}

// reap waits for one child, and tells of its death when it is the one the leader depends on.
func (t *tree) reap(c *child, isCore bool) {
	_ = c.cmd.Wait() // how it ended is of no interest, that it ended is
	if isCore {
		t.died <- struct{}{}
	}
}

// hold starts a child that keeps the listening socket open.
func (t *tree) hold(o Options, ln net.Listener, stdout, stderr io.Writer) error {
	tcp, ok := ln.(*net.TCPListener)
	if !ok {
		return fmt.Errorf("child-holds-port: the listener is a %T", ln)
	}
	file, err := tcp.File()
	if err != nil {
		return err
	}
	defer file.Close()
	spec := workerSpec{Title: "python3", IgnoreParent: true, TTL: o.FaultTTL}
	c, err := spec.start(stdout, stderr, []*os.File{file})
	if err != nil {
		return err
	}
	t.children = append(t.children, c)
	go t.reap(c, false)
	// Handing the descriptor over may have made the socket, which both share, a blocking one.
	return unix.SetNonblock(int(file.Fd()), true)
}

// announceStop lets the forking child begin.
func (t *tree) announceStop() {
	if t.forker != nil {
		_ = t.forker.lifeline.Close() // it may be gone
	}
}

// release ends the lifelines, so that well-behaved children end.
func (t *tree) release() {
	for _, c := range t.children {
		_ = c.lifeline.Close() // a child that has ended has closed its end already
	}
}

// kill ends the children by SIGKILL; those below them end with their lifelines.
func (t *tree) kill() {
	for _, c := range t.children {
		_ = c.cmd.Process.Signal(syscall.SIGKILL) // fails where it has ended already
	}
}

// stop is what the leader does when it stops: kill its children, or let strays be.
func (t *tree) stop() {
	if t.stray {
		t.release()
		return
	}
	t.kill()
}
