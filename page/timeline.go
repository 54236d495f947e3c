package page

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"servematrix/chart"
)

// phaseNames are the phases of a launch in their order.
var phaseNames = []string{"start", "ready", "client", "stop"}

// tipsMost is how many rows of a timeline carry a text of their own; of more the script says what
// it knows of the cell.
const tipsMost = 400

// timeline draws every launch with its phases.
func (v *view) timeline() *figure {
	rows := launches(v.Data.Phases)
	if len(rows) == 0 {
		return nil
	}
	c := chart.Timeline{Frame: v.frame("timeline", "timeline", Text{"A row for each server start; a hatched stretch ended in a failure.", "每次服务器启动一行；斜线表示以失败结束。"}),
		X: chart.Axis{Title: v.term(Text{"since the run began", "自运行开始"}), Format: chart.Duration}, Failed: v.word("failed")}
	c.Width = fullWidth
	for _, p := range phaseNames {
		c.Phases = append(c.Phases, v.word(p))
	}
	t := &figureTable{Heads: []template.HTML{both(words["launch"])}}
	for _, p := range phaseNames {
		t.Heads = append(t.Heads, both(words[p]))
	}
	for _, r := range rows {
		row := chart.TimelineRow{Name: r.name}
		lone := r.cell >= 0
		if lone {
			row.Mark = mark(r.cell)
		}
		for _, p := range r.phases {
			span := chart.Span{Phase: max(0, slices.Index(phaseNames, p.Name)), From: round(p.From), To: round(p.To), Failed: p.Failed}
			if !lone && p.Cell >= 0 {
				span.Mark = mark(p.Cell)
			}
			row.Spans = append(row.Spans, span)
		}
		if lone && len(rows) <= tipsMost {
			lines := []string{r.name}
			for i, text := range r.times() {
				if text != "" {
					lines = append(lines, phaseNames[i]+" "+text)
				}
			}
			row.Tip = strings.Join(lines, "\n")
		}
		c.Rows = append(c.Rows, row)
		t.add(r.cell, func() []any {
			fields := []any{r.name}
			for _, text := range r.times() {
				fields = append(fields, cmp.Or(text, "–"))
			}
			return fields
		})
	}
	return &figure{ID: "timeline", Word: "timeline", Full: true, Views: []figureView{{Charts: lone(c.SVG()), Table: t}}}
}

// launchRow are the phases of one launch; cell is its only one, -1 where it has several or none.
type launchRow struct {
	name   string
	cell   int
	phases []Phase
}

func launches(phases []Phase) (rows []*launchRow) {
	known := map[string]*launchRow{}
	for _, p := range phases {
		r := known[p.Launch]
		if r == nil {
			r = &launchRow{name: p.Launch, cell: p.Cell}
			known[p.Launch] = r
			rows = append(rows, r)
		}
		if p.Cell != r.cell {
			r.cell = -1
		}
		r.phases = append(r.phases, p)
	}
	return rows
}

// times says of each phase how long it was in all; "" where the launch had none.
func (r *launchRow) times() []string {
	texts := make([]string, len(phaseNames))
	sums := make([]float64, len(phaseNames))
	for _, p := range r.phases {
		at := max(0, slices.Index(phaseNames, p.Name))
		sums[at] += p.To - p.From
		texts[at] = seconds(sums[at])
	}
	return texts
}

func seconds(s float64) string {
	if s < 10 {
		return strconv.FormatFloat(s, 'f', 2, 64) + " s"
	}
	return duration(time.Duration(s * float64(time.Second)))
}
