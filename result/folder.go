package result

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/go-multierror"
)

// bundle is what lies together in a folder: the files of one run of a client.
type bundle struct {
	stem                        string // what their names have in common; "" for bare names
	text, result, command, exit string // paths; "" where there is no such file
	errors                      string // what it printed on stderr
}

// folder imports everything below a folder.
func (i *importer) folder(root string) error {
	var problems *multierror.Error
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			problems = multierror.Append(problems, err)
			return nil
		case !entry.IsDir():
			return nil
		case path != root && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		}
		done, err := i.oneFolder(path)
		if err != nil {
			problems = multierror.Append(problems, err)
		}
		if done {
			return filepath.SkipDir
		}
		return nil
	})
	if err != nil {
		problems = multierror.Append(problems, err)
	}
	return problems.ErrorOrNil()
}

// oneFolder imports the files of one folder; done when nothing below counts any more.
func (i *importer) oneFolder(folder string) (done bool, err error) {
	if path := ownSamples(folder); path != "" {
		return true, i.file(path, nil)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false, err
	}
	if isSweepFolder(entries) {
		return true, i.sweepFolder(folder, entries)
	}
	var problems *multierror.Error
	entries, done, err = i.layouts(folder, entries)
	if done {
		return true, err
	}
	if err != nil {
		problems = multierror.Append(problems, err)
	}
	taken := map[string]bool{}
	for _, b := range bundles(folder, entries) {
		n := 0
		counting := importer{names: i.names, each: func(s Sample) error {
			n++
			return i.each(s)
		}}
		err := counting.bundle(folder, b)
		if err != nil {
			problems = multierror.Append(problems, err)
		}
		if n > 0 || err != nil {
			b.mark(taken)
		}
	}
	passOver(folder, entries, taken, i.passed)
	if err := i.sweepTop(folder, entries); err != nil {
		problems = multierror.Append(problems, err)
	}
	return false, problems.ErrorOrNil()
}

// bundles sorts a folder's files by what they are and puts together those with one stem. A JSON
// file whose stem no other file has belongs to the folder's bare stdout, if there is one.
func bundles(folder string, entries []fs.DirEntry) []*bundle {
	byStem := map[string]*bundle{}
	var order []*bundle
	at := func(stem string) *bundle {
		if byStem[stem] == nil {
			byStem[stem] = &bundle{stem: stem}
			order = append(order, byStem[stem])
		}
		return byStem[stem]
	}
	var results, stderrs []string
	for _, entry := range entries {
		name, path := entry.Name(), filepath.Join(folder, entry.Name())
		if !entry.Type().IsRegular() || strings.HasPrefix(name, ".") {
			continue
		}
		stem, role := roleOf(name)
		switch role {
		case "text":
			if b := at(stem); b.text == "" {
				b.text = path
			} else {
				order = append(order, &bundle{stem: name, text: path})
			}
		case "command":
			at(stem).command = path
		case "exit":
			at(stem).exit = path
		case "errors":
			stderrs = append(stderrs, name)
		case "result":
			results = append(results, name)
		}
	}
	for _, name := range results {
		stem, _ := roleOf(name)
		path := filepath.Join(folder, name)
		switch bare := byStem[""]; {
		case byStem[stem] != nil && byStem[stem].result == "":
			byStem[stem].result = path
		case bare != nil && bare.text != "" && bare.result == "" && holdsResult(path):
			bare.result = path
		case byStem[stem] != nil:
			order = append(order, &bundle{stem: name, result: path})
		default:
			at(stem).result = path
		}
	}
	for _, name := range stderrs {
		if stem, _ := roleOf(name); byStem[stem] != nil {
			byStem[stem].errors = filepath.Join(folder, name)
		}
	}
	slices.SortStableFunc(order, func(a, b *bundle) int { return strings.Compare(a.stem, b.stem) })
	return order
}

// roleOf tells what a file is by its name, and what it shares with its companions' names.
func roleOf(name string) (stem, role string) {
	switch name {
	case "stdout", "client.out":
		return "", "text"
	case "stderr", "client.err":
		return "", "errors"
	case "cmd":
		return "", "command"
	case "exit":
		return "", "exit"
	case "result.json", "result.jsonl":
		return "", "result"
	}
	for _, known := range []struct{ suffix, role string }{
		{".stdout", "text"}, {".out", "text"}, {".txt", "text"}, {".log", "text"},
		{".stderr", "errors"}, {".err", "errors"}, {".cmd", "command"}, {".exit", "exit"},
		{".result.json", "result"}, {".result.jsonl", "result"}, {".json", "result"}, {".jsonl", "result"},
	} {
		if stem, ok := strings.CutSuffix(name, known.suffix); ok && stem != "" {
			return stem, known.role
		}
	}
	return "", ""
}

