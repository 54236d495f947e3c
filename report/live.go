package report

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"servematrix/journal"
	"servematrix/matrix"
)

// Names of the reports in a run folder.
const (
	reportFile   = "report.txt"
	markdownFile = "report.md"
	csvFile      = "results.csv"
	jsonlFile    = "results.jsonl"
)

// reportMode is that of every file of a run folder: reports hold commands and logs.
const reportMode = 0o600

// Live keeps the reports of a run up to date while it goes on: report.txt section by section,
// results.csv and results.jsonl sample by sample, report.md and report.html every now and then and
// at the end. While the run goes on nothing is synced but these two, because all of it can be drawn again
// from the journal; Close syncs the rest.
//
// A Live is used by one goroutine. After the first failure it writes nothing more.
type Live struct {
	draw   *drawer
	text   *growing
	csv    *growing
	rows   *csv.Writer
	head   csvColumns
	jsonl  *growing
	endsAt int64 // where the end of report.txt begins, -1 when it is not written
	page   beside
	past   iter.Seq2[journal.Event, error] // what is to be drawn before anything else
	behind bool                            // it is not drawn yet
	err    error

	drawn time.Time     // when report.md was last written
	cost  time.Duration // how long that took
}

// growing is a file that is written front to back.
type growing struct {
	file *os.File
	buf  *bufio.Writer
	at   int64 // bytes written, those in buf included
}

// Open makes the reports of everything that happened so far, past (nil: nothing), ready to go on. They are drawn
// with the first event that Handle gets or with Close: a run of thousands of samples takes its
// time, and nobody shall wait for it. The end of an earlier session, with its table, is left out: the
// run goes on. A file that is already there is written over in place, so that who follows it keeps following it.
func Open(folder journal.Folder, plan *matrix.Plan, past iter.Seq2[journal.Event, error]) (*Live, error) {
	l := &Live{endsAt: -1, past: past, behind: true, page: beside{folder: folder}}
	var err error
	for _, f := range []struct {
		name string
		to   **growing
	}{{reportFile, &l.text}, {csvFile, &l.csv}, {jsonlFile, &l.jsonl}} {
		if *f.to, err = grow(folder.Path(f.name)); err != nil {
			l.closeFiles()
			return nil, fmt.Errorf("open the report: %w", err)
		}
	}
	l.draw = newDrawer(l.text, newTally(folder, plan), "")
	l.draw.samples, l.draw.outputs = true, true // for results.csv and results.jsonl, and for report.txt
	l.rows = csv.NewWriter(l.csv)
	l.head = columnsOf(l.draw.tally)
	return l, nil
}

// Handle adds one event; the events come in order and follow those that Open was given.
func (l *Live) Handle(e journal.Event) {
	if l.err == nil {
		l.err = l.catchUp()
	}
	if l.err == nil {
		l.err = l.handle(e)
	}
	if l.err == nil {
		l.page.hear(e)
	}
}

func (l *Live) handle(e journal.Event) error {
	if l.endsAt >= 0 { // the run goes on after all: its end is no longer the end
		if err := l.text.cut(l.endsAt); err != nil {
			return err
		}
		l.endsAt = -1
	}
	if err := l.add(e); err != nil {
		return err
	}
	if e.Type == journal.RunEnded {
		return l.finish()
	}
	if err := l.flush(false); err != nil {
		return err
	}
	if e.Type == journal.SampleEnded || e.Type == journal.CellSkipped {
		return l.markdownNowAndThen()
	}
	return nil
}

// add draws one event into the files' buffers.
func (l *Live) add(e journal.Event) error {
	h := l.draw.prepare(e)
	s, err := l.draw.apply(h)
	if err != nil {
		return err
	}
	if s != nil {
		if err := l.rows.Write(l.head.row(s)); err != nil {
			return err
		}
		l.rows.Flush()
		line, err := s.MarshalJSON()
		if err != nil {
			return err
		}
		if _, err := l.jsonl.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return l.draw.draw(h, s)
}

// finish writes the end of the text report, unless that is done already.
func (l *Live) finish() error {
	if l.endsAt >= 0 {
		return l.flush(false)
	}
	l.endsAt = l.text.at
	if err := l.draw.end(); err != nil {
		return err
	}
	return l.flush(false)
}

// share is how small a part of the time goes into drawing report.md: one in so many.
const share = 200

func (l *Live) markdownNowAndThen() error {
	if time.Since(l.drawn) < share*l.cost {
		return nil
	}
	return l.markdown()
}

func (l *Live) markdown() error {
	began := time.Now()
	err := writeMarkdown(l.draw.tally)
	l.drawn = time.Now()
	l.cost = l.drawn.Sub(began)
	return err
}

// flush hands the buffers to the files; whole also cuts off what stood behind in the files.
func (l *Live) flush(whole bool) error {
	l.rows.Flush()
	err := l.rows.Error()
	for _, g := range []*growing{l.text, l.csv, l.jsonl} {
		err = errors.Join(err, g.buf.Flush())
		if whole && err == nil {
			err = g.file.Truncate(g.at)
		}
	}
	return err
}

// Close writes the end of a run that has none yet: it had ended already when Open was called and nothing
// followed, or its last event could not be written. It brings report.md up to date, syncs and closes the files and gives the first failure.
func (l *Live) Close() error {
	if l.err == nil {
		l.err = l.catchUp()
	}
	l.draw.over = true
	if l.err == nil {
		l.err = l.finish()
	}
	pictures, err := l.page.last()
	if l.err == nil {
		l.draw.pictures = pictures
		l.err = l.markdown()
	}
	if l.err == nil && err == nil {
		err = forgetCharts(l.page.folder, pictures)
	}
	if l.err == nil {
		l.err = err
	}
	for _, g := range []*growing{l.text, l.csv, l.jsonl} {
		if l.err == nil {
			l.err = g.file.Sync()
		}
	}
	if err := l.closeFiles(); l.err == nil {
		l.err = err
	}
	if l.err != nil {
		return fmt.Errorf("draw the report: %w (servematrix report draws it again from the run folder)", l.err)
	}
	return nil
}

func (l *Live) closeFiles() error {
	var err error
	for _, g := range []*growing{l.text, l.csv, l.jsonl} {
		if g != nil {
			err = errors.Join(err, g.file.Close())
		}
	}
	return err
}

func grow(path string) (*growing, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, reportMode)
	if err != nil {
		return nil, err
	}
	return &growing{file: file, buf: bufio.NewWriterSize(file, 64<<10)}, nil
}

// Write appends to the file, through the buffer.
func (g *growing) Write(p []byte) (int, error) {
	n, err := g.buf.Write(p)
	g.at += int64(n)
	return n, err
}

// cut takes everything from at on back.
func (g *growing) cut(at int64) error {
	if err := g.buf.Flush(); err != nil {
		return err
	}
	if err := g.file.Truncate(at); err != nil {
		return err
	}
	_, err := g.file.Seek(at, io.SeekStart)
	g.at = at
	return err
}
