package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"servematrix/journal"
	"servematrix/result"
	"servematrix/secret"
)

func newImport(env Env) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Read outputs of benchmarks that were run elsewhere",
		Long: `Reads what SGLang's, vLLM's or the embedded client printed or wrote (text, JSON, JSON lines),
the result files of guidellm, aiperf, genai-bench, evalscope, inference-perf, llama-benchy and
AISBench with those that complete them, folders of such files, what vllm bench sweep leaves, and whole combined reports, and prints one
sample a line as soon as it is read: the object of results.jsonl, null where nobody knows. What
cannot be read is named at the end, and so are files in a folder that hold no result (passed over).
With --out DIR the samples become a folder that report, compare, ls and status read like a run's:
report.html and the other reports, results.jsonl with these samples, and under sources copies of
the files, in which secrets are hidden. DIR must be new. It says what was imported and when;
what nobody knows is left out. There is nothing in it to resume.

Exit codes: 0 imported · 2 usage, or a file has no result or is damaged (the rest is imported; where
  nothing is, --out makes no folder)`,
		Example: "  servematrix import results/*.txt --out imported\n  servematrix report imported --format html -o results.html",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return importFiles(env, args, out) },
	}
	cmd.Flags().StringVar(&out, "out", "", "folder to make for the samples, their reports and their sources (default: samples on stdout)")
	return cmd
}

func importFiles(env Env, names []string, out string) error {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = env.path(name)
		if _, err := os.Stat(paths[i]); err != nil {
			return noSource("file or folder", name, err)
		}
	}
	if out == "" {
		return writeSamples(env, names, paths, env.Stdout)
	}
	return importInto(env, out, names, paths)
}

// importInto makes a folder of what can be read, also where not all can.
func importInto(env Env, out string, names, paths []string) error {
	dir := env.path(out)
	var unread error
	err := makeImported(dir, func(folder journal.Folder) (err error) {
		i := newImporting(folder, filepath.Base(dir), names)
		var n int
		if n, unread, err = i.read(env, names, paths); err != nil || n == 0 {
			return cmp.Or(err, unread)
		}
		if err := copySources(env, folder, paths); err != nil {
			return err
		}
		return i.finish(env)
	})
	var wrong *exitError
	switch {
	case errors.As(err, &wrong):
		return err
	case errors.Is(err, fs.ErrExist):
		return usageError("%s is there already; give --out a new folder", out)
	case err != nil:
		return usageError("the samples cannot be written: %w", err)
	}
	if _, err := fmt.Fprintln(env.Stdout, shown(env, dir)); err != nil {
		return err
	}
	return unread
}

// read takes in all samples, and what could not be read.
func (i *importing) read(env Env, names, paths []string) (n int, unread, err error) {
	n, passed, unread, err := eachSample(env, names, paths, i.add)
	i.notes = append(i.notes, passedNotes(env, passed)...)
	if unread != nil {
		for _, line := range strings.Split(unread.Error(), "\n") {
			text, _, _ := strings.Cut(line, ": known are ")
			i.notes = append(i.notes, "not imported: "+text)
		}
	}
	return n, unread, err
}

// writeSamples writes each sample as soon as it is read, so that the size of the sources does not
// matter.
func writeSamples(env Env, names, paths []string, to io.Writer) error {
	w := newSampleWriter(to)
	_, _, unread, err := eachSample(env, names, paths, w.add)
	return cmp.Or(w.close(), err, unread)
}

// eachSample hands samples over as they are read, and says on stderr how many there were and what
// was passed over. unread names what could not be read; err is the first of take.
func eachSample(env Env, names, paths []string, take func(result.Sample) error) (n int, passed []result.Passed, unreadable, err error) {
	given := asGiven{names: names, paths: paths}
	debug.SetGCPercent(400) // a short program that makes much garbage and keeps little
	problems := result.ImportEach(paths, func(s result.Sample) error {
		given.say(s.Source)
		if err = take(s); err == nil {
			n++
		}
		return err
	}, func(p result.Passed) { passed = append(passed, p) })
	if err != nil {
		return n, passed, nil, err
	}
	slices.SortStableFunc(passed, func(a, b result.Passed) int { return strings.Compare(b.Why, a.Why) })
	fmt.Fprintf(env.Stderr, "%s from %s\n", count(n, "sample"), count(len(paths), "source"))
	for _, note := range passedNotes(env, passed) {
		fmt.Fprintln(env.Stderr, note)
	}
	if problems != nil {
		unreadable = unread(problems, names, paths)
	}
	return n, passed, unreadable, nil
}

// asGiven says of files where they are in the words of the command line. Samples come in the order
// of its paths; those that know their source from an earlier import keep it.
type asGiven struct {
	names, paths []string
	file, said   string // the last
}

func (g *asGiven) say(place *result.Source) {
	switch {
	case place == nil:
	case place.File == g.file:
		place.File = g.said
	default:
		for i, path := range g.paths {
			if below, err := filepath.Rel(path, place.File); err == nil && filepath.IsLocal(below) {
				g.file, g.said = place.File, filepath.Join(g.names[i], below)
				g.names, g.paths = g.names[i:], g.paths[i:]
				place.File = g.said
				return
			}
		}
	}
}

// mostPassed bounds how many files without a result are named: a folder may hold thousands of plots.
const mostPassed = 10

// passedNotes name what was passed over. What only has to be unpacked is named in any case.
func passedNotes(env Env, passed []result.Passed) (notes []string) {
	for i, p := range passed {
		switch {
		case p.Why != "":
			notes = append(notes, fmt.Sprintf("passed over: %s %s", shown(env, p.Path), p.Why))
		case i < mostPassed:
			notes = append(notes, fmt.Sprintf("passed over: %s holds no result", shown(env, p.Path)))
		default:
			return append(notes, fmt.Sprintf("passed over: %d more without a result", len(passed)-i))
		}
	}
	return notes
}

// copySources keeps the sources beside the samples, without the secrets in them.
func copySources(env Env, folder journal.Folder, sources []string) error {
	var hide secret.Redactor
	hide.AddEnviron(env.Env, nil)
	for i, src := range sources {
		if err := copyTree(&hide, src, folder.Path("sources", fmt.Sprintf("%03d-%s", i+1, filepath.Base(src)))); err != nil {
			return err
		}
	}
	return nil
}

// copyTree copies a file or the regular files of a folder, without the secrets in them.
func copyTree(hide *secret.Redactor, from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return err
		case info.Mode().IsRegular():
			if err := copyFile(path, target); err != nil {
				return err
			}
			_, err := hide.File(target)
			return err
		}
		return nil
	})
}

func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
