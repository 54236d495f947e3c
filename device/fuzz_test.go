package device

import (
	"os"
	"path/filepath"
	"testing"
)

// seeds are the recorded outputs whose names match.
func seeds(f *testing.F, pattern string) {
	f.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(paths) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
}

// sound checks what every reader of a snapshot relies on.
func sound(t *testing.T, s Snapshot) {
	t.Helper()
	for _, d := range s.Devices {
		if d.Index < 0 || d.Memory != nil && d.Memory.Total == 0 || d.Utilization != nil && (*d.Utilization < 0 || *d.Utilization > 100) {
			t.Errorf("device %+v", d)
		}
	}
	for _, p := range s.Processes {
		if p.PID <= 0 || p.Device < AnyDevice {
			t.Errorf("process %+v", p)
		}
	}
	s.Visible([]string{"CUDA_VISIBLE_DEVICES=1,GPU-1", "ROCR_VISIBLE_DEVICES=0,GPU-1", "ASCEND_RT_VISIBLE_DEVICES=0"})
}

func FuzzNvidia(f *testing.F) {
	seeds(f, "nvidia-*.txt")
	f.Fuzz(func(t *testing.T, text string) {
		for _, mig := range []bool{true, false} {
			s := parseNvidiaDevices(text, mig)
			s.Processes = parseNvidiaProcesses(text, s.Devices)
			sound(t, s)
		}
	})
}

func FuzzROCm(f *testing.F) {
	seeds(f, "rocm*.txt")
	f.Fuzz(func(t *testing.T, text string) {
		s, _ := parseROCm(text)
		sound(t, s)
	})
}

func FuzzAMD(f *testing.F) {
	seeds(f, "amdsmi-*.txt")
	f.Fuzz(func(t *testing.T, text string) {
		s := parseAMDDevices(text, text)
		s.Processes, _ = parseAMDProcesses(text)
		sound(t, s)
	})
}

func FuzzNPU(f *testing.F) {
	seeds(f, "npu-*.txt")
	f.Fuzz(func(t *testing.T, text string) {
		n := parseNPU(text)
		sound(t, n.Snapshot)
		n.Processes, _ = parseNPUProcMem(text, 2, n.chips)
		sound(t, n.Snapshot)
	})
}
