package device

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestConfirm(t *testing.T) {
	start := func(files ...*os.File) int {
		cmd := exec.Command("/bin/sleep", "3600")
		cmd.ExtraFiles = files
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = cmd.Wait()
		})
		return cmd.Process.Pid
	}
	node, err := os.Create(filepath.Join(t.TempDir(), "nvidia0"))
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	was := nodes
	nodes = []string{filepath.Join(filepath.Dir(node.Name()), "nvidia")}
	defer func() { nodes = was }()
	plain, holder := start(), start(node)

	ended := exec.Command("/bin/true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		p    Process
		want bool
	}{
		{"the name is its own", Process{PID: plain, Name: "sleep"}, true},
		{"a path, and other letters", Process{PID: plain, Name: "/usr/bin/SLEEP"}, true},
		{"a name in its command line", Process{PID: plain, Name: "3600"}, true},
		{"another's name", Process{PID: plain, Name: "python3"}, false},
		{"no name, and no device file open", Process{PID: plain}, false},
		{"no name, but a device file open", Process{PID: holder}, true},
		{"another's name, but a device file open", Process{PID: holder, Name: "VLLM::Worker"}, true},
		{"ended", Process{PID: ended.Process.Pid, Name: "true"}, false},
	} {
		s, ok := c.p.Confirm()
		if ok != c.want || ok && s.PID != c.p.PID {
			t.Errorf("%s: %v, %+v", c.what, ok, s)
		}
	}
}
