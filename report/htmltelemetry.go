package report

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"servematrix/journal"
	"servematrix/page"
	"servematrix/telemetry"
)

const (
	// telemetryBytes is how much of the telemetry of all clients a page is drawn from.
	telemetryBytes = 16 << 20
	// telemetryPoints is how many points all series of a page have together, and seriesMost, seriesLeast one of them.
	telemetryPoints         = 24_000
	seriesMost, seriesLeast = 2000, 60
)

// stint is the time of a client: what was kept beside it, and when it began on the run's clock.
type stint struct {
	file string
	size int64
	from float64
}

// prepare looks, besides what the tally reads, for what was kept beside a client.
func (p *paging) prepare(e journal.Event) happening {
	h := p.tally.prepare(e)
	if e.Type == journal.ClientStarted {
		if info, err := os.Stat(p.telemetryFile(e)); err == nil && info.Mode().IsRegular() {
			h.telemetry = info
		}
	}
	return h
}

func (p *paging) telemetryFile(e journal.Event) string {
	return p.folder.Path(journal.AttemptName(e.Cell, e.Block, e.Attempt), journal.TelemetryFile)
}

// stints are those of a run's clients, beside which telemetry was kept.
type stints struct {
	open map[string]stint // launch → its last client
	all  []stint
}

// hear takes in an event that came at so many seconds. A warm-up's client is forgotten when the next one starts.
func (c *stints) hear(e happening, file func(journal.Event) string, at float64) {
	switch e.Type {
	case journal.ClientStarted:
		if c.open == nil {
			c.open = map[string]stint{}
		}
		delete(c.open, e.Launch)
		if e.telemetry != nil {
			c.open[e.Launch] = stint{file(e.Event), e.telemetry.Size(), at}
		}
	case journal.SampleEnded:
		if m, ok := c.open[e.Launch]; ok {
			delete(c.open, e.Launch)
			c.all = append(c.all, m)
		}
	}
}

// telemetry draws what was kept beside the samples, of the whole run on one clock.
func (p *paging) telemetry(d *page.Data) {
	files, size := p.stints.all, int64(0)
	for _, m := range files {
		size += m.size
	}
	each := int(size/telemetryBytes) + 1
	if each > 1 {
		p.gap("Telemetry is drawn of one client in %d: all of it would be too much for a page", "遥测每 %d 个客户端只绘制一个：全部绘制对一个页面来说太多", each)
	}
	var b bands
	for i := 0; i < len(files) && !p.halted(); i += each {
		b.take(readings(files[i].file), files[i].from)
	}
	d.Telemetry = b.panels()
}

// readings gives those of a file, of a very long one the first.
func readings(path string) []telemetry.Reading {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, telemetryBytes))
	if err != nil {
		return nil
	}
	return telemetry.Parse(text)
}

// quantities are the panels in the page's order.
var quantities = []struct {
	title page.Text
	unit  string
}{
	{page.Text{EN: "Device utilization", ZH: "设备利用率"}, "%"},
	{page.Text{EN: "Device power", ZH: "设备功率"}, "W"},
	{page.Text{EN: "Device temperature", ZH: "设备温度"}, "°C"},
	{page.Text{EN: "Device clock", ZH: "设备频率"}, "MHz"},
	{page.Text{EN: "Device memory in use", ZH: "设备内存占用"}, "GiB"},
	{page.Text{EN: "Requests in the engine", ZH: "引擎中的请求"}, ""},
	{page.Text{EN: "KV cache in use", ZH: "KV 缓存占用"}, "%"},
	{page.Text{EN: "Processor cores in use", ZH: "占用的处理器核"}, ""},
	{page.Text{EN: "Host memory in use", ZH: "主机内存占用"}, "GiB"},
}

const (
	utilization = iota
	power
	temperature
	clock
	deviceMemory
	inEngine
	kvCache
	cores
	hostMemory
	quantityCount
)

// bands are the series of each quantity, in the order in which they appeared.
type bands [quantityCount][]page.Series

// take adds what was read beside a client that began at so many seconds.
func (b *bands) take(all []telemetry.Reading, from float64) {
	for _, r := range all {
		at := from + r.Seconds
		for _, d := range r.Devices {
			name := fmt.Sprintf("GPU %d", d.Index)
			if strings.HasPrefix(r.Tool, "npu") {
				name = fmt.Sprintf("NPU %d", d.Index)
			}
			if d.Utilization != nil {
				b.add(utilization, name, at, float64(*d.Utilization))
			}
			b.told(power, name, at, d.Power, 1)
			b.told(temperature, name, at, d.Temperature, 1)
			b.told(clock, name, at, d.Clock, 1)
			if d.Memory != nil {
				b.add(deviceMemory, name, at, gib(d.Memory.Used))
			}
		}
		if e := r.Engine; e != nil {
			b.told(inEngine, "running", at, e.Running, 1)
			b.told(inEngine, "waiting", at, e.Waiting, 1)
			b.told(kvCache, "engine", at, e.KVCache, 100)
		}
		if h := r.Host; h != nil {
			b.add(cores, "server", at, h.ServerCores)
			b.add(cores, "client", at, h.ClientCores)
			b.add(cores, "host", at, h.BusyCores)
			b.add(hostMemory, "host", at, gib(h.MemoryUsed))
		}
	}
	for q := range b { // nobody looked between two clients
		for i := range b[q] {
			if s := &b[q][i]; !math.IsNaN(s.Y[len(s.Y)-1]) {
				s.X, s.Y = append(s.X, s.X[len(s.X)-1]), append(s.Y, math.NaN())
			}
		}
	}
}

func gib(bytes uint64) float64 { return float64(bytes) / (1 << 30) }

func (b *bands) told(quantity int, name string, at float64, v *float64, factor float64) {
	if v != nil {
		b.add(quantity, name, at, *v*factor)
	}
}

func (b *bands) add(quantity int, name string, at, v float64) {
	all := &b[quantity]
	i := slices.IndexFunc(*all, func(s page.Series) bool { return s.Name == name })
	if i < 0 {
		i = len(*all)
		*all = append(*all, page.Series{Name: name})
	}
	s := &(*all)[i]
	s.X, s.Y = append(s.X, at), append(s.Y, v)
}

// panels gives the quantities of which something is known, thinned out to what a page can hold.
func (b *bands) panels() (panels []page.Panel) {
	series := 0
	for _, all := range b {
		series += len(all)
	}
	most := min(max(telemetryPoints/max(series, 1), seriesLeast), seriesMost)
	for q, all := range b {
		if len(all) == 0 {
			continue
		}
		for i := range all {
			all[i].X, all[i].Y = telemetry.Thin(all[i].X, all[i].Y, most)
		}
		panels = append(panels, page.Panel{Title: quantities[q].title, Unit: quantities[q].unit, Series: all})
	}
	return panels
}
