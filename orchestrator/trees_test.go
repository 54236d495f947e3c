package orchestrator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"servematrix/journal"
	"servematrix/process"
)

// startTree starts a fake as the tree of a launch.
func startTree(t *testing.T, argv ...string) *supervised {
	t.Helper()
	guard, err := process.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	p, err := guard.Start(process.Spec{Argv: append([]string{os.Args[0]}, argv...), Env: os.Environ(), Stdout: out, Stderr: out, Session: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop(process.StopPolicy{Grace: -1})
		<-p.Done()
	})
	return &supervised{p, []string{out}}
}

// TestTreeThatItsGuardCouldNotSee is clean when somebody has looked and found nothing.
func TestTreeThatItsGuardCouldNotSee(t *testing.T) {
	tree := startTree(t, "fake-child", "x")
	d := treeGone(tree, "a run of no folder")
	if d.met() || !strings.Contains(d.String(), fmt.Sprintf("pid %d", tree.Identity().PID)) {
		t.Errorf("a tree that lives is gone: %q", d.Held)
	}
	if class := dirtyClass([]journal.Held{d.Held}); class != "stop_dirty" {
		t.Errorf("class %s", class)
	}
	tree.Stop(process.StopPolicy{Grace: -1})
	<-tree.Done()
	if !d.met() || !tree.clean() {
		t.Errorf("an ended tree: %q, result %+v", d.Held, tree.Result())
	}
}

// TestSecondInterruptHastensEveryWait: no tree that ignores SIGTERM holds up somebody
// who asked twice.
func TestSecondInterruptHastensEveryWait(t *testing.T) {
	hurry := make(chan struct{})
	l := &launch{runner: &runner{Options: Options{Hurry: hurry}}}
	l.client = startTree(t, "fake-deaf", "x")
	for out := ""; out == ""; time.Sleep(time.Millisecond) {
		data, err := os.ReadFile(l.client.logs[0])
		if err != nil {
			t.Fatal(err)
		}
		out = string(data)
	}
	waits := make(chan struct{})
	go func() {
		defer close(waits)
		l.client.Stop(process.StopPolicy{Grace: time.Hour})
		l.endOfClient()
	}()
	close(hurry)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	select {
	case <-waits:
	case <-ctx.Done():
		t.Fatal("it still waits for a client that ignores SIGTERM")
	}
	if l.client != nil {
		t.Error("a client that is gone is still somebody's")
	}
}

// TestClientThatCannotBeStarted: its program went after the run had looked for it.
func TestClientThatCannotBeStarted(t *testing.T) {
	client := filepath.Join(t.TempDir(), "client")
	if err := os.WriteFile(client, []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, `
server: {command: "SERVER", ready: READY, isolation: launch, flush: {method: POST, path: /flush, expect: flushed}}
client: {axes: {c: [x, y]}, command: "`+client+` ${{ c }}"}
run: {retries: 0}
`)
	v, err := b.run(context.Background(), Again{}, func(e journal.Event) {
		if e.Type == journal.LaunchReady {
			if err := os.Remove(client); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil || v.Failed != 2 {
		t.Errorf("verdict %+v, err %v", v, err)
	}
}
