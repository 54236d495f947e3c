package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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
folders of such files, and whole combined reports, and prints one sample a line: the object of
results.jsonl, null where nobody knows. With --out the samples become DIR/results.jsonl beside
copies of the files under DIR/sources, in which secrets are hidden; DIR must be new. It is a record, not a run: there is
nothing in it to resume.

Exit codes: 0 imported · 2 usage, or a file has no result`,
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
	samples, err := result.Import(paths)
	if err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, s := range samples {
		if err := enc.Encode(s); err != nil {
			return err
		}
	}
	fmt.Fprintf(env.Stderr, "%s from %s\n", count(len(samples), "sample"), count(len(paths), "source"))
	if out == "" {
		_, err := env.Stdout.Write(b.Bytes())
		return err
	}
	var hide secret.Redactor
	hide.AddEnviron(env.Env, nil)
	if err := record(&hide, env.path(out), paths, b.Bytes()); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return usageError("%s is there already; give --out a new folder", out)
		}
		return usageError("the samples cannot be written: %w", err)
	}
	_, err = fmt.Fprintln(env.Stdout, shown(env, env.path(out)))
	return err
}

// record makes the folder whole or not at all.
func record(hide *secret.Redactor, dir string, sources []string, samples []byte) (err error) {
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
	if err := os.WriteFile(filepath.Join(tmp, "results.jsonl"), samples, 0o644); err != nil {
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
