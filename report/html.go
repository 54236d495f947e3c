package report

import (
	"cmp"
	"io"
	"iter"
	"path/filepath"

	"servematrix/compare"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/page"
	"servematrix/result"
)

// HTML draws the report as one page that needs nothing else; lang is the language in which it
// opens, "" for the sweep's. A run folder that is damaged or half written is drawn as far as it
// can be read, and the page says what is missing.
func HTML(w io.Writer, folder journal.Folder, lang string) error {
	p := newPaging(folder).comparing()
	p.fold(p.ahead(p.prepare))
	if err := page.HTML(w, p.data(lang), page.Options{}); err != nil {
		return err
	}
	return p.incomplete()
}

// Page gives what a page says of the run as its folder is now.
func Page(folder journal.Folder, lang string) *page.Data {
	p := newPaging(folder).comparing()
	p.fold(p.ahead(p.prepare))
	return p.data(lang)
}

// loads are the metrics that say what a client asked for.
var loads = []string{"max_concurrency", "request_rate"}

// paging folds a run's events into what a page says of it: the tally, as every report has it, the
// measurements that are compared, and when each phase was.
type paging struct {
	*tally
	measured *gatherer // nil: nothing is compared
	phases   phases
	stints   stints
	planless bool         // there is no plan that can be read
	halt     func() error // asked between parts; nil: nothing ends the drawing
}

func newPaging(folder journal.Folder) *paging {
	over := !folder.Live()
	plan, err := loadPlan(folder)
	if err != nil {
		plan = &matrix.Plan{Name: filepath.Base(string(folder))}
	}
	p := &paging{tally: newTally(folder, plan)}
	p.over = over
	if p.planless = err != nil; p.planless {
		p.first = err
		p.gap("The plan cannot be read, so cells are called by their ids: %s", "无法读取计划，单元以其编号显示：%s", whyNot(err))
	}
	p.wanted = append(p.wanted, loads...)
	return p
}

// comparing lets the page compare what was measured.
func (p *paging) comparing() *paging {
	p.wanted = append(p.wanted, compare.Usual()...)
	p.measured = p.gatherer()
	p.samples = p.plan.Imported != nil // a comparison asks them what they know of their commands
	return p
}

// fold takes in all events that can be read.
func (p *paging) fold(events iter.Seq2[happening, error]) {
	for e := range p.readable(events) {
		p.spoilt(e.Type, p.take(e))
	}
}

func (p *paging) take(e happening) error {
	s, err := p.apply(e)
	if err == nil {
		err = p.phases.hear(e, p.took.Seconds(), s)
		p.stints.hear(e, p.telemetryFile, p.took.Seconds())
	}
	if err != nil || p.measured == nil {
		return err
	}
	if err = p.measured.hear(e); err == nil && s != nil && p.measured.wants(e) {
		p.measured.take(e, s)
	}
	return err
}

// halted tells whether the drawing is to end.
func (p *paging) halted() bool { return p.halt != nil && p.halt() != nil }

// charted gives of the page's data what its charts are drawn from, and nothing else.
func (p *paging) charted(rows []Row) *page.Data {
	d := p.head("", rows)
	at := p.cells(d, repeats(rows))
	d.Phases = p.phases.of(at, p.took.Seconds(), p.verdict == nil)
	p.telemetry(d)
	return d
}

// data gives the page's data, of a drawing that is to end only a part of them.
func (p *paging) data(lang string) *page.Data {
	rows := p.table()
	d := p.head(lang, rows)
	measured := repeats(rows)
	at := p.cells(d, measured)
	p.notes(d, measured, at)
	for _, part := range []func(){
		func() {
			d.Troubles, d.Doubts = p.troublesOf(troubles(rows), at), p.troublesOf(doubts(rows), at)
		},
		func() { p.compared(d, at) },
		func() { d.Phases = p.phases.of(at, p.took.Seconds(), p.verdict == nil) },
		func() { p.telemetry(d) },
		func() { p.differences(d) },
		func() { d.Replaced, d.ReplacedMore = p.replaced() },
		func() { p.missing(d, rows) },
	} {
		if p.halted() {
			break
		}
		part()
	}
	d.Gaps = append(p.lacks(), p.mend()...)
	return d
}

// head is what the page says of the run as a whole.
func (p *paging) head(lang string, rows []Row) *page.Data {
	n, former := count(rows)
	d := &page.Data{
		Lang: cmp.Or(lang, p.plan.Lang), Name: visible(p.plan.Name), Run: visible(filepath.Base(string(p.folder))), State: p.state(),
		Span:    page.Span{Began: p.began, Last: p.last, Took: p.took, Sessions: p.sessions},
		Counts:  page.Counts{OK: n[result.StatusOK], Invalid: n[result.StatusInvalid], Failed: n[result.StatusFailed], Skipped: n[result.StatusSkipped], Interrupted: n[StatusInterrupted], Missing: n[StatusMissing], Former: former},
		Several: severalBlocks(rows), Gate: p.plan.Validity, Simulated: simulated(rows),
	}
	d.Retried, d.Why = p.repeats()
	if p.verdict != nil {
		d.Exit = p.verdict.ExitCode
	}
	if p.plan.Smoke != nil {
		d.Smoke = p.plan.Smoke.Requests
	}
	for _, w := range p.warnings {
		d.Warnings = append(d.Warnings, w.inBoth())
	}
	d.Imported = p.importedPage()
	return d
}

func (p *paging) state() page.State {
	switch {
	case p.began.IsZero():
		return page.Empty
	case p.crashed():
		return page.Crashed
	case p.verdict == nil:
		return page.Running
	case p.damage != nil:
		return page.Holed
	case p.verdict.Missing > 0:
		return page.Halted
	}
	return page.Ended
}

// missing says which parts of a page there is nothing for, and why.
func (p *paging) missing(d *page.Data, rows []Row) {
	if d.State == page.Crashed {
		p.said = append(p.said, page.Text{EN: visible(p.crash(english) + " " + p.left(rows, english)), ZH: visible(p.crash(chinese) + p.left(rows, chinese))})
	}
	switch measured := d.Counts.OK + d.Counts.Invalid; {
	case d.State == page.Empty && !p.broken:
		p.gap("The run has not begun: there is nothing but its plan", "运行尚未开始：只有计划")
	case measured == 0 && d.State == page.Running:
		p.gap("No cell is finished yet, so there are no numbers and no charts", "还没有完成的单元，因此没有数字和图表")
	case measured == 0 && d.State != page.Empty:
		p.gap("Nothing was measured, so there are no numbers and no charts", "没有任何测量结果，因此没有数字和图表")
	}
}