// ownSamples gives the file in which a run folder keeps its samples, "" for any other folder.
func ownSamples(folder string) string {
	for _, name := range []string{"results.jsonl", "sample.json"} {
		if path := filepath.Join(folder, name); holdsSamples(path) { // a client's file can have this name too
			return path
		}
	}
	return ""
}

func holdsSamples(path string) bool {
	in, err := openSource(path)
	if err != nil {
		return false
	}
	defer in.Close()
	return kindOf(in.head) == kindSamples
}

func holdsResult(path string) bool {
	in, err := openSource(path)
	if err != nil {
		return false
	}
	defer in.Close()
	found := errors.New("found")
	return errors.Is(eachResult(in.Reader, func(*Measurement) error { return found }), found)
}

// bundle reads one. A client that was run, as its command or exit code shows, and left
// no result is a failed sample; other text without a result is nothing.
func (i *importer) bundle(folder string, b *bundle) error {
	client := &Side{Name: i.names.of(filepath.Join(folder, b.stem))}
	if text, err := readSmall(b.command); err != nil {
		return err
	} else if text != "" {
		client.Argv, client.Env = splitCommand(text)
	}
	switch ran := b.command != "" || b.exit != ""; {
	case b.result == "" && b.text != "" && !ran:
		return i.file(b.text, client)
	case b.result != "" && b.text == "" && !ran:
		return i.file(b.result, client)
	}
	end, err := b.end()
	if err != nil {
		return err
	}
	printed, err := b.printed()
	if err != nil {
		return err
	}
	e := &emitter{client: client, each: i.each}
	damage := b.join(printed, e.take)
	if e.n == 0 && e.held == nil && (b.command != "" || b.exit != "") {
		s := Sample{Client: client}
		s.settle(nil, end)
		s.at(Source{File: cmp.Or(b.text, b.result, b.errors, b.command, b.exit)})
		return errors.Join(damage, i.each(s))
	}
	return errors.Join(damage, e.finish(end))
}

// printed gives the results in what the client printed; on stderr where stdout has none.
func (b *bundle) printed() ([]*Measurement, error) {
	for _, path := range []string{b.text, b.errors} {
		if path == "" {
			continue
		}
		in, err := openSource(path)
		if err != nil {
			return nil, err
		}
		found, err := ParseText(in.Reader)
		in.Close()
		for _, m := range found {
			m.at.File = path
		}
		if err != nil || len(found) > 0 {
			return found, named(path, err)
		}
	}
	return nil, nil
}

// join joins the results in the result file with the printed blocks, the last with the last,
// since a file that is appended to may hold older ones. Of a damaged file nobody knows which is
// the last: there those are joined that say the same.
func (b *bundle) join(printed []*Measurement, take func(*Measurement) error) error {
	var last []*Measurement // of the file, as many as were printed
	damage := named(b.result, b.each(func(m *Measurement) error {
		last = append(last, m)
		if len(last) <= len(printed) {
			return nil
		}
		m, last = last[0], last[1:]
		return take(m)
	}))
	alone := len(printed) - len(last)
	for i, m := range printed {
		at := i - alone
		if damage != nil {
			at = slices.IndexFunc(last, func(own *Measurement) bool { return sameResult(own, m) })
		}
		if at >= 0 {
			last[at] = join(last[at], m)
			continue
		}
		if damage != nil {
			m.Findings = append(m.Findings, Reason{Partial, SeverityWarning, "the result file is damaged, these are the printed numbers: " + damage.Error()})
		}
		if err := take(m); err != nil {
			return err
		}
	}
	for _, m := range last {
		if err := take(m); err != nil {
			return err
		}
	}
	return damage
}

func (b *bundle) each(take func(*Measurement) error) error {
	if b.result == "" {
		return nil
	}
	in, err := openSource(b.result)
	if err != nil {
		return err
	}
	defer in.Close()
	return eachResultAhead(in.Reader, from(b.result, take))
}

// end reads the exit code that was kept beside the output.
func (b *bundle) end() (*Failure, error) {
	text, err := readSmall(b.exit)
	if err != nil || text == "" || text == "0" {
		return nil, err
	}
	message := "the client did not end by itself: " + text
	if _, err := strconv.Atoi(text); err == nil {
		message = "the client ended with exit code " + text
	}
	return &Failure{Class: "client_failed", Phase: "client", Message: message}, nil
}

// maxSmall bounds the files that hold a command or an exit code.
const maxSmall = 64 << 10

func readSmall(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Size() > maxSmall {
		return "", fmt.Errorf("%s: larger than a command or an exit code can be (%d bytes)", path, info.Size())
	}
	in, err := openSource(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	data, err := io.ReadAll(in.Reader)
	return strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff")), err
}
