package report

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"servematrix/journal"
	"servematrix/result"
)

func (d *drawer) clientStarts(e happening, v clientStart) {
	at := section{unit{e.Cell, e.Block}, e.Attempt}
	d.attempt[at.unit] = max(d.attempt[at.unit], e.Attempt)
	simulated := false
	if l := d.launches[e.Launch]; l != nil {
		simulated = l.simulated
	}
	d.head(e, simulated)
	b := begun{command: d.command(journal.SampleStarted, nil, v.Env, v.Argv), name: visible(v.Name), warmup: v.Warmup}
	d.begun[at] = b
	label := d.words.Run
	if v.Warmup {
		label = d.words.warmup
	}
	d.printf("[CLIENT] %s %s: %s\n", label, b.name, b.command)
	if c := d.clients[d.cells[e.Cell].Client]; c != nil && len(c.Replaced) > 0 {
		d.printf("[CLIENT] %s: %s\n", d.words.inPlaceOf, commandLine(nil, nil, c.Replaced))
		for _, note := range c.LeftOut {
			d.detail("%s", visible(note))
		}
	}
}

// clientExits keeps the exit for the end of the sample, where it stands below the output. A
// warm-up's output is nobody's business: its exit is all that is said of it.
func (d *drawer) clientExits(e happening, v journal.Exited) {
	at := section{unit{e.Cell, e.Block}, e.Attempt}
	b, ok := d.begun[at]
	if !ok {
		return
	}
	if b.warmup {
		delete(d.begun, at)
		d.printf("[CLIENT] %s %s\n", b.name, d.exited(v))
		return
	}
	b.exit = &v
	d.begun[at] = b
}

// exited says how a client ended; "finished" is only said of one that ended by itself.
func (d *drawer) exited(v journal.Exited) string {
	switch {
	case v.Why != "" && v.Signal != "":
		return fmt.Sprintf(d.words.clientStopped, visible(v.Why), v.Seconds, fmt.Sprintf(d.words.signal, visible(v.Signal)))
	case v.Why != "":
		return fmt.Sprintf(d.words.clientStopped, visible(v.Why), v.Seconds, fmt.Sprintf(d.words.exitCode, v.Code))
	case v.Signal != "":
		return fmt.Sprintf(d.words.clientSignal, visible(v.Signal))
	}
	return d.words.Exited + fmt.Sprint(v.Code)
}

// sampleEnds pastes what the client printed and says what became of the sample.
func (d *drawer) sampleEnds(e happening, v journal.Ended, s *result.Sample) {
	at := section{unit{e.Cell, e.Block}, e.Attempt}
	d.attempt[at.unit] = max(d.attempt[at.unit], e.Attempt)
	var start *journal.Failure
	simulated := false
	if l := d.launches[e.Launch]; l != nil {
		start, simulated = l.failure, l.simulated
	}
	d.head(e, simulated)
	if b, ok := d.begun[at]; ok {
		delete(d.begun, at)
		if !b.warmup {
			d.paste(e, b)
		}
		how := d.words.clientUnseen
		if b.exit != nil {
			how = d.exited(*b.exit)
		}
		d.printf("[CLIENT] %s %s\n", b.name, how)
	}
	if d.plan.Imported != nil {
		d.importedSection(e, s)
	}
	if s.Simulated && !simulated {
		d.detail("%s", d.words.simulated)
	}
	switch {
	case v.Failure != nil:
		d.printf("[%s] %s\n", d.words.Failed, d.because(*v.Failure))
		if start == nil || start.Message != v.Failure.Message { // else it stands above already
			d.where(*v.Failure)
		}
	case v.Status != result.StatusOK:
		d.printf("[%s] %s\n", d.words.statusOf(v.Status), visible(strings.Join(v.Reasons, ", ")))
	case len(v.Reasons) > 0:
		d.printf("[%s] %s\n", d.words.warning, visible(strings.Join(v.Reasons, ", ")))
	}
	if s.Validity != nil {
		for _, r := range s.Validity.Reasons {
			d.detail("%s: %s", visible(r.Reason), visible(clip(r.Detail, lineMost)))
		}
	}
	if s.Status != v.Status { // what the journal says and what is on disk do not agree
		d.printf("[%s] %s\n", d.words.warning, visible(s.Failure.Message))
	}
}

// paste writes the block with the client's own words.
func (d *drawer) paste(e happening, b begun) {
	server, client := d.cellNames(e.Cell)
	rule := strings.Repeat("#", blockRule)
	d.printf("\n\n%s\nSERVER: %s\nCLIENT: %s\nCOMMAND: %s\n%s\n", rule, visible(server), visible(client), b.command, rule)
	if out, ok := d.output(e, e.printed.out, journal.ClientOut, true); ok {
		d.raw(out)
	}
	errout, ok := d.output(e, e.printed.err, journal.ClientErr, false)
	if ok && len(errout) > 0 {
		d.printf("\n[STDERR]\n")
		d.raw(collapse(errout))
	}
}

// output gives one of the client's files; where it cannot be read, the report says so. An output that
// must be there is missed, another one may be absent.
func (d *drawer) output(e happening, ahead output, name string, must bool) ([]byte, bool) {
	text, err := ahead.text, ahead.err
	if err == nil {
		return text, true
	}
	rel := filepath.Join(journal.AttemptName(e.Cell, e.Block, e.Attempt), name)
	if errors.Is(err, errLater) {
		text, err = readOutput(d.folder.Path(rel), func(left int64) string { return fmt.Sprintf(d.words.cut, left, visible(rel)) })
	}
	if err != nil && (must || !errors.Is(err, fs.ErrNotExist)) {
		d.printf(d.words.unreadable+"\n", visible(rel), visible(whyNot(err)))
	}
	return text, err == nil
}

// raw writes text as it is, ending with a whole line.
func (d *drawer) raw(text []byte) {
	if d.err != nil || len(text) == 0 {
		return
	}
	if _, d.err = d.out.Write(text); d.err == nil && !bytes.HasSuffix(text, []byte{'\n'}) {
		d.printf("\n")
	}
}
