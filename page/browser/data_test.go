package browser

import (
	"fmt"
	"math"
	"time"

	"servematrix/page"
)

// hostile stands in names and log lines: what would end a script or a comment, markup, quotes,
// another direction of writing, what no JSON holds.
const hostile = `</script><!-- ]]> <img src=x onerror="window.pwned=1"> '"&  🚀 中文`

var nan = math.NaN()

// sample is a run of variants × loads with failures, comparisons, phases and telemetry.
func sample(servers, loads int) *page.Data {
	began := time.Date(2026, 11, 20, 22, 11, 2, 0, time.UTC)
	d := &page.Data{
		Lang: "en", Name: "sample " + hostile, Run: "sample-20261120T221102Z", State: page.Ended, Several: true, Gate: "normal", Exit: 3,
		Span: page.Span{Began: began, Last: began.Add(time.Hour), Took: time.Hour, Sessions: 1}, Retried: 1, Why: "oom ×1",
		Metrics: []page.Metric{
			{Name: "output_throughput", Label: page.Text{EN: "output tok/s", ZH: "输出 tok/s"}, Better: 1},
			{Name: "p99_ttft_ms", Label: page.Text{EN: "TTFT p99 ms", ZH: "P99 TTFT ms"}, Better: -1},
			{Name: "mean_tpot_ms", Label: page.Text{EN: "TPOT mean ms", ZH: "平均 TPOT ms"}, Better: -1},
		},
		Axes:     []page.Axis{{Name: "backend", Server: true}, {Name: "load"}},
		Warnings: []page.Text{{EN: "a warning " + hostile, ZH: "警告 " + hostile}},
		Servers:  page.Differences{Rows: []page.Difference{{What: "args.attention", Values: []page.Holder{{Value: hostile, Servers: "backend0"}, {Value: "–", Servers: "backend1"}}}}},
	}
	for l := range loads {
		d.Axes[1].Values = append(d.Axes[1].Values, fmt.Sprintf("c%d", l))
	}
	for s := range servers {
		d.Axes[0].Values = append(d.Axes[0].Values, fmt.Sprintf("backend%d", s))
		for l := range loads {
			d.Cells = append(d.Cells, cell(s, l))
			i := len(d.Cells) - 1
			at := float64(i * 100)
			name := fmt.Sprintf("%04d-backend%d", i, s)
			failed := d.Cells[i].Status == "failed"
			d.Phases = append(d.Phases, page.Phase{Launch: name, Cell: i, Name: "start", From: at, To: at + 5}, page.Phase{Launch: name, Cell: i, Name: "ready", From: at + 5, To: at + 30, Failed: failed},
				page.Phase{Launch: name, Cell: i, Name: "client", From: at + 30, To: at + 90}, page.Phase{Launch: name, Cell: i, Name: "stop", From: at + 90, To: at + 95})
			switch d.Cells[i].Status {
			case "ok":
				d.Counts.OK++
			case "failed":
				d.Counts.Failed++
				d.Troubles = append(d.Troubles, page.Trouble{Class: "oom", Phase: "ready", Title: page.Text{EN: "out of memory", ZH: "显存不足"}, Message: page.Text{EN: "CUDA out of memory " + hostile, ZH: "CUDA out of memory " + hostile},
					Place: "launches/x/server.err:812", Lines: []string{"line one", hostile}, Hint: page.Text{EN: "less memory", ZH: "减少显存"}, Command: "python3 -m sglang --x '" + hostile + "'",
					Rows: []page.Hit{{Cell: i, Name: d.Cells[i].Server + " × " + d.Cells[i].Client, Block: 1, Status: "failed", Log: "launches/x"}}})
			case "missing":
				d.Counts.Missing++
			}
		}
	}
	d.Comparisons = []page.Comparison{against(d, servers, loads, 0), against(d, servers, loads, 1)}
	x, y := []float64{}, []float64{}
	for i := range 200 {
		x, y = append(x, float64(i)), append(y, 300+50*math.Sin(float64(i)/9))
	}
	d.Telemetry = []page.Panel{{Title: page.Text{EN: "Power", ZH: "功率"}, Unit: "W", Series: []page.Series{{Name: "GPU 0", X: x, Y: y}}}}
	return d
}

// cell is the l-th load on the s-th server; the last one failed, the one before has not run.
func cell(s, l int) page.Cell {
	tok := 500*math.Log2(float64(l)+2) + 40*float64(s)
	e := func(v float64) page.Estimate { return page.Estimate{Mean: v, Low: v * 0.98, High: v * 1.02, N: 3} }
	c := page.Cell{ID: fmt.Sprintf("backend%d-c%d-%06x", s, l, s*1000+l), Server: fmt.Sprintf("backend%d", s), Client: fmt.Sprintf("c%d", l), Values: []int{s, l},
		Status: "ok", Starts: 3, Blocks: 3, Numbers: []page.Estimate{e(tok), e(90 + 10*float64(l)), e(5 + float64(l)/4)}, PerUser: e(1000 / (5 + float64(l)/4)), Load: page.Load{Concurrency: math.Pow(2, float64(l%12)), Rate: math.Inf(1)}}
	none := page.Estimate{Mean: nan, Low: nan, High: nan}
	switch {
	case s == 1 && l == 0:
		c.Status, c.Starts, c.Numbers, c.PerUser, c.Note = "failed", 0, []page.Estimate{none, none, none}, none, page.Text{EN: "oom " + hostile, ZH: "oom " + hostile}
	case s == 1 && l == 1:
		c.Status, c.Starts, c.Numbers, c.PerUser = "missing", 0, []page.Estimate{none, none, none}, none
	case s == 0 && l == 0:
		c.Server = hostile
	}
	return c
}

func against(d *page.Data, servers, loads, base int) page.Comparison {
	c := page.Comparison{Baseline: fmt.Sprintf("backend=backend%d", base), PairedOn: "load", Metrics: []int{0, 1}, MinEffect: 0.02}
	for s := range servers {
		if s == base {
			continue
		}
		arm := page.Arm{Name: fmt.Sprintf("backend=backend%d", s), Why: []page.Text{{EN: "it differs " + hostile, ZH: "不同 " + hostile}}, Differences: [][3]page.Text{{{EN: "flag --x", ZH: "参数 --x"}, {EN: hostile, ZH: hostile}, {EN: "absent", ZH: "无"}}}}
		for l := range loads {
			a, b := base*loads+l, s*loads+l
			p := page.Pair{Cell: fmt.Sprintf("c%d", l), Arm: arm.Name, Cells: [2]int{a, b}, Starts: "3", Verdict: "inconclusive", Why: page.Text{EN: "about 9 starts per arm", ZH: "每组约需 9 次启动"}}
			for m := range 2 {
				x, y := d.Cells[a].Numbers[m], d.Cells[b].Numbers[m]
				r := y.Mean / x.Mean
				p.Compared = append(p.Compared, page.Compared{Baseline: x, Arm: y, Ratio: r, Low: r * 0.97, High: r * 1.03, Verdict: "inconclusive"})
			}
			arm.Verdicts.Add(p.Verdict)
			c.Pairs = append(c.Pairs, p)
		}
		c.Arms = append(c.Arms, arm)
	}
	return c
}
