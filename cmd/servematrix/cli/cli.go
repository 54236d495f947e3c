package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Env is all that the program sees of the world.
type Env struct {
	Args   []string // without the program's name
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Dir    string   // working folder
	Env    []string // in the form of os.Environ
	Exe    string   // this binary, run for commands whose program is servematrix

	// Exec puts another program in the place of this process.
	Exec func(path string, argv, env []string) error
}

// OSEnv is the world of this process.
func OSEnv() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // every later use of it says what is wrong
	}
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	return Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Dir: dir, Env: os.Environ(), Exe: exe, Exec: syscall.Exec}
}

// Getenv looks a variable up.
func (e Env) Getenv(name string) (string, bool) {
	for i := len(e.Env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(e.Env[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// Run runs the program and gives its exit code.
func Run(ctx context.Context, env Env) int {
	root := Root(env)
	root.SetArgs(spelled(env.Args))
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := closedTrouble(damageTrouble(env, root.ExecuteContext(ctx)))
	var e *exitError
	if err != nil && !(errors.As(err, &e) && e.mute) {
		stderr := &patient{w: env.Stderr}
		fmt.Fprintf(stderr, "servematrix: %v\n", err)
		if e != nil && e.hint != "" {
			fmt.Fprintf(stderr, "  %s\n", e.hint)
		}
	}
	return exitCode(err)
}

// Root is the whole command tree, for manual pages.
func Root(env Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "servematrix",
		Short: "Run every combination of LLM-serving configurations and benchmark clients, and leave one report",
		Long: `servematrix runs every combination of a matrix of LLM-serving configurations (SGLang, vLLM …
with their flags) and benchmark clients, unattended, and leaves one report that can be trusted.

` + exitHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs, // what comes here is no command
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			hint := "see: servematrix --help"
			if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
				hint = "did you mean " + strings.Join(like, " or ") + "?"
			}
			return &exitError{code: exitUsage, err: fmt.Errorf("there is no command %q", args[0]), hint: hint}
		},
	}
	root.SuggestionsMinimumDistance = 2 // letters that may be wrong
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &exitError{code: exitUsage, err: flagError(err), hint: "see: " + cmd.CommandPath() + " --help"}
	})
	root.AddCommand(commands(env)...)
	root.InitDefaultCompletionCmd()
	usageArgs(root)
	return root
}

// usageArgs makes a wrong number of arguments a usage error too, for cmd and all below it.
func usageArgs(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		usageArgs(sub)
	}
	check := cmd.Args
	if check == nil {
		return
	}
	cmd.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return &exitError{code: exitUsage, err: err, hint: "see: " + c.CommandPath() + " --help"}
		}
		return nil
	}
}
