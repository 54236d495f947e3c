package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/result"
)

// Samples reads all samples of a run folder, oldest first. Cells that were skipped are among
// them, with the status "skipped". A sample whose file is gone or is not the one that the
// journal vouches for is failed, with class no_result, and its message says so.
func Samples(folder journal.Folder) ([]*result.Sample, error) {
	t, err := tallyOf(folder)
	if err != nil {
		return nil, err
	}
	t.samples = true
	var out []*result.Sample
	err = t.eachSample(func(s *result.Sample) error {
		out = append(out, s)
		return nil
	})
	return out, err
}

// tallyOf begins the tally of a run folder as it is now. Whether somebody works on it is asked before
// it is read: what ends meanwhile did not crash.
func tallyOf(folder journal.Folder) (*tally, error) {
	over := !folder.Live()
	plan, err := loadPlan(folder)
	if err != nil {
		return nil, err
	}
	t := newTally(folder, plan)
	t.over = over
	return t, nil
}

// eachSample applies every event of the journal and calls f with every sample, one in memory at a time.
func (t *tally) eachSample(f func(*result.Sample) error) error {
	for e := range t.readable(t.ahead(t.prepare)) {
		s, err := t.apply(e)
		t.spoilt(e.Type, err)
		if err != nil || s == nil {
			continue
		}
		if err := f(s); err != nil {
			return err
		}
	}
	return cmp.Or(t.nothing(), t.incomplete())
}

// drawSamples lets write have, oldest first, what draw makes of each sample; draw is called for several at a time.
func drawSamples[T any](t *tally, draw func(*result.Sample) (T, error), write func(T) error) error {
	type drawing struct {
		of    journal.Event // without its data
		drawn T
		err   error
		none  bool // the event finishes no sample
	}
	_, err := journal.Ahead(t.folder, func(e journal.Event) (d drawing) {
		d.of = e
		d.of.Data = nil
		if d.none = e.Type != journal.SampleEnded && e.Type != journal.CellSkipped; d.none {
			return d
		}
		h := t.finished(e)
		if d.err = h.err; d.err == nil {
			d.drawn, d.err = draw(h.sample)
		}
		return d
	}, func(d drawing) error {
		t.count(d.of)
		if d.none || d.err != nil {
			t.spoilt(d.of.Type, d.err)
			return nil
		}
		return write(d.drawn)
	}, func(d *journal.DamageError) error { t.damaged(d); return nil })
	if err != nil {
		return err
	}
	return t.incomplete()
}

func loadPlan(folder journal.Folder) (*matrix.Plan, error) {
	return readPlan(folder.Path(journal.PlanFile))
}

func readPlan(path string) (*matrix.Plan, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	plan := &matrix.Plan{}
	if err := json.Unmarshal(data, plan); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return plan, nil
}

var errOtherSample = errors.New("it is not the file that the journal vouches for (its SHA-256 differs)")

// parseFunc reads the text of a sample.json, whole or what of it is needed.
type parseFunc func(data []byte) (*result.Sample, error)

// parse reads what the tally takes in of a sample.
func (t *tally) parse(data []byte) (*result.Sample, error) {
	switch {
	case t.samples:
		return result.ParseSample(data)
	case t.whole:
		return result.ParseOutcome(data)
	}
	return result.ParseOutcome(data, t.wanted...)
}

// readSample reads a sample.json; digest is its SHA-256 in hexadecimal, "" when nobody knows it.
func readSample(path, digest string, parse parseFunc) (*result.Sample, error) {
	text, _ := texts.Get().(*[]byte)
	if text == nil {
		text = new([]byte)
		*text = make([]byte, 0, 16<<10)
	}
	defer texts.Put(text)
	file, err := openPlain(path)
	if err != nil {
		return nil, err
	}
	defer file.close()
	if *text, err = file.readInto((*text)[:0]); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(*text); digest != "" && digest != hex.EncodeToString(sum[:]) {
		return nil, errOtherSample
	}
	return parse(*text)
}

// texts are the memory for files that are read one after the other. No sample keeps any of it.
var texts sync.Pool

// ended gives the sample that sample.ended finished.
func (t *tally) ended(e journal.Event, d journal.Ended) *result.Sample {
	s, err := readSample(string(t.folder)+"/"+samplePath(e), d.SHA256, t.parse)
	if err != nil {
		return t.unread(e, d, err)
	}
	return s
}

// unread stands for a sample whose file cannot be read, or is another one.
func (t *tally) unread(e journal.Event, d journal.Ended, err error) *result.Sample {
	rel := samplePath(e)
	s := t.blank(e)
	s.Status = result.StatusFailed
	s.Failure = &result.Failure{Class: "no_result", Phase: "client", Message: fmt.Sprintf("%s cannot be read: %s", rel, whyNot(err))}
	if f := d.Failure; f != nil {
		s.Failure = f
	}
	return s
}

// samplePath is where the event's sample lies in the run folder.
func samplePath(e journal.Event) string {
	return filepath.Join(journal.AttemptName(e.Cell, e.Block, e.Attempt), journal.SampleFile)
}

// skipped gives the sample of a cell that was not tried.
func (t *tally) skipped(e journal.Event, d journal.Skip) *result.Sample {
	s := t.blank(e)
	s.Status, s.Failure = result.StatusSkipped, &d.Failure
	return s
}

// blank is a sample of which only the plan is known.
func (t *tally) blank(e journal.Event) *result.Sample {
	s := &result.Sample{Run: filepath.Base(string(t.folder)), Cell: e.Cell, Block: e.Block, Attempt: e.Attempt}
	c := t.cells[e.Cell]
	if server := t.servers[c.Server]; server != nil {
		s.Server = side(&server.Variant)
	}
	if client := t.clients[c.Client]; client != nil {
		s.Client = side(&client.Variant)
	}
	return s
}

// side is a variant as the plan has it: late values are still placeholders.
func side(v *matrix.Variant) *result.Side {
	argv := append(append([]string{}, v.Argv...), v.Added.Argv...)
	env := map[string]string{}
	for _, from := range []map[string]string{v.Added.Env, v.Env} {
		for name, value := range from {
			env[name] = value
		}
	}
	return &result.Side{Name: v.Name, ID: v.ID, Axes: v.Axes, Argv: argv, Env: env, Replaced: v.Replaced, LeftOut: v.LeftOut}
}

// commands are a sample's two commands as lines for a shell.
func commands(s *result.Sample) []string {
	var out []string
	for _, side := range []*result.Side{s.Server, s.Client} {
		if side != nil && len(side.Argv) > 0 {
			out = append(out, commandLine(nil, side.Env, side.Argv))
		}
	}
	return out
}
