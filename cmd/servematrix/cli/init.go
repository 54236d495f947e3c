package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"servematrix/cmd/servematrix/draft"
	"servematrix/engine"
	"servematrix/schema"
)

type initOptions struct {
	servers, clients []string
	script           string
	force            bool
}

func newInit(env Env) *cobra.Command {
	var opt initOptions
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a sweep to start from",
		Long: `Writes a commented sweep to FILE (sweep.yaml by default; - is stdout). Without commands it runs as
it stands, on the simulated server. ` + draft.SchemaFile + ` beside it gives editors completion.

--server and --client take commands as they are pasted, prompts and backslashes too. Of several the
common part becomes the command and what differs the axes; beside a single one stand the flags
that are worth sweeping, as comments to take in. --from-script finds the servers and clients in a
shell script: assignments, functions, cases and known ifs are followed, loops unrolled; nothing is
executed. Redirections, pipes, the background, containers and result files are left out and named;
a variable that nobody sets stands under vars, to be filled in.

Exit codes: 0 written · 2 usage, the file is there already, or nothing was found in the script`,
		Example: "  servematrix init sweep.yaml --server 'vllm serve m --tensor-parallel-size 1' --server 'vllm serve m --tensor-parallel-size 2'",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			file := "sweep.yaml"
			if len(args) > 0 {
				file = args[0]
			}
			return initSweep(env, file, opt)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&opt.servers, "server", nil, "a server's command, as one types it; repeatable")
	f.StringArrayVar(&opt.clients, "client", nil, "a client's command; repeatable")
	f.StringVar(&opt.script, "from-script", "", "shell script to take the commands from")
	f.BoolVar(&opt.force, "force", false, "replace FILE if it is there")
	return cmd
}

func initSweep(env Env, file string, opt initOptions) error {
	in := draft.Input{Name: sweepName(env, file), Path: file}
	if file == "-" {
		in.Path = "sweep.yaml"
	}
	catalog, err := engine.Load()
	if err != nil {
		return err
	}
	g := gathered{catalog: catalog, in: &in, secrets: &draft.Secrets{}}
	if err := g.pasted("--server", opt.servers, g.server); err != nil {
		return err
	}
	if err := g.pasted("--client", opt.clients, g.client); err != nil {
		return err
	}
	if opt.script != "" {
		if err := g.script(env, opt.script); err != nil {
			return err
		}
	}
	g.worth()
	if note := draft.Unpaired(in); note != "" {
		g.note(note)
	}
	for i, n := range in.Notes {
		in.Notes[i] = g.secrets.Hidden(n)
	}
	text := draft.Sweep(in)
	if plan, _, _, err := planOf(env, in.Path, text); err == nil && plan != nil {
		if g.reordered(plan); len(in.Notes) > 0 {
			text = draft.Sweep(in)
		}
	}
	if file == "-" {
		_, err := env.Stdout.Write(text)
		return err
	}
	path := env.path(file)
	if _, err := os.Lstat(path); err == nil && !opt.force {
		return &exitError{code: exitUsage, err: fmt.Errorf("%s is there already", file), hint: "give another name, or --force to replace it"}
	}
	if err := writeNew(path, text, opt.force); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s is there already", file)
		}
		return noTarget("sweep", file, err)
	}
	for _, n := range in.Notes {
		fmt.Fprintf(env.Stderr, "note: %s\n", n)
	}
	wrote(env, path)
	if err := writeSchema(env, filepath.Dir(path)); err != nil {
		return usageError("the schema cannot be written: %w", err)
	}
	return checkDraft(env, file)
}

// checkDraft tells at once what is still to be done by hand.
func checkDraft(env Env, file string) error {
	plan, _, problems, err := loadSweep(env, file)
	if err != nil {
		return err
	}
	if err := tellProblems(env, env.Stderr, problems); err != nil {
		return err
	}
	if problems.HasErrors() {
		fmt.Fprintf(env.Stderr, "it needs your hand before it can run; then: servematrix plan %s\n", file)
		return nil
	}
	fmt.Fprintf(env.Stderr, "%s; next: servematrix plan %s\n", inWords(plan), file)
	return nil
}

// writeSchema puts the sweep's schema beside it, in place of an older one; what
// somebody else has under that name stays.
func writeSchema(env Env, dir string) error {
	text, err := schema.Read("sweep")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, draft.SchemaFile)
	old, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(old, text):
		return nil
	case err == nil && !bytes.Contains(old, []byte(`"title": "servematrix sweep"`)):
		fmt.Fprintf(env.Stderr, "note: %s is there already and no schema of ours; it stays\n", shown(env, path))
		return nil
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	wrote(env, path)
	return nil
}

var notSweepName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// sweepName is the file's name, or its folder's where that says more.
func sweepName(env Env, file string) string {
	base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if base == "sweep" || base == "-" || base == "" {
		base = filepath.Base(filepath.Dir(env.path(file)))
	}
	if base = strings.Trim(notSweepName.ReplaceAllString(base, "-"), "-."); base == "" {
		base = "sweep"
	}
	return base
}

// writeNew writes a file that must not be there, unless force.
func writeNew(path string, text []byte, force bool) error {
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, mode, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
