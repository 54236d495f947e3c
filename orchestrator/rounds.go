package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"servematrix/journal"
	"servematrix/result"
	"servematrix/stats"
)

const (
	// LeastLook is the least number of blocks, and of valid samples of a cell, that a precision
	// is told from: the interval over two starts is short by luck alone too often (docs/adr/0018).
	LeastLook = 3
	// confidence of the intervals that a precision is the half width of.
	confidence = 0.95
	// gaveUp is in how many of the last blocks a cell must have given no valid value to be left out.
	gaveUp = 2
)

// rounds measures one block after the other, and decides behind each whether another one
// follows: until the precision is reached, or the budget or the number of blocks is.
func (r *runner) rounds(ctx context.Context) error {
	for b := 1; b <= r.state.Session.Blocks; b++ {
		units := inBlock(r.Units, b)
		whole := len(units) == len(inBlock(r.All, b)) && !r.begun(units)
		began := time.Now()
		if err := r.work(ctx, units); err != nil || r.enough {
			return err
		}
		took := 0.0
		if whole {
			took = time.Since(began).Seconds()
		}
		last := b == r.state.Session.Blocks
		if last {
			if err := r.workLost(ctx); err != nil || r.enough {
				return err
			}
		}
		if r.begun(slices.DeleteFunc(slices.Clone(r.All), func(u Unit) bool { return u.Block <= b })) {
			continue // what was begun is finished, whatever the budget says
		}
		if err := r.emit(journal.Event{Type: journal.BlockEnded, Block: b}, r.look(b, took), true); err != nil {
			return err
		}
		if last && r.state.Session.Blocks > b {
			next := inBlock(r.All, 1)
			for i := range next {
				next[i].Block = b + 1
			}
			r.Units, r.All = slices.Concat(r.Units, next), slices.Concat(r.All, next)
		}
	}
	return nil
}

func inBlock(units []Unit, block int) (out []Unit) {
	for _, u := range units {
		if u.Block == block {
			out = append(out, u)
		}
	}
	return out
}

// begun tells whether anything was tried at one of the units.
func (r *runner) begun(units []Unit) bool {
	return slices.ContainsFunc(units, func(u Unit) bool { return r.state.Of(u).Status != StatusMissing })
}

// look decides behind block b, which took so many seconds (0: it is not known), how many blocks
// the run shall have.
func (r *runner) look(b int, took float64) journal.Look {
	until, asked := r.Session.Until, r.state.Session.Blocks
	d := journal.Look{Blocks: asked, Metric: r.primary(), Seconds: took, Decision: journal.GoOn}
	text := fmt.Sprintf("after %s: ", blocks(b))
	switch {
	case b < asked:
		text += fmt.Sprintf("precision is looked at after %d", asked)
	default:
		text += r.weigh(&d, b)
		d.Blocks = b + 1
	}
	block := r.blockSeconds(took)
	spent := until.Spent + time.Since(r.began).Seconds()
	switch {
	case b == asked && d.LeftOut == d.Cells:
		d.Decision = journal.NothingLeft
		text += "; no cell is left that more blocks would tell of"
	case b == asked && d.Tight+d.LeftOut == d.Cells:
		d.Decision = journal.Reached
		text += "; no further block is needed"
	case b >= until.Most:
		d.Decision = journal.MostBlocks
		text += fmt.Sprintf("; %s are the most that were asked for", blocks(until.Most))
	case until.Budget > 0 && spent+block > until.Budget:
		d.Decision = journal.BudgetSpent
		text += fmt.Sprintf("; %s of the budget of %s are left, and a block takes about %s: none is begun", clock(max(until.Budget-spent, 0)), clock(until.Budget), clock(block))
	default:
		text += fmt.Sprintf("; block %d follows", b+1)
	}
	if d.Decision != journal.GoOn {
		d.Blocks = b
	}
	d.Message = text
	return d
}

