package cli

import (
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
With --out the samples become DIR/results.jsonl beside
copies of the files under DIR/sources, in which secrets are hidden; DIR must be new. It is a record, not a run: there is
nothing in it to resume.

Exit codes: 0 imported · 2 usage, or a file has no result or is damaged (--out then makes no folder)`,
		Example: "  servematrix import results/*.txt --out imported",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return importFiles(env, args, out) },
	}
	cmd.Flags().StringVar(&out, "out", "", "folder to make for the samples and their sources (default: samples on stdout)")
	return cmd
}

func importFiles(env Env, names []string, out string) error {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = env.path(name)
		if _, err := os.Stat(paths[i]); err != nil {
			return usageError("%w", err)
		}
	}
	if out == "" {
		return writeSamples(env, names, paths, env.Stdout)
	}
	var hide secret.Redactor
	hide.AddEnviron(env.Env, nil)
	err := record(&hide, env.path(out), paths, func(w io.Writer) error { return writeSamples(env, names, paths, w) })
	var wrong *exitError
	switch {
	case errors.As(err, &wrong):
		return err
	case errors.Is(err, fs.ErrExist):
		return usageError("%s is there already; give --out a new folder", out)
	case err != nil:
		return usageError("the samples cannot be written: %w", err)
	}
	_, err = fmt.Fprintln(env.Stdout, shown(env, env.path(out)))
	return err
}

// writeSamples writes each sample as soon as it is read, so that the size of the sources does not
// matter.
func writeSamples(env Env, names, paths []string, to io.Writer) error {
	w := newSampleWriter(to)
	given := asGiven{names: names, paths: paths}
	debug.SetGCPercent(400) // a short program that makes much garbage and keeps little
	n := 0
	var passed []result.Passed
	err := result.ImportEach(paths, func(s result.Sample) error {
		n++
		given.say(s.Source)
		return w.add(s)
	}, func(p result.Passed) { passed = append(passed, p) })
	if broken := w.close(); broken != nil {
		return broken
	}
	fmt.Fprintf(env.Stderr, "%s from %s\n", count(n, "sample"), count(len(paths), "source"))
	namePassed(env, passed)
	if err != nil {
		return unread(err)
	}
	return nil
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

// namePassed names what was passed over. What only has to be unpacked is named in any case.
func namePassed(env Env, passed []result.Passed) {
	slices.SortStableFunc(passed, func(a, b result.Passed) int { return strings.Compare(b.Why, a.Why) })
	for i, p := range passed {
		switch {
		case p.Why != "":
			fmt.Fprintf(env.Stderr, "passed over: %s %s\n", shown(env, p.Path), p.Why)
		case i < mostPassed:
			fmt.Fprintf(env.Stderr, "passed over: %s holds no result\n", shown(env, p.Path))
		default:
			fmt.Fprintf(env.Stderr, "passed over: %d more without a result\n", len(passed)-i)
			return
		}
	}
}

// record makes the folder whole or not at all.
func record(hide *secret.Redactor, dir string, sources []string, samples func(io.Writer) error) (err error) {
	if _, err := os.Lstat(dir); err == nil {
		return fs.ErrExist
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	results, err := os.OpenFile(filepath.Join(tmp, "results.jsonl"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err := errors.Join(samples(results), results.Close()); err != nil {
		return err
	}
	for i, src := range sources {
		if err := copyTree(hide, src, filepath.Join(tmp, "sources", fmt.Sprintf("%03d-%s", i+1, filepath.Base(src)))); err != nil {
			return err
		}
	}
	return os.Rename(tmp, dir)
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
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
