package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hashicorp/go-multierror"
)

// Import reads results of benchmarks that were run elsewhere. A path is a file (what a client
// printed, its JSON or JSONL, a combined report in English or Chinese, a results.jsonl) or a
// folder, searched for such files: what lies together (NAME.stdout and NAME.result.json, or
// stdout and the only JSON beside it) becomes one sample; a run folder's own results.jsonl is
// taken as it is. Samples come in the order of the paths and, in a folder, of the names. What
// can be read is returned also when the error, which names every path that could not, is not nil.
func Import(paths []string) ([]Sample, error) {
	var all []Sample
	var problems *multierror.Error
	for _, path := range paths {
		info, err := os.Stat(path)
		var samples []Sample
		switch {
		case err != nil:
		case info.IsDir():
			samples, err = importFolder(path)
		default:
			samples, err = importFile(path, nil)
		}
		all = append(all, samples...)
		if err == nil && len(samples) == 0 {
			err = fmt.Errorf("%s: %w: known are the text, JSON and JSONL of sglang.bench_serving, vllm bench serve and servematrix bench, and combined reports", path, ErrNoResult)
		}
		if err != nil {
			problems = multierror.Append(problems, fmt.Errorf("import: %w", err))
		}
	}
	return all, problems.ErrorOrNil()
}

// importFile reads one file on its own. The client's side, when known, belongs to each sample.
func importFile(path string, client *Side) ([]Sample, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	head, err := in.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	switch kindOf(head) {
	case kindSamples:
		samples, err := readSamples(in)
		return samples, named(path, err)
	case kindJSON:
		found, err := ParseJSON(in)
		return alone(path, client, found), named(path, err)
	}
	var p reportParser
	lines := newLineReader(in)
	for {
		line, ended, err := lines.next()
		if err != nil {
			samples := p.end()
			samples = append(alone(path, client, p.plain.end()), samples...)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return samples, named(path, err)
		}
		p.line(line, ended)
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
)

// kindOf tells a file's kind by its first bytes. A combined report can begin with "[" too.
func kindOf(head []byte) kind {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
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
func readSamples(r io.Reader) ([]Sample, error) {
	d := json.NewDecoder(r)
	var samples []Sample
	for {
		begin := d.InputOffset()
		var s Sample
		switch err := d.Decode(&s); {
		case errors.Is(err, io.EOF):
			return samples, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return samples, &TruncatedError{Whole: len(samples), Offset: begin}
		case err != nil:
			return samples, err
		}
		samples = append(samples, s)
	}
}