// weigh fills in how precisely each cell is known after b blocks, and says it.
func (r *runner) weigh(d *journal.Look, b int) string {
	few := 0
	for _, u := range inBlock(r.All, 1) {
		d.Cells++
		values, latest := r.values(u.Cell, b)
		width, ok := halfWidth(values)
		switch {
		case latest <= b-gaveUp, len(values) > 1 && !ok:
			d.LeftOut++
			continue
		case len(values) < LeastLook:
			few++
		case width <= r.Session.Until.Precision:
			d.Tight++
		}
		if ok && (d.WidestCell == "" || width > d.Widest) {
			d.Widest, d.WidestCell = width, u.Cell
		}
	}
	text := fmt.Sprintf("%s of %d of %s known to ±%s", d.Metric, d.Tight, counted(d.Cells, "cell"), percent(r.Session.Until.Precision))
	if d.WidestCell != "" {
		text += fmt.Sprintf(", the widest ±%s (%s)", percent(d.Widest), r.cellName(d.WidestCell))
	}
	if few > 0 {
		text += fmt.Sprintf("; %s with fewer than %d valid samples", counted(few, "cell"), LeastLook)
	}
	if d.LeftOut > 0 {
		text += fmt.Sprintf("; %s without a valid one in the last %d blocks, left out", counted(d.LeftOut, "cell"), gaveUp)
	}
	return text
}

// values gives a cell's values of the primary metric, one a block: that of its last valid
// attempt, as in reports. latest is the last block that has one.
func (r *runner) values(cell string, blocks int) (values []float64, latest int) {
	for b := 1; b <= blocks; b++ {
		if v, ok := r.value(Unit{cell, b}); ok {
			values, latest = append(values, v), b
		}
	}
	return values, latest
}

// value reads that of a unit's last valid attempt.
func (r *runner) value(u Unit) (float64, bool) {
	for attempt := r.state.Of(u).Attempts; attempt > 0; attempt-- {
		data, err := os.ReadFile(r.Folder.Path(journal.AttemptName(u.Cell, u.Block, attempt), journal.SampleFile))
		var s result.Sample
		if err != nil || json.Unmarshal(data, &s) != nil || s.Status != result.StatusOK {
			continue // cut short, failed, or lost while the run goes on: resume measures it again
		}
		if v, ok := s.Metrics.Get(r.primary()); ok {
			return v, true
		}
	}
	return 0, false
}

// halfWidth is that of the t interval of the values' mean, as a share of the mean. False: there is none.
func halfWidth(values []float64) (float64, bool) {
	e := stats.Mean(values, confidence)
	half := (e.High - e.Low) / 2
	if half == 0 {
		return 0, true
	}
	width := half / math.Abs(e.Mean)
	return width, !math.IsNaN(width) && !math.IsInf(width, 0)
}

// blockSeconds estimates how long the next block takes: as long as the longest of the last three, 0 where none is known.
func (r *runner) blockSeconds(took float64) float64 {
	known := slices.Clone(r.state.BlockSeconds)
	if took > 0 {
		known = append(known, took)
	}
	longest := 0.0
	for _, s := range known[max(0, len(known)-3):] {
		longest = max(longest, s)
	}
	return longest
}

func (r *runner) primary() string { return r.Plan.Compare.Primary }

func (r *runner) cellName(id string) string {
	name := id
	for _, s := range r.Plan.Servers {
		if c := r.cells[id]; s.ID == c.Server {
			name = s.Name + " × " + r.clients[c.Client].Name
		}
	}
	return name
}

func blocks(n int) string { return counted(n, "block") }

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// percent writes a share with two digits: 3.4%, 12%.
func percent(share float64) string {
	if share >= 0.1 {
		return fmt.Sprintf("%.0f%%", 100*share)
	}
	return fmt.Sprintf("%.2g%%", 100*share)
}

// clock writes seconds as a sweep would: 6h, 40m30s, 1.5s.
func clock(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Minute {
		return d.Round(100 * time.Millisecond).String()
	}
	text := d.Round(time.Second).String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}
