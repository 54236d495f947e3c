package device

import (
	"slices"
	"testing"
)

func TestVisible(t *testing.T) {
	gpus := []Device{{Index: 0, ID: "GPU-aaaa1111"}, {Index: 1, ID: "GPU-aaaa2222"}, {Index: 2, ID: "GPU-bbbb3333"}}
	amd := []Device{{Index: 0, ID: "0x1f9de0957d137942"}, {Index: 1, ID: "0x2B80BC8A62BA0CB1"}, {Index: 2, ID: "0x3c"}}
	for _, c := range []struct {
		name    string
		vendor  string
		devices []Device
		environ []string
		want    []int
	}{
		{"nothing set", "NVIDIA", gpus, []string{"PATH=/bin"}, []int{0, 1, 2}},
		{"numbers, in their order", "NVIDIA", gpus, []string{"CUDA_VISIBLE_DEVICES=2,0"}, []int{2, 0}},
		{"spaces", "NVIDIA", gpus, []string{"CUDA_VISIBLE_DEVICES= 1 , 2"}, []int{1, 2}},
		{"the last entry counts", "NVIDIA", gpus, []string{"CUDA_VISIBLE_DEVICES=1", "CUDA_VISIBLE_DEVICES=2"}, []int{2}},
		{"empty hides all", "NVIDIA", gpus, []string{"CUDA_VISIBLE_DEVICES="}, nil},
		{"-1 ends the list", "NVIDIA", gpus, []string{"CUDA_VISIBLE_DEVICES=1,-1,2"}, []int{1}},
		{"what is not there ends the list", "NVIDIA", gpus, []string{"CUDA_VISIBLE_DEVICES=0,7,1"}, []int{0}},
		{"twice the same", "NVIDIA", gpus, []string{"CUDA_VISIBLE_DEVICES=1,1"}, []int{1}},
		{"UUID", "NVIDIA", gpus, []string{"CUDA_VISIBLE_DEVICES=GPU-bbbb3333,GPU-aaaa1111"}, []int{2, 0}},
		{"beginning of a UUID", "NVIDIA", gpus, []string{"CUDA_VISIBLE_DEVICES=GPU-b"}, []int{2}},
		{"beginning of several", "NVIDIA", gpus, []string{"CUDA_VISIBLE_DEVICES=GPU-aaaa"}, nil},
		{"a MIG instance", "NVIDIA", gpus, []string{"CUDA_VISIBLE_DEVICES=MIG-5068167e"}, []int{0, 1, 2}},
		{"other vendors' variables", "NVIDIA", gpus, []string{"HIP_VISIBLE_DEVICES=0", "ASCEND_RT_VISIBLE_DEVICES=0"}, []int{0, 1, 2}},
		{"HIP", "AMD", amd, []string{"HIP_VISIBLE_DEVICES=1"}, []int{1}},
		{"HIP wins over CUDA", "AMD", amd, []string{"CUDA_VISIBLE_DEVICES=2", "HIP_VISIBLE_DEVICES=1"}, []int{1}},
		{"CUDA without HIP", "AMD", amd, []string{"CUDA_VISIBLE_DEVICES=2"}, []int{2}},
		{"HIP counts within ROCR", "AMD", amd, []string{"ROCR_VISIBLE_DEVICES=2,1", "HIP_VISIBLE_DEVICES=1"}, []int{1}},
		{"ROCR by UUID", "AMD", amd, []string{"ROCR_VISIBLE_DEVICES=GPU-2b80bc8a62ba0cb1"}, []int{1}},
		{"Ascend", "Ascend", gpus, []string{"ASCEND_RT_VISIBLE_DEVICES=1,2", "CUDA_VISIBLE_DEVICES=0"}, []int{1, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Snapshot{Vendor: c.vendor, Devices: c.devices, Processes: []Process{{Device: 0, PID: 10}, {Device: 1, PID: 11}, {Device: AnyDevice, PID: 12}}}
			got := s.Visible(c.environ)
			var indices, pids []int
			for _, d := range got.Devices {
				indices = append(indices, d.Index)
			}
			if !slices.Equal(indices, c.want) {
				t.Errorf("devices %v, want %v", indices, c.want)
			}
			for _, p := range got.Processes {
				pids = append(pids, p.PID)
			}
			var want []int
			for i := range 2 {
				if slices.Contains(c.want, i) {
					want = append(want, 10+i)
				}
			}
			if len(c.want) > 0 {
				want = append(want, 12)
			}
			if !slices.Equal(pids, want) {
				t.Errorf("processes %v, want %v", pids, want)
			}
			if len(s.Devices) != 3 || len(s.Processes) != 3 {
				t.Error("the snapshot itself was changed")
			}
		})
	}
}
