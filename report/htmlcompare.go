package report

import (
	"errors"
	"math"
	"slices"
	"strings"

	"servematrix/compare"
	"servematrix/page"
	"servematrix/stats"
)

// Bounds of the comparisons in a page.
const (
	baselinesMost = 8    // that can be chosen
	pairsMost     = 2000 // of all comparisons, besides the first
)

// compared fills in the comparisons: against the first value of the first axis that has several,
// then against the others.
func (p *paging) compared(d *page.Data, at map[string]int) {
	if d.Counts.OK == 0 {
		d.NoCompare = page.Text{EN: "nothing valid was measured", ZH: "没有有效的测量结果"}
		return
	}
	if p.hides() {
		d.NoCompare = page.Text{EN: "not all of the journal can be read: samples may be hidden", ZH: "日志无法全部读取，可能有样本缺失"}
		return
	}
	src := p.measured.all().Source(d.Run)
	total := 0
	for i, axis := range d.Axes {
		if _, named := p.byName(); named && !axis.Server || len(axis.Values) < 2 { // results of other workloads are no A/B
			continue
		}
		for _, term := range p.baselines(i) {
			if len(d.Comparisons) == baselinesMost || len(d.Comparisons) > 0 && total > pairsMost {
				return
			}
			r, err := compare.Compare([]compare.Source{*src}, compare.Options{Baseline: []string{term}, Halt: p.halt})
			var refused *compare.UsageError
			switch {
			case errors.As(err, &refused): // nothing was measured with this value
				continue
			case err != nil:
				p.gap("There is no comparison with %s: %s", "无法与 %s 比较：%s", term, err)
				return
			}
			if len(r.Pairs) > 0 {
				total += len(r.Pairs)
				d.Comparisons = append(d.Comparisons, comparisonPage(d, r, i, at))
			}
		}
	}
	if len(d.Comparisons) == 0 {
		d.NoCompare = page.Text{EN: "no axis has two values that were measured", ZH: "没有一个坐标轴有两个已测的值"}
	}
}

// baselines gives an axis' values as compare takes them.
func (p *paging) baselines(axis int) (terms []string) {
	var names []string
	values := map[string][]string{}
	add := func(name, value string) {
		if values[name] == nil {
			names = append(names, name)
		}
		if !slices.Contains(values[name], value) && len(values[name]) < baselinesMost {
			values[name] = append(values[name], value)
		}
	}
	for _, s := range p.plan.Servers {
		for _, a := range p.serverAxes(s) {
			add("server."+a.Name, a.Value)
		}
	}
	for _, c := range p.plan.Clients {
		for _, a := range p.clientAxes(c) {
			add("client."+a.Name, a.Value)
		}
	}
	name := names[axis]
	_, bare, _ := strings.Cut(name, ".")
	if values["server."+bare] == nil || values["client."+bare] == nil { // as people write it
		name = bare
	}
	for _, value := range values[names[axis]] {
		terms = append(terms, name+"="+value)
	}
	return terms
}

func comparisonPage(d *page.Data, r *compare.Result, axis int, at map[string]int) page.Comparison {
	c := comparison{r, nil}
	out := page.Comparison{Baseline: visible(r.Arms[0]), Axis: axis, PairedOn: visible(r.PairedOn), MinEffect: r.MinEffect, Left: max(0, len(r.Pairs)-page.PairsMost)}
	for _, name := range CompareColumns(r, nil) {
		if i := slices.IndexFunc(d.Metrics, func(m page.Metric) bool { return m.Name == name }); i >= 0 {
			out.Metrics, c.shown = append(out.Metrics, i), append(c.shown, name)
		}
	}
	arms := map[string]int{}
	for _, clean := range r.Clean {
		arm := page.Arm{Name: visible(clean.Arm), Clean: clean.Yes}
		for _, why := range clean.Why {
			arm.Why = append(arm.Why, page.Text{EN: visible(why), ZH: said(comparisons(), visible(why))})
		}
		for _, row := range c.differences(clean.Arm) {
			arm.Differences = append(arm.Differences, [3]page.Text{inChinese(visible(row[0])), absent(visible(row[1])), absent(visible(row[2]))})
		}
		arms[clean.Arm] = len(out.Arms)
		out.Arms = append(out.Arms, arm)
	}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		word, why, _ := c.ruling(p)
		if n, ok := arms[p.Arm]; ok {
			out.Arms[n].Verdicts.Add(string(word))
		}
		if i >= page.PairsMost {
			continue
		}
		if lost := c.lostOf(p); lost != "" {
			if why != "" {
				why += "; "
			}
			why += lost
		}
		pair := page.Pair{Cell: visible(p.Cell), Arm: visible(p.Arm), Cells: [2]int{placeOf(at, p.BaselineCell), placeOf(at, p.ArmCell)},
			Starts: starts(p, r.Primary), Verdict: string(word), Why: inChinese(visible(why))}
		for _, name := range c.shown {
			pair.Compared = append(pair.Compared, comparedPage(p, name))
		}
		out.Pairs = append(out.Pairs, pair)
	}
	for _, note := range r.Notes {
		out.Notes = append(out.Notes, inChinese(visible(note)))
	}
	return out
}

// absent puts into Chinese that there is no value; a value stays what it is.
func absent(value string) page.Text {
	if value == compare.Absent {
		return inChinese(value)
	}
	return page.Text{EN: value, ZH: value}
}

func comparedPage(p *compare.Pair, name string) page.Compared {
	m, ok := p.Of(name)
	if !ok {
		nan := math.NaN()
		none := estimateOf(stats.Mean(nil, confidence))
		return page.Compared{Baseline: none, Arm: none, Ratio: nan, Low: nan, High: nan}
	}
	return page.Compared{Baseline: estimateOf(m.Baseline), Arm: estimateOf(m.Arm), Ratio: m.Ratio.Ratio, Low: m.Ratio.Low, High: m.Ratio.High, Verdict: string(m.Verdict)}
}

func placeOf(at map[string]int, cell string) int {
	if i, ok := at[cell]; ok {
		return i
	}
	return -1
}
