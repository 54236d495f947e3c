package chart_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"servematrix/chart"
)

func frame(id, title string) chart.Frame {
	return chart.Frame{ID: id, Title: title, Desc: "What it shows.", Lang: "en", Empty: "No cell has a value yet."}
}

func mark(cell, tip string) chart.Mark { return chart.Mark{Cell: cell, Tip: tip} }

var concurrencies = []float64{1, 2, 4, 8, 16, 32, 64, 128}

// variants are servers as they could be measured: per-request speed, and the throughput at
// which they saturate.
var variants = []struct {
	name       string
	tpot, most float64
}{
	{"flashinfer/tp8", 14.2, 3300},
	{"triton/tp8", 17.5, 2750},
	{"fa3/tp8", 13.1, 3620},
	{"cutlass_mla/tp8/mem-fraction-static=0.92", 15.4, 3010},
}

// loadSeries gives a metric of all variants over concurrency.
func loadSeries(metric func(tpot, most, conc float64) (x, y float64)) []chart.Series {
	rnd := rand.New(rand.NewPCG(1, 2))
	var series []chart.Series
	for i, v := range variants {
		s := chart.Series{Name: v.name}
		for k, c := range concurrencies {
			x, y := metric(v.tpot, v.most, c)
			e := 1 + .04*rnd.Float64()
			s.Points = append(s.Points, chart.Point{
				Mark: mark(fmt.Sprintf("c%d%d", i, k), fmt.Sprintf("%s × c%.0f\n%.0f", v.name, c, y)),
				X:    x, Y: y, YRange: &chart.Range{Low: y / e, High: y * e}, Label: fmt.Sprintf("c%.0f", c),
			})
		}
		series = append(series, s)
	}
	series[1].Points[4].Y = math.NaN()
	return series
}

// throughput is tokens per second of a server with conc requests in flight.
func throughput(tpot, most, conc float64) float64 {
	return 1 / (1/(conc*1000/tpot) + 1/most)
}

func curves() chart.Curves {
	return chart.Curves{
		Frame: frame("load", "Output throughput over concurrency"),
		X:     chart.Axis{Title: "Max concurrency", Unit: "requests", Log: true},
		Y:     chart.Axis{Title: "Output throughput", Unit: "tok/s", Note: "more is better", Zero: true},
		Series: loadSeries(func(tpot, most, conc float64) (float64, float64) {
			return conc, throughput(tpot, most, conc)
		}),
	}
}

func pareto() chart.Pareto {
	return chart.Pareto{
		Frame: frame("pareto", "Throughput against speed for a user"),
		X:     chart.Axis{Title: "Output speed of a user", Unit: "tok/s", Note: "more is better"},
		Y:     chart.Axis{Title: "Output throughput per device", Unit: "tok/s", Note: "more is better", Zero: true},
		Series: loadSeries(func(tpot, most, conc float64) (float64, float64) {
			y := throughput(tpot, most, conc)
			return y / conc, y / 8
		}),
		Frontier: "frontier",
	}
}

func intervals() chart.Interval {
	row := func(name string, low, v, high float64, verdict chart.Verdict) chart.IntervalRow {
		text := fmt.Sprintf("%+.1f %% [%+.1f, %+.1f]", 100*(v-1), 100*(low-1), 100*(high-1))
		return chart.IntervalRow{Mark: mark(name, name+"\n"+text), Name: name, Value: v, Range: &chart.Range{Low: low, High: high}, Verdict: verdict, Text: text}
	}
	rows := []chart.IntervalRow{
		row("fa3/tp8 × c1", 1.049, 1.061, 1.072, chart.Better),
		row("fa3/tp8 × c64", 1.021, 1.034, 1.049, chart.Better),
		row("triton/tp8 × c64", .976, 1.007, 1.039, chart.Inconclusive),
		row("triton/tp8 × c128", .992, .998, 1.004, chart.Equivalent),
		row("cutlass_mla/tp8/mem-fraction-static=0.92 × sharegpt × c64", .871, .902, .934, chart.Worse),
		row("flashinfer/tp8 × c128", .6, 1.02, 2.4, chart.Inconclusive),
	}
	rows = append(rows, chart.IntervalRow{Mark: mark("one", ""), Name: "flashinfer/tp8 × c2", Value: 1.012, Text: "+1.2 % (1 start)"},
		chart.IntervalRow{Mark: mark("none", ""), Name: "flashinfer/tp8 × c4", Value: math.NaN(), Text: "no valid start"})
	return chart.Interval{
		Frame:    frame("ab", "Output throughput of radix=on against radix=off"),
		Axis:     chart.Axis{Title: "Change of output throughput, 95 % interval", Format: chart.Change, Log: true},
		Baseline: 1, BaselineName: "radix=off", Same: &chart.Range{Low: .98, High: 1.02}, Rows: rows,
	}
}

