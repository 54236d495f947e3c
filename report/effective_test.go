package report

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"servematrix/effective"
	"servematrix/journal"
	"servematrix/metric"
	"servematrix/result"
)

// configure writes what a start really ran with, and its event.
func (r *run) configure(id string, cell, block int, c effective.Config) {
	data, err := c.Encode()
	if err != nil {
		r.t.Fatal(err)
	}
	r.file(filepath.Join("launches", id, effective.File), data)
	v := journal.Configured{File: "launches/" + id + "/effective.json", Identity: c.Identity(), Version: c.Version, Args: len(c.Args)}
	for _, ch := range c.Changed {
		v.Changed = append(v.Changed, journal.Choice(ch))
	}
	r.add(r.launch(journal.LaunchConfigured, id, cell, block), v)
}

// configured is a run of two variants that say what they are, one of which changes.
func configured(t folderTB, dir, lang string) *run {
	plan := samplePlan(lang, "cell")
	plan.Run.Blocks = 2
	r := newRun(t, dir, plan)
	r.begin()
	for i, s := range []struct {
		id     string
		cell   int
		config effective.Config
	}{
		{"0001-flashinfer", 0, effective.Config{Version: "0.5.9", Args: map[string]any{"attention_backend": "flashinfer", "disable_radix_cache": true, "tp_size": 8, "port": 1}, Varies: []string{"port"},
			Env: map[string]string{"SGLANG_ENABLE_FLASHINFER_GEMM": "1"}}},
		{"0002-triton", 2, effective.Config{Version: "0.5.9", Args: map[string]any{"attention_backend": "torch_native\x1b[2J", "disable_radix_cache": false, "tp_size": 8, "port": 2, "disable_cuda_graph": true}, Varies: []string{"port"},
			Env: map[string]string{"SGLANG_ENABLE_FLASHINFER_GEMM": "1"},
			Changed: []effective.Change{
				{Flag: "attention_backend", Asked: "triton", Is: "torch_native\x1b[2J", Said: "Triton is not supported, using @torch_native", At: "server.err:7"},
				{Flag: "disable_cuda_graph", Is: "true", Said: "Cuda graph is disabled because of using torch native attention backend", At: "server.err:8"}}}},
		{"0003-flashinfer", 0, effective.Config{Version: "0.5.10", Args: map[string]any{"attention_backend": "flashinfer", "disable_radix_cache": true, "tp_size": 8, "port": 3}, Varies: []string{"port"},
			Env: map[string]string{"SGLANG_ENABLE_FLASHINFER_GEMM": "1"}}},
	} {
		s.config.Engine = "sglang"
		block := 1 + i/2
		r.startServer(s.id, s.cell, s.cell, block, false)
		r.ready(s.id, s.cell, block)
		r.attempt(s.id, s.cell, block, 1, outcome{out: "out", status: result.StatusOK, metrics: metric.Of(map[string]float64{"completed": 1})})
		r.add(r.launch(journal.LaunchStopping, s.id, s.cell, block), journal.Stopping{Why: "its clients are done"})
		r.configure(s.id, s.cell, block, s.config)
		r.add(r.launch(journal.LaunchEnded, s.id, s.cell, block), journal.Gone{Orderly: true, PortFree: true, Seconds: 1.22})
	}
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{OK: 3})
	return r
}

// Only what differs between the variants is shown, and what an engine did not do as asked.
func TestServersGolden(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		r := configured(t, t.TempDir(), lang)
		golden(t, "servers."+lang+".txt", []byte(r.text("")))
		if lang == "zh" {
			continue
		}
		var b bytes.Buffer
		if err := Markdown(&b, r.folder); err != nil {
			t.Fatal(err)
		}
		golden(t, "servers.md", b.Bytes())
		for _, hidden := range []string{"tp_size", "port\n", "SGLANG_ENABLE"} {
			_, section, _ := strings.Cut(r.text(""), "[SERVERS]")
			section, _, _ = strings.Cut(section, "\n[")
			if strings.Contains(section, hidden) {
				t.Errorf("%s is the same for both and is shown:\n%s", hidden, section)
			}
		}
	}
}

// A page divides by the devices that a server told, not by those of one whose starts differ.
func TestPageKnowsDevices(t *testing.T) {
	r := configured(t, t.TempDir(), "en")
	text, err := (&effective.Config{Engine: "sglang", Args: map[string]any{"tp_size": 4, "pp_size": 2, "dp_size": 1}}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, launch := range []string{"0001-flashinfer", "0002-triton"} {
		r.file(filepath.Join("launches", launch, effective.File), text)
	}
	for _, c := range Page(r.folder, "en").Cells {
		if want := map[bool]int{true: 8}[strings.HasPrefix(c.Server, "triton")]; c.Devices != want {
			t.Errorf("%s: %d devices, not %d", c.Server, c.Devices, want)
		}
	}
}
