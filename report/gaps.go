package report

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/page"
)

// Incomplete says that a report was drawn of what could be read of a run folder, and what could not.
type Incomplete struct {
	Folder journal.Folder
	Lacks  []string // a line each
	Err    error    // why, of the first
}

func (e *Incomplete) Error() string {
	return fmt.Sprintf("the report was drawn, but not all of %s could be read:\n  %s", e.Folder, strings.Join(e.Lacks, "\n  "))
}

func (e *Incomplete) Unwrap() error { return e.Err }

// gaps are what a report lacks of its run folder.
type gaps struct {
	said    []page.Text
	first   error                   // the first thing that could not be read
	broken  bool                    // the journal could not be read to its end
	unfit   map[journal.Type]*unfit // events that could not be read
	unknown map[journal.Type]int    // events of types that this version does not know
	lines   spans                   // of the journal, damaged
	numbers spans                   // of events that are not there
	damage  *journal.DamageError    // the first such line
	seq     int64                   // of the last event
}

// unfit are the events of one type that could not be read.
type unfit struct {
	times int
	err   error // of the first
	last  int64 // the number of the last
}

func (g *gaps) gap(en, zh string, args ...any) {
	g.said = append(g.said, page.Text{EN: visible(fmt.Sprintf(en, args...)), ZH: visible(fmt.Sprintf(zh, args...))})
}

func (g *gaps) newer(plan *matrix.Plan) {
	if plan.Schema > matrix.PlanSchema {
		g.first = matrix.ErrNewerPlan
		g.gap("The plan is of a newer version of servematrix (schema %d, this one reads %d): what that added is not shown", "计划来自更新版本的 servematrix（schema %d，本版本读取 %d）：新增内容未显示", plan.Schema, matrix.PlanSchema)
	}
}

// readable gives the events that can be read; what cannot is a gap, not an end.
func (g *gaps) readable(events iter.Seq2[happening, error]) iter.Seq[happening] {
	return func(yield func(happening) bool) {
		for e, err := range events {
			if damage, is := errors.AsType[*journal.DamageError](err); is {
				g.damaged(damage)
				continue
			}
			if err != nil {
				g.broken, g.first = true, cmp.Or(g.first, err)
				g.gap("The journal cannot be read further: %s. What stands before is shown", "日志 events.jsonl 无法继续读取：%s。仅显示此前的内容", err)
				return
			}
			if !yield(e) {
				return
			}
		}
	}
}

func (g *gaps) damaged(d *journal.DamageError) {
	if g.damage == nil {
		g.damage = d
		g.first = cmp.Or(g.first, error(d))
	}
	g.lines.add(int64(d.Line), int64(d.Line))
}

// count notes events that are missing before this one, as their numbers tell, and its type where nobody knows it.
func (g *gaps) count(e journal.Event) {
	if e.Seq > g.seq+1 {
		g.numbers.add(g.seq+1, e.Seq-1)
	}
	g.seq = max(g.seq, e.Seq)
	if !journal.Known(e.Type) {
		if g.unknown == nil {
			g.unknown = map[journal.Type]int{}
		}
		g.unknown[e.Type]++
	}
}

// spoilt notes that the event that was counted last could not be read, or part of it; a nil error is none.
func (g *gaps) spoilt(t journal.Type, err error) {
	if err == nil {
		return
	}
	g.first = cmp.Or(g.first, err)
	if g.unfit == nil {
		g.unfit = map[journal.Type]*unfit{}
	}
	switch u := g.unfit[t]; {
	case u == nil:
		g.unfit[t] = &unfit{1, err, g.seq}
	case u.last != g.seq: // more than one part of an event can be unfit
		u.times, u.last = u.times+1, g.seq
	}
}

// hides tells whether finished samples may be hidden by what could not be read.
func (g *gaps) hides() bool { return g.damage != nil || g.unfit[journal.SampleEnded] != nil }