func heatmap() chart.Heatmap {
	h := chart.Heatmap{
		Frame:  frame("heat", "Output throughput over backend and concurrency"),
		XTitle: "conc", YTitle: "backend",
		Value:  chart.Axis{Title: "Output throughput", Unit: "tok/s"},
		Failed: "failed", NotRun: "not run",
	}
	for _, v := range variants {
		h.YNames = append(h.YNames, v.name)
	}
	for x, c := range concurrencies {
		h.XNames = append(h.XNames, fmt.Sprintf("%.0f", c))
		for y, v := range variants {
			cell := chart.HeatCell{Mark: mark(fmt.Sprintf("c%d%d", y, x), fmt.Sprintf("%s × c%.0f", v.name, c)), X: x, Y: y, Value: throughput(v.tpot, v.most, c)}
			if y == 1 && x > 5 {
				cell.State = chart.Failed
			}
			if y == 3 && x > 6 {
				cell.State = chart.NotRun
			}
			h.Cells = append(h.Cells, cell)
		}
	}
	return h
}

func ratios() chart.Heatmap {
	h := heatmap()
	h.Frame = frame("ratios", "Change against triton")
	h.Value = chart.Axis{Title: "Output throughput against triton/tp8", Format: chart.Change}
	for i := range h.Cells {
		c := &h.Cells[i]
		c.Value /= throughput(variants[1].tpot, variants[1].most, concurrencies[c.X])
		if c.Y == 0 {
			c.Value = 2 - c.Value
		}
	}
	return h
}

var phases = []string{"start", "ready", "client", "stop"}

// timeline is a run of n launches, one after another; some fail to get ready.
func timeline(n int) chart.Timeline {
	rnd := rand.New(rand.NewPCG(3, 4))
	c := chart.Timeline{Frame: frame("time", "When each launch did what"), X: chart.Axis{Title: "Time since the run began", Format: chart.Duration}, Phases: phases, Failed: "failed"}
	at := 0.0
	for i := range n {
		r := chart.TimelineRow{Mark: mark(fmt.Sprintf("c%03d", i), ""), Name: fmt.Sprintf("%s × c%.0f", variants[i%4].name, concurrencies[i%8])}
		for p, long := range []float64{4, 74, 240, 9} {
			long *= .7 + .6*rnd.Float64()
			s := chart.Span{Phase: p, From: at, To: at + long}
			if p == 1 && i%7 == 4 {
				s.Failed = true
				r.State = chart.Failed
			}
			at += long
			r.Spans = append(r.Spans, s)
			if s.Failed {
				break
			}
		}
		at += 2
		c.Rows = append(c.Rows, r)
	}
	return c
}

// bands is telemetry of devices, once a second, while four launches ran.
func bands(devices int) chart.Bands {
	rnd := rand.New(rand.NewPCG(5, 6))
	t := timeline(4)
	c := chart.Bands{Frame: frame("bands", "Devices over time"), X: t.X, Phases: phases}
	for _, r := range t.Rows {
		c.Spans = append(c.Spans, r.Spans...)
	}
	end := c.Spans[len(c.Spans)-1].To
	power := chart.Panel{Y: chart.Axis{Title: "Power", Unit: "W", Zero: true}}
	memory := chart.Panel{Y: chart.Axis{Title: "Memory in use", Unit: "GiB", Zero: true}}
	for d := range devices {
		var times, watts, used []float64
		for s, i := 0.0, 0; s < end; s++ {
			for i < len(c.Spans)-1 && c.Spans[i].To < s {
				i++
			}
			p := c.Spans[i].Phase
			times = append(times, s)
			watts = append(watts, []float64{90, 180, 590, 110}[p]*(1+.1*rnd.Float64())+float64(5*d))
			used = append(used, []float64{1, 60, 71.3, 20}[p])
		}
		for i := 300; i < 340; i++ {
			watts[i] = math.NaN()
		}
		power.Lines = append(power.Lines, chart.Line{Name: fmt.Sprintf("GPU %d", d), Times: times, Values: watts})
		memory.Lines = append(memory.Lines, chart.Line{Name: fmt.Sprintf("GPU %d", d), Times: times, Values: used})
	}
	c.Panels = []chart.Panel{power, memory}
	return c
}
