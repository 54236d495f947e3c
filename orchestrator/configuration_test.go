package orchestrator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/effective"
	"servematrix/journal"
	"servematrix/result"
)

// chatty is a profile of servers that tell what they run with.
const chatty = `
server: chatty
extends: generic
effective:
  args: ['^config (.*)$']
  changed: [{flag: backend, log: '^backend set to .*'}]
  info: [[/missing, /info]]
  env: [CHATTY_*]
  varies: [port, seed]
`

// sampleOf reads the last sample of the only cell in a block.
func (b *bench) sampleOf(block int) result.Sample {
	b.t.Helper()
	o := b.state().Of(Unit{b.plan.Cells[0].ID, block})
	data, err := os.ReadFile(b.folder.Path(o.Folder, journal.SampleFile))
	if err != nil {
		b.t.Fatal(err)
	}
	var s result.Sample
	if err := json.Unmarshal(data, &s); err != nil {
		b.t.Fatal(err)
	}
	return s
}

func TestConfigurationIsFoundOutAndAnotherServerIsNotAveraged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	say := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	say("config backend='plain', seed=1, token='hunter2222', port=1\nbackend set to plain: no kernels here\n")
	b := newBench(t, `
server: {command: "SERVER says=`+file+` --backend fast", profile: chatty, ready: READY, env: {CHATTY_MODE: loud, CHATTY_AT: "${{ late.dir }}"}}
client: {command: "CLIENT"}
run: {blocks: 3, retries: 0}
`, chatty)
	ended := 0
	_, err := b.run(context.Background(), Again{}, func(e journal.Event) {
		if e.Type != journal.LaunchEnded {
			return
		}
		switch ended++; ended {
		case 1: // only what differs between any two starts
			say("config backend='plain', seed=2, token='hunter2222', port=2\nbackend set to plain: no kernels here\n")
		case 2:
			say("config backend='fast', seed=3, token='hunter2222'\n")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var told []journal.Configured
	for _, e := range b.events(journal.LaunchConfigured) {
		c, err := journal.Decode[journal.Configured](e)
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, c)
		data, err := os.ReadFile(b.folder.Path(c.File))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != c.SHA256 {
			t.Errorf("%s: the digest is not the journal's", c.File)
		}
		if info, err := os.Stat(b.folder.Path(c.File)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", c.File, info.Mode(), err)
		}
		if strings.Contains(string(data), "hunter2222") {
			t.Errorf("%s holds a secret", c.File)
		}
	}
	if len(told) != 3 || told[0].Identity != told[1].Identity || told[0].Identity == told[2].Identity {
		t.Fatalf("launch.configured: %+v", told)
	}
	choice := []journal.Choice{{Flag: "backend", Asked: "fast", Is: "plain", Said: "backend set to plain: no kernels here", At: "server.out:2"}}
	if diff := cmp.Diff(choice, told[0].Changed); diff != "" || told[0].Version != "7" || told[0].Args != 4 {
		t.Errorf("%+v\n%s", told[0], diff)
	}
	first, err := effective.Read(b.folder.LaunchDir(b.state().Launches[0].ID))
	if err != nil {
		t.Fatal(err)
	}
	if first.Info["/info"]["told"] == nil || len(first.Problems) != 0 || first.Host.Kernel == "" {
		t.Errorf("asked: %+v", first)
	}
	if diff := cmp.Diff(map[string]string{"CHATTY_MODE": "loud"}, first.Env); diff != "" {
		t.Error(diff)
	}
	for block, want := range map[int]string{1: StatusOK, 2: StatusOK, 3: StatusInvalid} {
		s := b.sampleOf(block)
		if s.Status != want || s.Validity.Has(result.ServerChanged) != (want == StatusInvalid) {
			t.Errorf("block %d: %s, %+v", block, s.Status, s.Validity)
		}
	}
	if s := b.sampleOf(3); !strings.Contains(s.Validity.Reasons[0].Detail, "args.backend: plain → fast") {
		t.Errorf("%+v", s.Validity)
	}

	// A resumed session holds its starts against those of the former one.
	say("config backend='fast', seed=4, token='hunter2222'\n")
	if _, err := b.run(context.Background(), Again{Invalid: true}, nil); err != nil {
		t.Fatal(err)
	}
	if s := b.sampleOf(3); s.Status != StatusInvalid || !s.Validity.Has(result.ServerChanged) {
		t.Errorf("resumed: %s, %+v", s.Status, s.Validity)
	}
	say("config backend='plain', seed=5, token='hunter2222'\n")
	if _, err := b.run(context.Background(), Again{Invalid: true}, nil); err != nil {
		t.Fatal(err)
	}
	if s := b.sampleOf(3); s.Status != StatusOK {
		t.Errorf("resumed as it was: %s, %+v", s.Status, s.Validity)
	}
}