// lacks says all that is missing in the report for want of what could not be read.
func (t *tally) lacks() []page.Text {
	g := gaps{said: slices.Clone(t.said)}
	if t.damage != nil {
		g.gap("Damaged lines of events.jsonl were passed over: %s (%s)", "已跳过 events.jsonl 中损坏的行：%s（%s）",
			t.lines, fmt.Sprintf("%s:%d: %v", journal.EventsFile, t.damage.Line, t.damage.Err))
	}
	if len(t.numbers) > 0 {
		g.gap("Events are missing, by their numbers: %s", "按编号缺少的事件：%s", t.numbers)
	}
	for _, kind := range slices.Sorted(maps.Keys(t.unfit)) {
		u := t.unfit[kind]
		g.gap("Events of the type %s cannot be read, perhaps of a newer version of servematrix: %d (%s)", "无法读取 %s 类型的事件，可能来自更新版本的 servematrix：%d 个（%s）", kind, u.times, u.err)
	}
	if lost := t.hidden(); len(lost) > 0 {
		shown := lost[:min(len(lost), untoldMost)]
		g.gap("Finished samples of which no readable event tells, and which stand in no table here: %d (%s)", "没有可读事件记录的已完成样本，不在此处任何表中：%d 个（%s）", len(lost), strings.Join(shown, ", ")+strings.Repeat(" …", min(len(lost)-len(shown), 1)))
	}
	for _, kind := range slices.Sorted(maps.Keys(t.unknown)) {
		g.gap("Events of a type that this version of servematrix does not know are not shown: %s (%d)", "未显示本版本 servematrix 不认识的事件类型：%s（%d 个）", cmp.Or(kind, "?"), t.unknown[kind])
	}
	return g.said
}

// mend says how to mend the journal, where it is damaged.
func (t *tally) mend() []page.Text {
	if t.damage == nil {
		return nil
	}
	return []page.Text{Mend(t.explain.run, t.damage.Line, t.plan.Imported != nil)}
}

// Mend says how to mend a run's journal that is damaged from a line on. The run is named as one types it.
func Mend(run string, line int, imported bool) page.Text {
	g := gaps{}
	if imported {
		g.gap("To mend it, import again; copies of what was imported lie in sources", "修复方法：重新导入；导入内容的副本在 sources 中")
	} else {
		g.gap("To mend it, keep a copy of events.jsonl and cut it off before line %d; servematrix resume %s measures again what stood behind",
			"修复方法：先备份 events.jsonl，再从第 %d 行起截断；servematrix resume %s 会重新测量其后的内容", line, run)
	}
	return g.said[0]
}

// untoldMost is how many samples are named of which no event tells.
const untoldMost = 10

// hidden are finished samples that stand in no table for want of what could not be read.
func (t *tally) hidden() []string {
	if !t.hides() {
		return nil
	}
	return t.untold()
}

// untold gives the folders of finished samples of which no event tells that can be read.
func untold(folder journal.Folder) []string {
	told := map[string]bool{}
	for e, err := range folder.Events() {
		if err != nil || e.Type != journal.SampleEnded {
			continue
		}
		if _, err := journal.Decode[journal.Ended](e); err == nil {
			told[journal.AttemptName(e.Cell, e.Block, e.Attempt)] = true
		}
	}
	files := os.DirFS(string(folder))
	attempts, _ := fs.Glob(files, "cells/*/b*-a*") // fails of a bad pattern only
	return slices.DeleteFunc(attempts, func(attempt string) bool {
		if told[attempt] {
			return true
		}
		_, err := fs.Stat(files, path.Join(attempt, journal.SampleFile))
		return err != nil
	})
}

// nothing is the error of a journal of which nothing at all could be read, nil of any other.
func (t *tally) nothing() error {
	if t.broken && t.began.IsZero() {
		return t.first
	}
	return nil
}

// incomplete is nil when all could be read.
func (t *tally) incomplete() error {
	if t.first == nil {
		return nil
	}
	e := &Incomplete{Folder: t.folder, Err: t.first}
	for _, text := range t.lacks() {
		e.Lacks = append(e.Lacks, text.EN)
	}
	return e
}

// spans are numbers in order, those that follow one another together.
type spans []span

type span struct{ from, to int64 }

func (s *spans) add(from, to int64) {
	if n := len(*s); n > 0 && (*s)[n-1].to+1 == from {
		(*s)[n-1].to = to
		return
	}
	*s = append(*s, span{from, to})
}

// spansMost is how many stretches are named.
const spansMost = 20

func (s spans) String() string {
	var parts []string
	for i, one := range s {
		switch {
		case i == spansMost:
			return strings.Join(parts, ", ") + fmt.Sprintf(" … %d–%d", one.from, s[len(s)-1].to)
		case one.from == one.to:
			parts = append(parts, fmt.Sprint(one.from))
		default:
			parts = append(parts, fmt.Sprintf("%d–%d", one.from, one.to))
		}
	}
	return strings.Join(parts, ", ")
}
