package result

import (
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
}

// importFolder imports everything below a folder.
func importFolder(root string) ([]Sample, error) {
	var samples []Sample
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
		found, done, err := importOneFolder(path)
		samples = append(samples, found...)
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
	return samples, problems.ErrorOrNil()
}

// importOneFolder imports the files of one folder; done when nothing below counts any more.
func importOneFolder(folder string) (samples []Sample, done bool, err error) {
	for _, name := range []string{"results.jsonl", "sample.json"} {
		if path := filepath.Join(folder, name); holdsSamples(path) { // a client's file can have this name too
			samples, err := importFile(path, nil)
			return samples, true, err
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, false, err
	}
	var problems *multierror.Error
	for _, b := range bundles(folder, entries) {
		found, err := b.samples(folder)
		samples = append(samples, found...)
		if err != nil {
			problems = multierror.Append(problems, err)
		}
	}
	return samples, false, problems.ErrorOrNil()
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
	var results []string
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
				order = append(order, &bundle{stem: stem, text: path})
			}
		case "command":
			at(stem).command = path
		case "exit":
			at(stem).exit = path
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
		default:
			order = append(order, &bundle{stem: stem, result: path})
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
	case "cmd":
		return "", "command"
	case "exit":
		return "", "exit"
	case "result.json", "result.jsonl":
		return "", "result"
	}
	for _, known := range []struct{ suffix, role string }{
		{".stdout", "text"}, {".out", "text"}, {".txt", "text"}, {".log", "text"},
		{".cmd", "command"}, {".exit", "exit"},
		{".result.json", "result"}, {".result.jsonl", "result"}, {".json", "result"}, {".jsonl", "result"},
	} {
		if stem, ok := strings.CutSuffix(name, known.suffix); ok && stem != "" {
			return stem, known.role
		}
	}
	return "", ""
}

func holdsSamples(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, err := io.ReadFull(f, head)
	return (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) && kindOf(head[:n]) == kindSamples
}

func holdsResult(path string) bool {
	found, _, err := readResultFile(path)
	return err == nil && len(found) > 0
}

// samples reads a bundle. A client that was run, as its command or exit code shows, and left
// no result is a failed sample; other text without a result is nothing.
func (b *bundle) samples(folder string) ([]Sample, error) {
	name := b.stem
	if name == "" {
		name = filepath.Base(folder)
	}
	client := &Side{Name: name}
	if text, err := readSmall(b.command); err != nil {
		return nil, err
	} else if text != "" {
		client.Argv, client.Env = splitCommand(text)
	}
	if b.result == "" && b.text != "" && b.command == "" && b.exit == "" {
		return importFile(b.text, client)
	}
	found, note, err := readResultFile(b.result)
	if err != nil {
		return nil, err
	}
	printed, err := b.printed()
	if err != nil {
		return nil, err
	}
	end, err := b.end()
	if err != nil {
		return nil, err
	}
	measured := pair(found, printed)
	if len(measured) == 0 && (b.command != "" || b.exit != "") {
		s := Sample{Client: client}
		s.settle(nil, end)
		return []Sample{s}, nil
	}
	if len(measured) > 0 {
		last := measured[len(measured)-1]
		last.Findings = append(last.Findings, note...)
	}
	return settleAll(client, measured, end), nil
}

func (b *bundle) printed() ([]*Measurement, error) {
	f, err := openMaybe(b.text)
	if f == nil || err != nil {
		return nil, err
	}
	defer f.Close()
	found, err := parseOutput(f)
	return found, named(b.text, err)
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

// pair joins results from a file with the printed blocks, the last with the last, since a
// file that is appended to may hold older ones.
func pair(found, printed []*Measurement) []*Measurement {
	if len(found) == 0 {
		return printed
	}
	shared := min(len(found), len(printed))
	for i := 1; i <= shared; i++ {
		join(found[len(found)-i], printed[len(printed)-i])
	}
	return append(slices.Clone(printed[:len(printed)-shared]), found...)
}

// alone makes samples of the measurements in one file. Where the client's name is not known
// otherwise, the file's is taken.
func alone(path string, client *Side, found []*Measurement) []Sample {
	if client == nil {
		stem, _ := roleOf(filepath.Base(path))
		if stem == "" {
			stem = filepath.Base(filepath.Dir(path))
		}
		client = &Side{Name: stem}
	}
	return settleAll(client, found, nil)
}

// settleAll makes a sample of each measurement; several get numbered names. The end is the last
// one's.
func settleAll(client *Side, found []*Measurement, end *Failure) []Sample {
	samples := make([]Sample, len(found))
	for i, m := range found {
		side := *client
		if i > 0 {
			side.Name = fmt.Sprintf("%s#%d", client.Name, i+1)
		}
		samples[i].Client = &side
		if i == len(found)-1 {
			samples[i].settle(m, end)
		} else {
			samples[i].settle(m, nil)
		}
	}
	return samples
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
	data, err := os.ReadFile(path)
	return strings.TrimSpace(string(data)), err
}
