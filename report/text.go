package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"servematrix/journal"
	"servematrix/result"
)

// Text draws the combined report from the run folder: the same bytes as report.txt when lang
// is the run's own (also when it is empty), the other language's labels otherwise. Of a run that
// crashed it has the end, too, which nobody could write into report.txt. Here as in all that draws,
// what cannot be read of the journal is left out, and the error is then an Incomplete.
func Text(w io.Writer, folder journal.Folder, lang string) error {
	t, err := tallyOf(folder)
	if err != nil {
		return err
	}
	t.outputs = true
	return drawText(w, t, t.ahead(t.prepare), lang)
}

func drawText(w io.Writer, t *tally, events iter.Seq2[happening, error], lang string) error {
	out := bufio.NewWriterSize(w, 64<<10)
	d := newDrawer(out, t, lang)
	for e := range t.readable(events) {
		s, err := d.apply(e)
		if err == nil {
			err = d.draw(e, s)
		}
		if d.err != nil {
			return d.err
		}
		t.spoilt(e.Type, err)
	}
	if err := t.nothing(); err != nil {
		return err
	}
	if err := d.end(); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return t.incomplete()
}

// drawer writes the text report event by event.
type drawer struct {
	*tally
	out     io.Writer
	words   words
	banner  section           // whose banner stands above
	begun   map[section]begun // attempts whose client was started and whose sample has not ended
	attempt map[unit]int      // the highest attempt seen
	starts  map[unit]int      // servers started for one cell alone
	lines   commandLines
	err     error // the first failure to write
}

// section is one attempt at a cell; the zero section is none.
type section struct {
	unit
	attempt int
}

// begun is what the end of a sample repeats of its beginning.
type begun struct {
	command string
	name    string
	warmup  bool
	exit    *journal.Exited
}

func newDrawer(out io.Writer, t *tally, lang string) *drawer {
	if lang == "" {
		lang = t.plan.Lang
	}
	t.explain.words = wordsOf(lang)
	return &drawer{tally: t, out: out, words: wordsOf(lang), begun: map[section]begun{}, attempt: map[unit]int{}, starts: map[unit]int{}}
}

func (d *drawer) printf(format string, a ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.out, format, a...)
	}
}

// command is a command of an event as a line for a shell.
func (d *drawer) command(of journal.Type, unset, env, argv json.RawMessage) string {
	line, err := d.lines.of(unset, env, argv)
	d.spoilt(of, err)
	return line
}

// detail writes an indented line below one that starts with a label.
func (d *drawer) detail(format string, a ...any) { d.printf("         "+format+"\n", a...) }

// draw writes what an event adds to the report; s is the sample that it finished.
func (d *drawer) draw(e happening, s *result.Sample) error {
	err := d.write(e, s)
	if err == nil {
		err = d.err
	}
	return err
}

func (d *drawer) write(e happening, s *result.Sample) error {
	switch e.Type {
	case journal.RunStarted:
		if smoke := d.plan.Smoke; smoke != nil {
			d.printf("*** "+d.words.smoke+" ***\n\n", smoke.Requests)
		}
	case journal.RunResumed:
		d.banner = section{}
		d.printf("\n[RUN] "+d.words.resumed+"\n\n", e.Session, stamp(e.Time))
	case journal.SampleStarted:
		return with(e, func(v clientStart) { d.clientStarts(e, v) })
	case journal.ClientExited:
		return with(e, func(v journal.Exited) { d.clientExits(e, v) })
	case journal.SampleEnded:
		return with(e, func(v journal.Ended) { d.sampleEnds(e, v, s) })
	case journal.CellSkipped:
		return with(e, func(v journal.Skip) {
			d.head(e, false)
			d.printf("[%s] %s\n", d.words.Skipped, d.because(v.Failure))
			if v.Cause != "" {
				d.detail(d.words.cause, visible(v.Cause))
			}
		})
	case journal.HookEnded:
		return with(e, func(v journal.HookRun) {
			d.printf("[HOOK] %s: %s\n", visible(v.Moment), commandLine(nil, nil, v.Argv))
			d.detail(d.words.hookEnded, v.Code, v.Seconds)
			d.tail(strings.Split(strings.TrimRight(v.Output, "\n"), "\n"))
		})
	case journal.BlockEnded:
		return with(e, func(v journal.Look) { d.printf("\n[RUN] %s\n\n", visible(v.Message)) })
	case journal.Warning:
		return with(e, func(v journal.Note) { d.printf("[%s] %s\n", d.words.warning, visible(v.Message)) })
	case journal.RunInterrupted:
		return with(e, func(v journal.Note) { d.printf("\n[RUN] "+d.words.interrupted+"\n", visible(v.Message)) })
	default:
		return d.serverEvent(e)
	}
	return nil
}

const (
	bannerRule = 100 // columns
	blockRule  = 80
)

// head writes the banner of the event's attempt unless it stands above already.
func (d *drawer) head(e happening, simulated bool) {
	at := section{unit{e.Cell, e.Block}, e.Attempt}
	if at.attempt == 0 { // a server starts before its attempt has a number: one more than those
		// that were seen, and a start that a crash cut short had one too
		at.attempt = max(d.attempt[at.unit]+1, d.starts[at.unit])
	}
	if d.banner == at {
		return
	}
	d.banner = at
	server, client := d.cellNames(e.Cell)
	line := d.words.Banner + " SERVER=" + visible(server) + "  CLIENT=" + visible(client)
	if at.block > 1 {
		line += fmt.Sprintf("  BLOCK=%d", at.block)
	}
	if at.attempt > 1 {
		line += fmt.Sprintf("  ATTEMPT=%d", at.attempt)
	}
	if simulated {
		line += "  SIMULATED"
	}
	rule := strings.Repeat("=", bannerRule)
	d.printf("%s\n%s\n%s\n", rule, line, rule)
}

// because says a failure in one line.
func (d *drawer) because(f journal.Failure) string {
	return fmt.Sprintf("%s (%s): %s", visible(f.Class), visible(f.Phase), visible(f.Message))
}

// where writes a failure's place and the log's last lines.
func (d *drawer) where(f journal.Failure) {
	if f.File != "" {
		d.detail("%s", place(f))
	}
	d.tail(f.Tail)
}

func place(f journal.Failure) string {
	if f.Line > 0 {
		return fmt.Sprintf("%s:%d", visible(f.File), f.Line)
	}
	return visible(f.File)
}

// lineMost is how much of one log line is shown: a report is read in lines.
const lineMost = 2000

func (d *drawer) tail(lines []string) {
	for _, line := range lines {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			d.printf("  | %s\n", visible(clip(line, lineMost)))
		}
	}
}
