package device

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// install makes scripts of these names the only tools of a host.
func install(t *testing.T, scripts map[string]string) []Tool {
	t.Helper()
	bin := t.TempDir()
	data, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range scripts {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\ncd "+data+"\n"+body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return Find([]string{"PATH=" + bin + ":/nonexistent:relative", "PRINTED=" + bin})
}

const (
	h100       = `case "$1" in --query-gpu=*) /bin/cat nvidia-h100x2.gpu.txt;; --query-compute-apps=*) /bin/cat nvidia-h100x2.apps.txt;; *) exit 2;; esac`
	old        = `case "$1" in *mig.mode*) /bin/cat nvidia-old-nomig.gpu.txt; exit 2;; --query-gpu=*) /bin/cat nvidia-old-k80.gpu.txt;; *) /bin/cat nvidia-old-k80.apps.txt;; esac`
	inforom    = `case "$1" in --query-gpu=*) /bin/cat nvidia-inforom.gpu.txt; exit 14;; esac`
	noApps     = `case "$1" in --query-gpu=*) /bin/cat nvidia-vgpu.gpu.txt;; *) echo Insufficient Permissions >&2; exit 4;; esac`
	amd72      = `/bin/cat amdsmi-7.2.$1.txt`
	amdVirtual = `case "$*" in *--power*) echo "amd-smi: error: unrecognized arguments: --power" >&2; exit 2;; esac; /bin/cat amdsmi-7.2.$1.txt`
	npu22      = `case "$*" in info) /bin/cat npu-25.2.0-310p-duo.txt | /bin/sed '/Process id/,$d';; *"-i 2") /bin/cat npu-procmem-duo.txt;; *) printf 'No process in device.\nChip ID : 0\n';; esac`
	npuDeny    = `case "$*" in info) /bin/cat npu-22.0-310.txt;; *) echo 'This device does not support proc-mem.'; exit 1;; esac`
	npuEmpty   = `/bin/cat npu-22.0-310.txt | /bin/sed '/310 /d;/NA  /d'`
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name      string
		scripts   map[string]string
		tool      string // whose snapshot it is
		devices   int
		processes int
		problem   string // with the processes
		err       string
	}{
		{"nvidia", map[string]string{"nvidia-smi": h100}, "nvidia-smi", 2, 2, "", ""},
		{"nvidia older than MIG", map[string]string{"nvidia-smi": old}, "nvidia-smi", 2, 1, "", ""},
		{"a damaged infoROM", map[string]string{"nvidia-smi": inforom}, "nvidia-smi", 1, 0, "", ""},
		{"processes refused", map[string]string{"nvidia-smi": noApps}, "nvidia-smi", 1, 0, "Insufficient Permissions", ""},
		{"no devices", map[string]string{"nvidia-smi": "/bin/cat nvidia-none.txt; exit 6"}, "", 0, 0, "", ErrNone.Error()},
		{"no driver", map[string]string{"nvidia-smi": "/bin/cat nvidia-nodriver.txt; exit 9"}, "", 0, 0, "", "ended with 9: NVIDIA-SMI has failed"},
		{"a silent end", map[string]string{"nvidia-smi": "exit 9"}, "", 0, 0, "", "ended with 9: it said nothing"},
		{"a lost device", map[string]string{"nvidia-smi": "/bin/cat nvidia-h100x2.gpu.txt nvidia-lost.txt >&2; exit 15"}, "", 0, 0, "", "ended with 15"},
		{"nonsense", map[string]string{"nvidia-smi": "echo hello"}, "", 0, 0, "", "nothing that can be read, but: hello"},
		{"silence", map[string]string{"nvidia-smi": "exit 0"}, "", 0, 0, "", "printed nothing"},
		{"no end", map[string]string{"nvidia-smi": "exec /bin/cat /dev/zero"}, "", 0, 0, "", ""},
		{"no program", map[string]string{"nvidia-smi": "\x00"}, "", 0, 0, "", "nvidia-smi"},
		{"amd-smi", map[string]string{"amd-smi": amd72, "rocm-smi": "exit 1"}, "amd-smi", 1, 1, "", ""},
		{"rocm-smi alone", map[string]string{"rocm-smi": "/bin/cat rocm6-mi300x.txt"}, "rocm-smi", 1, 3, "", ""},
		{"rocm-smi in place of a broken amd-smi", map[string]string{"amd-smi": "exit 1", "rocm-smi": "/bin/cat rocm7-warning.txt"}, "rocm-smi", 1, 0, "", ""},
		{"both broken", map[string]string{"amd-smi": "echo no libamd_smi >&2; exit 1", "rocm-smi": "/bin/cat rocm-nodriver.txt; exit 2"}, "", 0, 0, "", "amd-smi ended with 1: no libamd_smi"},
		{"amd-smi in a virtual machine", map[string]string{"amd-smi": amdVirtual}, "amd-smi", 1, 1, "", ""},
		{"amd-smi without devices", map[string]string{"amd-smi": "/bin/cat amdsmi-none.metric.txt"}, "", 0, 0, "", ErrNone.Error()},
		{"npu-smi", map[string]string{"npu-smi": "/bin/cat npu-24.1-910c.txt"}, "npu-smi", 4, 3, "", ""},
		{"npu-smi without a process table", map[string]string{"npu-smi": npu22}, "npu-smi", 3, 2, "", ""},
		{"npu-smi that names no processes", map[string]string{"npu-smi": npuDeny}, "npu-smi", 1, 0, "does not support proc-mem", ""},
		{"npu-smi without devices", map[string]string{"npu-smi": npuEmpty}, "", 0, 0, "", ErrNone.Error()},
		{"npu-smi without a driver", map[string]string{"npu-smi": "/bin/cat npu-nodriver.txt; exit 1"}, "", 0, 0, "", "dcmi module initialize failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tools := install(t, c.scripts)
			if len(tools) != 1 {
				t.Fatalf("%d tools were found", len(tools))
			}
			ctx := t.Context()
			if c.name == "no end" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 200*time.Millisecond)
				defer cancel()
				c.err = "no answer in time"
			}
			s, err := tools[0].Read(ctx)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.Tool != c.tool || len(s.Devices) != c.devices || len(s.Processes) != c.processes || !strings.Contains(s.ProcessProblem, c.problem) || (c.problem == "") != (s.ProcessProblem == "") {
				t.Errorf("%+v, want %d devices and %d processes of %s, problem %q", s, c.devices, c.processes, c.tool, c.problem)
			}
			if tools[0].Name() != c.tool {
				t.Errorf("%s is in charge, want %s", tools[0].Name(), c.tool)
			}
		})
	}
}

