package report

import (
	"math"
	"slices"

	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/page"
	"servematrix/result"
	"servematrix/stats"
)

// cells fills in metrics, axes and cells, and gives the place of each cell by its id.
func (p *paging) cells(d *page.Data, measured []*repeat) map[string]int {
	table := p.repeatTable(measured, english)
	shown := table.metrics
	for _, name := range shown {
		info, _ := metric.Lookup(name)
		d.Metrics = append(d.Metrics, page.Metric{Name: name, Label: page.Text{EN: english.head(name), ZH: chinese.head(name)},
			Title: info.Label, Unit: info.Unit, Better: better(info.Better)})
	}
	d.Primary = max(0, slices.Index(shown, table.primary))
	axes := p.axes(d)
	devices, flags := p.devices(), p.clientFlags()
	at := map[string]int{}
	for _, r := range measured {
		if r.former {
			continue
		}
		id := r.rows[0].Cell
		c := page.Cell{ID: visible(id), Server: visible(r.server), Client: visible(r.client), Values: axes.of(id),
			Status: gravest(r.rows), Starts: len(r.starts), Blocks: r.asked, Load: page.Load{Concurrency: r.mean(loads[0]), Rate: r.mean(loads[1])}, Flags: flags[id], Devices: devices[r.server]}
		for _, name := range shown {
			values, _ := r.of(name)
			c.Numbers = append(c.Numbers, estimateOf(stats.Mean(values, confidence)))
		}
		c.PerUser = r.perUser()
		at[id] = len(d.Cells)
		d.Cells = append(d.Cells, c)
	}
	if p.plan.Imported != nil {
		unloaded(d.Cells)
	}
	return at
}

// notes fills in what there is to say of each cell.
func (p *paging) notes(d *page.Data, measured []*repeat, at map[string]int) {
	en, zh := p.repeatTable(measured, english), p.repeatTable(measured, chinese)
	for _, r := range measured {
		if r.former {
			continue
		}
		text := page.Text{EN: note(r.rows[0], english), ZH: note(r.rows[0], chinese)}
		if d.Several {
			text = page.Text{EN: visible(en.note(r)), ZH: visible(zh.note(r))}
		}
		d.Cells[at[r.rows[0].Cell]].Note = sourceNote(text, r.rows)
	}
}

func estimateOf(e stats.Estimate) page.Estimate {
	return page.Estimate{Mean: e.Mean, Low: e.Low, High: e.High, N: e.N}
}

// mean is that of a metric over the starts, NaN where none has it.
func (r *repeat) mean(name string) float64 {
	values, _ := r.of(name)
	if len(values) == 0 {
		return math.NaN()
	}
	return stats.Mean(values, confidence).Mean
}

// perUser estimates the output tok/s of a user start by start: the inverse of an interval of the TPOT
// would be none of its inverse.
func (r *repeat) perUser() page.Estimate {
	tpots, _ := r.of("mean_tpot_ms")
	for i, ms := range tpots {
		tpots[i] = 1000 / ms
	}
	return estimateOf(stats.Mean(tpots, confidence))
}

func better(d metric.Direction) int {
	switch d {
	case metric.Higher:
		return 1
	case metric.Lower:
		return -1
	}
	return 0
}

// grave are the statuses by which a cell of several blocks is called, the gravest first: one that
// is ok in some blocks and not run in others is ok so far.
var grave = []string{result.StatusFailed, result.StatusInvalid, result.StatusSkipped, StatusInterrupted, result.StatusOK, StatusMissing}

func gravest(rows []Row) string {
	for _, status := range grave {
		if slices.ContainsFunc(rows, func(r Row) bool { return r.Status == status }) {
			return status
		}
	}
	return rows[0].Status
}

// axisPlaces numbers the values of the plan's axes, cell by cell.
type axisPlaces struct {
	cells map[string][]int
	count int
}

// of gives the places of a cell's values; where the plan does not know the cell it has none.
func (a axisPlaces) of(cell string) []int {
	if places, ok := a.cells[cell]; ok {
		return places
	}
	return slices.Repeat([]int{-1}, a.count)
}

// axes fills in the axes of the plan, those of the servers first.
func (p *paging) axes(d *page.Data) axisPlaces {
	places := map[[2]string]int{} // side and name → axis
	values := []map[string]int{}
	add := func(server bool, side string, axes matrix.Axes) {
		for _, a := range axes {
			key := [2]string{side, a.Name}
			i, known := places[key]
			if !known {
				i = len(d.Axes)
				places[key] = i
				d.Axes = append(d.Axes, page.Axis{Name: visible(a.Name), Server: server})
				values = append(values, map[string]int{})
			}
			if _, known := values[i][a.Value]; !known {
				values[i][a.Value] = len(d.Axes[i].Values)
				d.Axes[i].Values = append(d.Axes[i].Values, visible(a.Value))
			}
		}
	}
	for _, s := range p.plan.Servers {
		add(true, "server", p.serverAxes(s))
	}
	for _, c := range p.plan.Clients {
		add(false, "client", p.clientAxes(c))
	}
	out := axisPlaces{cells: map[string][]int{}, count: len(d.Axes)}
	for _, c := range p.plan.Cells {
		at := slices.Repeat([]int{-1}, len(d.Axes))
		place := func(side string, axes matrix.Axes) {
			for _, a := range axes {
				i := places[[2]string{side, a.Name}]
				at[i] = values[i][a.Value]
			}
		}
		if s := p.servers[c.Server]; s != nil {
			place("server", p.serverAxes(s))
		}
		if s := p.clients[c.Client]; s != nil {
			place("client", p.clientAxes(s))
		}
		out.cells[c.ID] = at
	}
	return out
}
