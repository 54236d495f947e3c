package device

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func recorded(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func mem(used, total uint64) *Memory { return &Memory{used * mib, total * mib} }

func TestNvidia(t *testing.T) {
	const gpu = "GPU-5b1f5c2e-0c1d-7d6a-9a53-1f0a6a1b2c0"
	for _, c := range []struct {
		devices, apps string
		mig           bool
		want          Snapshot
	}{
		{"nvidia-h100x2.gpu.txt", "nvidia-h100x2.apps.txt", true, Snapshot{Driver: "550.127.08", Devices: []Device{
			{Index: 0, ID: gpu + "1", Bus: "00000000:18:00.0", Name: "NVIDIA H100 80GB HBM3", Memory: mem(71234, 81559), Utilization: new(97), Power: new(612.34), Temperature: new(71.0), Clock: new(1755.0)},
			{Index: 1, ID: gpu + "2", Bus: "00000000:2A:00.0", Name: "NVIDIA H100 80GB HBM3", Memory: mem(4, 81559), Utilization: new(0), Power: new(70.15), Temperature: new(31.0), Clock: new(345.0)},
		}, Processes: []Process{
			{Device: 0, PID: 41231, Name: "VLLM::EngineCore", Used: new(uint64(70512 * mib))},
			{Device: 0, PID: 41899, Name: "/opt/tools/watch, dog/bin/watch", Used: new(uint64(712 * mib))},
		}}},
		{"nvidia-old-k80.gpu.txt", "nvidia-old-k80.apps.txt", false, Snapshot{Driver: "384.59", Devices: []Device{
			{Index: 0, ID: "GPU-aa11bb22-33cc-44dd-55ee-66ff77aa88b1", Bus: "0000:06:00.0", Name: "Tesla K80", Memory: mem(22, 11439), Utilization: new(0), Power: new(26.1), Temperature: new(34.0), Clock: new(324.0)},
			{Index: 1, ID: "GPU-aa11bb22-33cc-44dd-55ee-66ff77aa88b2", Bus: "0000:07:00.0", Name: "GeForce GT 730", Temperature: new(45.0)},
		}, Processes: []Process{{Device: 0, PID: 2210, Name: "python"}}}},
		{"nvidia-mig-container.gpu.txt", "nvidia-mig-container.apps.txt", true, Snapshot{Driver: "535.161.08", Devices: []Device{
			{ID: "GPU-0d4c3b2a-1122-3344-5566-77889900aabb", Bus: "00000000:07:00.0", Name: "NVIDIA A100-SXM4-80GB", Shared: true, Temperature: new(41.0)},
		}}},
		{"nvidia-mig-host.gpu.txt", "nvidia-mig-host.apps.txt", true, Snapshot{Driver: "535.161.08", Devices: []Device{
			{ID: "GPU-0d4c3b2a-1122-3344-5566-77889900aabb", Bus: "00000000:07:00.0", Name: "NVIDIA A100-SXM4-80GB", Memory: mem(34563, 81920), Shared: true, Power: new(154.2), Temperature: new(41.0), Clock: new(1275.0)},
		}, Processes: []Process{{Device: AnyDevice, PID: 77120, Name: "python3", Used: new(uint64(14366 * mib))}}}},
		{"nvidia-gb10.gpu.txt", "nvidia-noapps.apps.txt", true, Snapshot{Driver: "580.95.05", Devices: []Device{
			{ID: "GPU-7e6d5c4b-1234-5678-9abc-def012345678", Bus: "0000000F:01:00.0", Name: "NVIDIA GB10", Utilization: new(0), Power: new(11.35), Temperature: new(44.0), Clock: new(2405.0)},
		}}},
		{"nvidia-vgpu.gpu.txt", "nvidia-vgpu.apps.txt", true, Snapshot{Driver: "535.183.06", Devices: []Device{
			{ID: "GPU-1c2d3e4f-aaaa-bbbb-cccc-121314151617", Bus: "00000000:02:00.0", Name: "GRID L40S-24C", Memory: mem(1021, 24512), Utilization: new(0)},
		}, Processes: []Process{{Device: 0, PID: 3391}, {Device: 0, PID: 3402}}}},
		{"nvidia-inforom.gpu.txt", "nvidia-noapps.apps.txt", true, Snapshot{Driver: "535.104.05", Devices: []Device{
			{ID: "GPU-9f8e7d6c-0000-1111-2222-333344445555", Bus: "00000000:3B:00.0", Name: "Tesla T4", Memory: mem(3, 15360), Utilization: new(0), Power: new(9.8), Temperature: new(38.0), Clock: new(300.0)},
		}}},
		{"nvidia-none.txt", "nvidia-none.txt", true, Snapshot{}},
		{"nvidia-nodriver.txt", "nvidia-nodriver.txt", true, Snapshot{}},
		{"nvidia-mismatch.txt", "nvidia-mismatch.txt", true, Snapshot{}},
		{"nvidia-lost.txt", "nvidia-lost.txt", true, Snapshot{}},
	} {
		t.Run(c.devices, func(t *testing.T) {
			got := parseNvidiaDevices(recorded(t, c.devices), c.mig)
			got.Processes = parseNvidiaProcesses(recorded(t, c.apps), got.Devices)
			c.want.Vendor, c.want.Tool = "NVIDIA", "nvidia-smi"
			same(t, c.want, got)
		})
	}
}

func TestROCm(t *testing.T) {
	for _, c := range []struct {
		file string
		want Snapshot
		ok   bool
	}{
		{"rocm5-mi250.txt", Snapshot{Driver: "5.16.9.22.20", Devices: []Device{
			{Index: 0, ID: "0x1f9de0957d137942", Bus: "0000:29:00.0", Name: "AMD INSTINCT MI250 (MCM) OAM AC MBA", Memory: &Memory{10960896, 68702699520}, Utilization: new(0), Power: new(89.0), Temperature: new(36.0), Clock: new(800.0)},
			{Index: 1, ID: "0x2b80bc8a62ba0cb1", Bus: "0000:2C:00.0", Name: "AMD INSTINCT MI250 (MCM) OAM AC MBA", Memory: &Memory{61234567168, 68702699520}, Utilization: new(100), Temperature: new(59.0), Clock: new(1700.0)},
		}, Processes: []Process{{Device: AnyDevice, PID: 55120, Name: "python3", Used: new(uint64(61203742720))}}}, true},
		{"rocm6-mi300x.txt", Snapshot{Driver: "6.10.5", Devices: []Device{
			{Index: 0, ID: "0x71eb3bbaf5e21d0c", Bus: "0000:83:00.0", Name: "AMD Instinct MI300X VF", Memory: &Memory{2654650368, 205822885888}, Utilization: new(12), Power: new(141.0), Temperature: new(47.0), Clock: new(134.0)},
		}, Processes: []Process{
			{PID: 9399, Name: "tool of two words", Used: new(uint64(329576448))},
			{PID: 28389, Name: "llama-server", Used: new(uint64(2353860608))},
			{PID: 30117},
		}}, true},
		{"rocm7-warning.txt", Snapshot{Driver: "6.14.14", Devices: []Device{
			{Index: 0, Bus: "0000:03:00.0", Name: "Radeon RX 7900 XT", Memory: &Memory{27856896, 21458059264}, Utilization: new(0)},
		}}, true},
		{"rocm-gap.txt", Snapshot{Devices: []Device{
			{Index: 0, Name: "Vega 20", Memory: &Memory{17453056, 17163091968}},
			{Index: 1, Name: "Vega 20"},
		}}, true},
		{"rocm-nodriver.txt", Snapshot{}, false},
	} {
		t.Run(c.file, func(t *testing.T) {
			got, ok := parseROCm(recorded(t, c.file))
			if ok != c.ok {
				t.Errorf("an answer: %v, want %v", ok, c.ok)
			}
			c.want.Vendor, c.want.Tool = "AMD", "rocm-smi"
			same(t, c.want, got)
		})
	}
}

func TestAMD(t *testing.T) {
	for _, c := range []struct {
		version, static string
		want            Snapshot
	}{
		{"6.0", "", Snapshot{Devices: []Device{{Memory: mem(27, 16368)}},
			Processes: []Process{{PID: 1564865, Name: "rocblas-bench", Used: new(uint64(1048576))}}}},
		{"6.1", "amdsmi-6.1.static.txt", Snapshot{Driver: "6.7.0", Devices: []Device{
			{Index: 0, ID: "0x64AC21A676F77A5B", Bus: "0000:05:00.0", Name: "AMD Instinct MI300X", Memory: mem(121344, 196592), Utilization: new(87)},
			{Index: 1, ID: "0x64AC21A676F77A5C", Bus: "0000:26:00.0", Name: "AMD Instinct MI300X"},
		}, Processes: []Process{
			{PID: 420157, Name: "TransferBench", Used: new(uint64(4096))},
			{PID: 420315, Used: new(uint64(10844372992))},
		}}},
		{"7.2", "amdsmi-7.2.static.txt", Snapshot{Driver: "6.16.6", Devices: []Device{
			{Index: 0, ID: "0x64AC21A676F77A5B", Bus: "0000:03:00.0", Name: "AMD Radeon AI PRO R9700", Memory: mem(28065, 32624), Utilization: new(3), Power: new(20.0), Temperature: new(51.0), Clock: new(14.0)},
		}, Processes: []Process{{PID: 1883505, Name: "/usr/bin/python3.12", Used: new(uint64(29429556000))}}}},
	} {
		t.Run(c.version, func(t *testing.T) {
			static := ""
			if c.static != "" {
				static = recorded(t, c.static)
			}
			got := parseAMDDevices(recorded(t, "amdsmi-"+c.version+".metric.txt"), static)
			processes, ok := parseAMDProcesses(recorded(t, "amdsmi-"+c.version+".process.txt"))
			if !ok {
				t.Error("the processes are no answer")
			}
			got.Processes = processes
			c.want.Vendor, c.want.Tool = "AMD", "amd-smi"
			same(t, c.want, got)
		})
	}
	if _, ok := parseAMDProcesses("AMDSMI_STATUS_NO_PERM"); ok {
		t.Error("an error message is an answer")
	}
}

func TestNPU(t *testing.T) {
	for _, c := range []struct {
		file      string
		processes bool
		want      Snapshot
	}{
		{"npu-25.2.1-910b2.txt", true, Snapshot{Driver: "25.2.1", Devices: []Device{
			{Index: 0, ID: "NPU 0 chip 0", Bus: "0000:C1:00.0", Name: "910B2", Memory: mem(3454, 65536), Utilization: new(0), Power: new(99.0), Temperature: new(36.0)},
			{Index: 1, ID: "NPU 1 chip 0", Bus: "0000:C2:00.0", Name: "910B2", Memory: mem(62265, 65536), Utilization: new(98), Power: new(290.3), Temperature: new(51.0)},
		}, Processes: []Process{
			{Device: 1, PID: 1333928, Used: new(uint64(58770 * mib))},
			{Device: 1, PID: 1333999, Name: "python3", Used: new(uint64(132 * mib))},
		}}},
		{"npu-25.5.2-container.txt", true, Snapshot{Driver: "25.5.2", Devices: []Device{
			{Index: 0, ID: "NPU 5 chip 0", Bus: "0000:41:00.0", Name: "910B4", Memory: mem(2922, 32768), Utilization: new(0), Power: new(89.9), Temperature: new(39.0)},
		}}},
		{"npu-24.1-910c.txt", true, Snapshot{Driver: "24.1.rc3.7", Devices: []Device{
			{Index: 0, ID: "NPU 0 chip 0", Bus: "0000:9D:00.0", Name: "Ascend910", Memory: mem(50719, 65536), Utilization: new(0), Power: new(174.3), Temperature: new(37.0)},
			{Index: 1, ID: "NPU 0 chip 1", Bus: "0000:9F:00.0", Name: "Ascend910", Memory: mem(50242, 65536), Utilization: new(0), Temperature: new(36.0)},
			{Index: 2, ID: "NPU 1 chip 0", Bus: "0000:99:00.0", Name: "Ascend910", Memory: mem(3125, 65536), Utilization: new(0), Power: new(168.1), Temperature: new(37.0)},
			{Index: 3, ID: "NPU 1 chip 1", Bus: "0000:9B:00.0", Name: "Ascend910", Memory: mem(2888, 65536), Utilization: new(0), Temperature: new(37.0)},
		}, Processes: []Process{
			{Device: 0, PID: 3085960, Used: new(uint64(47426 * mib))},
			{Device: 0, PID: 3085961, Used: new(uint64(122 * mib))},
			{Device: 1, PID: 3085961, Used: new(uint64(47416 * mib))},
		}}},
		{"npu-25.2.0-310p-duo.txt", true, Snapshot{Driver: "25.2.0", Devices: []Device{
			{Index: 0, ID: "NPU 2 chip 0", Bus: "0000:01:00.0", Name: "310P3", Memory: mem(1529, 44280), Utilization: new(0), Temperature: new(45.0)},
			{Index: 1, ID: "NPU 2 chip 1", Bus: "0000:01:00.0", Name: "310P3", Memory: mem(19562, 43693), Utilization: new(7), Temperature: new(43.0)},
			{Index: 2, ID: "NPU 32768 chip 0", Bus: "0000:81:00.0", Name: "310P3", Memory: mem(1412, 21527), Utilization: new(0), Temperature: new(46.0)},
		}, Processes: []Process{{Device: 1, PID: 907864, Name: "python", Used: new(uint64(18100 * mib))}}}},
		{"npu-23.0-910a.txt", true, Snapshot{Driver: "23.0.rc1", Devices: []Device{
			{Index: 0, ID: "NPU 0 chip 0", Bus: "0000:C1:00.0", Name: "910ProB", Memory: mem(30711, 32768), Utilization: new(0), Power: new(78.4), Temperature: new(33.0)},
		}, Processes: []Process{{Device: 0, PID: 55115, Name: "python", Used: new(uint64(30784 * mib))}}}},
		{"npu-22.0-310p.txt", false, Snapshot{Driver: "22.0.2", Devices: []Device{
			{Index: 0, ID: "NPU 0 chip 0", Bus: "0000:AF:00.0", Name: "310P3", Memory: mem(934, 23054), Utilization: new(0), Power: new(17.0), Temperature: new(56.0)},
		}}},
		{"npu-22.0-310.txt", false, Snapshot{Driver: "22.0.4", Devices: []Device{
			{Index: 0, ID: "NPU 0 chip 0", Name: "310", Memory: mem(5745, 7757), Utilization: new(0), Power: new(12.8), Temperature: new(51.0)},
		}}},
		{"npu-nodriver.txt", false, Snapshot{}},
		{"npu-inuse.txt", false, Snapshot{}},
	} {
		t.Run(c.file, func(t *testing.T) {
			got := parseNPU(recorded(t, c.file))
			if got.hasProcesses != c.processes {
				t.Errorf("a process table: %v, want %v", got.hasProcesses, c.processes)
			}
			c.want.Vendor, c.want.Tool = "Ascend", "npu-smi"
			same(t, c.want, got.Snapshot)
		})
	}
}

func TestNPUProcMem(t *testing.T) {
	chips := []npuChip{{0, 0}, {2, 0}, {2, 1}}
	got, ok := parseNPUProcMem(recorded(t, "npu-procmem-duo.txt"), 2, chips)
	want := []Process{{Device: 2, PID: 907864, Name: "python", Used: new(uint64(18100 * mib))}, {Device: 2, PID: 907901, Used: new(uint64(134 * mib))}}
	if d := cmp.Diff(want, got); d != "" || !ok {
		t.Errorf("ok %v, (-want +got):\n%s", ok, d)
	}
	if _, ok := parseNPUProcMem("Error parameter of -t\n", 2, chips); ok {
		t.Error("a refusal is an answer")
	}
}

// same compares what was read; no list is an empty one.
func same(t *testing.T, want, got Snapshot) {
	t.Helper()
	if want.Processes == nil {
		want.Processes = []Process{}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