func TestFind(t *testing.T) {
	if tools := Find([]string{"PATH=" + t.TempDir()}); len(tools) != 0 {
		t.Errorf("%d tools in an empty folder", len(tools))
	}
	if tools := Find(nil); len(tools) != 0 {
		t.Errorf("%d tools without a PATH", len(tools))
	}
	var names []string
	for _, tool := range install(t, map[string]string{"npu-smi": "", "rocm-smi": "", "amd-smi": "", "nvidia-smi": ""}) {
		names = append(names, tool.Name())
	}
	if got := strings.Join(names, " "); got != "nvidia-smi amd-smi npu-smi" {
		t.Errorf("found %s", got)
	}
}

func TestToolThatHangsIsEndedWithItsChildren(t *testing.T) {
	tools := install(t, map[string]string{"nvidia-smi": `/bin/sleep 3600 & echo $! >>"$PRINTED/pids"; wait`})
	ctx, cancel := context.WithCancel(t.Context())
	pids := filepath.Join(variable(tools[0].(*nvidia).environ, "PRINTED"), "pids")
	go func() {
		for {
			if data, err := os.ReadFile(pids); err == nil && strings.Count(string(data), "\n") == 2 {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := tools[0].Read(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	data, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for pid := range strings.FieldsSeq(string(data)) {
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			if err != nil || strings.Contains(string(stat), ") Z ") {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("child %s of the tool lives on", pid)
			}
		}
	}
}

func TestEnvironmentOfATool(t *testing.T) {
	tools := install(t, map[string]string{"nvidia-smi": `read line; echo "$LC_ALL/$line/$PRINTED" >&2; exit 3`})
	_, err := tools[0].Read(t.Context())
	if err == nil || !strings.Contains(err.Error(), "C//"+variable(tools[0].(*nvidia).environ, "PRINTED")) {
		t.Errorf("error %v, want the tool's own view: LC_ALL=C, nothing on stdin, the run's environment", err)
	}
}
