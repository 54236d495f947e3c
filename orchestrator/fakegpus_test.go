package orchestrator

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeGPUs is an nvidia-smi that prints what the test wrote. While the file lag has
// lines, each look takes one away and shows busy; so does a living process in holder.
type fakeGPUs struct {
	t   *testing.T
	dir string
}

const fakeNvidiaSMI = `#!/bin/sh
cd %q || exit 1
[ -e hang ] && exec sleep 3600
case "$1" in
*clocks_event*) exec cat clocks ;;
--query-gpu=*)
	echo look >>looks
	if [ -s lag ]; then
		sed -i 1d lag
		exec cat busy
	fi
	[ -e holder ] && kill -0 "$(cat holder)" 2>/dev/null && exec cat busy
	exec cat gpus ;;
*) exec cat apps ;;
esac
`

// withGPUs gives a bench a fake nvidia-smi with GPUs that have so many MiB in use.
func withGPUs(b *bench, used ...int) *fakeGPUs {
	f := &fakeGPUs{b.t, b.t.TempDir()}
	f.write("nvidia-smi", fmt.Sprintf(fakeNvidiaSMI, f.dir))
	if err := os.Chmod(filepath.Join(f.dir, "nvidia-smi"), 0o755); err != nil {
		b.t.Fatal(err)
	}
	f.use("gpus", used...)
	f.write("apps", "")
	f.write("clocks", "")
	b.environ = append(b.environ, "PATH="+f.dir+":"+os.Getenv("PATH"))
	return f
}

func (f *fakeGPUs) write(name, text string) {
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		f.t.Error(err)
	}
}

func (f *fakeGPUs) use(file string, used ...int) {
	var b strings.Builder
	for i, u := range used {
		fmt.Fprintf(&b, "%d, GPU-%d, 0000:%02d:00.0, %d, 81559, 0, 101.5, 41, 1755, 550.1, Disabled, Fake\n", i, i, i, u)
	}
	f.write(file, b.String())
}

// app puts a process on the first GPU.
func (f *fakeGPUs) app(pid, used int) {
	f.write("apps", fmt.Sprintf("GPU-0, %d, %d, sleep\n", pid, used))
}

func (f *fakeGPUs) looks() int {
	data, err := os.ReadFile(filepath.Join(f.dir, "looks"))
	if err != nil {
		f.t.Fatal(err)
	}
	return strings.Count(string(data), "\n")
}

// sleeper starts a process with these variables and gives its pid.
func sleeper(t *testing.T, environ ...string) int {
	t.Helper()
	cmd := exec.Command("sleep", "3600")
	cmd.Env = append(os.Environ(), environ...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	return cmd.Process.Pid
}
