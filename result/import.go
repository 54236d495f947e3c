package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hashicorp/go-multierror"
)

// Import gives all that ImportEach hands over.
func Import(paths []string) ([]Sample, error) {
	var samples []Sample
	err := ImportEach(paths, func(s Sample) error {
		samples = append(samples, s)
		return nil
	}, nil)
	return samples, err
}

// ImportEach reads results of benchmarks that were run elsewhere and hands over a sample for each,
// one by one: it holds no more than one file's text results, and of JSON lines a few stretches. A path is a
// file (what a client printed, its JSON or JSONL, a combined report in English or Chinese, a
// results.jsonl, the summary.csv of vllm bench sweep) or a folder, searched for such files: what
// lies together (NAME.stdout and NAME.result.json, or stdout and the only JSON beside it) becomes
// one sample; a run folder's own results.jsonl is taken as it is; a combination of vllm bench
// sweep gives a sample for each of its runs. Samples come in the order of the paths and, in a
// folder, of the names. What can be read is handed over also when the error, which names every
// file that could not, is not nil. An error of each ends the reading and is returned as it is.
//
// passed, which may be nil, is told of each file in a folder that gave nothing: no result was found
// in it, or it is packed. That is no error, for logs and plots lie in such folders too.
func ImportEach(paths []string, each func(Sample) error, passed func(Passed)) error {
	if passed == nil {
		passed = func(Passed) {}
	}
	var problems *multierror.Error
	names := namesIn(paths)
	for _, path := range paths {
		count := 0
		var stop error
		counted := func(s Sample) error {
			count++
			stop = each(s)
			return stop
		}
		err := (&importer{each: counted, passed: passed, names: names}).path(path)
		if stop != nil {
			return stop
		}
		if err == nil && count == 0 {
			err = fmt.Errorf("%s: %w: known are the text, JSON and JSONL of sglang.bench_serving, vllm bench serve and servematrix bench, vllm bench sweep, the result files of the clients in docs/reference/profiles.md, and combined reports", path, ErrNoResult)
		}
		if err != nil {
			problems = multierror.Append(problems, fmt.Errorf("import: %w", err))
		}
	}
	return problems.ErrorOrNil()
}

// importer reads what the paths of one import hold.
type importer struct {
	each   func(Sample) error
	passed func(Passed)
	names  names
}

func (i *importer) path(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return i.folder(path)
	}
	return i.file(path, i.sideOf(path))
}

// file reads one file on its own. The client's side belongs to each sample.
func (i *importer) file(path string, client *Side) error {
	in, err := openSource(path)
	if err != nil {
		return err
	}
	defer in.Close()
	if how := packed(in.head); how != "" {
		return fmt.Errorf("%s: %s", path, how)
	}
	if p := profileOf(in.head); p != nil {
		return i.byLayout(path, p, client)
	}
	switch kindOf(in.head) {
	case kindSamples:
		return named(path, readSamples(in.Reader, i.each))
	case kindJSON:
		e := &emitter{client: client, each: i.each}
		err := eachResultAhead(in.Reader, from(path, e.take))
		return errors.Join(named(path, err), e.finish(nil))
	case kindSweepCSV:
		return named(path, i.sweepCSV(path, in.Reader))
	}
	return named(path, i.text(path, in, client))
}

// from says of each result which file it is from.
func from(path string, take func(*Measurement) error) func(*Measurement) error {
	return func(m *Measurement) error {
		m.at.File = path
		return take(m)
	}
}

// text reads what a client or a whole combined report printed.
func (i *importer) text(path string, in io.Reader, client *Side) error {
	p := reportParser{at: Source{File: path}}
	lines := newLineReader(in)
	for {
		line, ended, err := lines.next()
		if err == nil {
			p.at.Line = lines.no
			p.line(line, ended)
			continue
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		samples := p.end()
		e := &emitter{client: client, each: i.each}
		take := from(path, e.take)
		for _, m := range p.plain.end() {
			if err := take(m); err != nil {
				return err
			}
		}
		if err := e.finish(nil); err != nil {
			return err
		}
		for _, s := range samples {
			if err := i.each(s); err != nil {
				return err
			}
		}
		return err
	}
}

func named(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}

type kind int

const (
	kindText kind = iota
	kindJSON
	kindSamples
	kindSweepCSV
)

// kindOf tells a file's kind by its first bytes. A combined report can begin with "[" too.
func kindOf(head []byte) kind {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if first, _, _ := strings.Cut(string(head), "\n"); isSweepHeader(first) {
		return kindSweepCSV
	}
	if rest, ok := bytes.CutPrefix(head, []byte("[")); ok {
		head = bytes.TrimLeft(rest, " \t\r\n")
		if !bytes.HasPrefix(head, []byte("{")) {
			return kindText
		}
	}
	rest, ok := bytes.CutPrefix(head, []byte("{"))
	if !ok {
		return kindText
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if bytes.HasPrefix(rest, []byte(`"run"`)) {
		return kindSamples
	}
	if bytes.HasPrefix(rest, []byte(`"`)) {
		return kindJSON
	}
	return kindText
}

// readSamples reads results.jsonl or a sample.json.
func readSamples(r io.Reader, each func(Sample) error) error {
	d := json.NewDecoder(r)
	for n := 0; ; n++ {
		begin := d.InputOffset()
		var s Sample
		switch err := d.Decode(&s); {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return &TruncatedError{Whole: n, Offset: begin}
		case err != nil:
			return fmt.Errorf("the sample that begins at byte %d: %w", begin, err)
		}
		if err := each(s); err != nil {
			return err
		}
	}
}
