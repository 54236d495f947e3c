package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"servematrix/bench"
	"servematrix/command"
	"servematrix/engine"
	"servematrix/secret"
	"servematrix/sim"
	"servematrix/spelling"
)

func newSim(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "The embedded simulated server",
		Long: `A simulated LLM server: it speaks the OpenAI API, prints an engine's start-up lines, starts
worker processes and can be told to misbehave. Its numbers are a model's, not a machine's.

Exit codes: 2 usage; otherwise those of sim serve`,
		Example: "  servematrix sim serve --port 30000",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return &exitError{code: exitUsage, err: cmdError("sim needs a command: serve"), hint: "see: servematrix sim --help"}
		},
	}
	cmd.AddCommand(newSimServe(env))
	return cmd
}

type cmdError string

func (e cmdError) Error() string { return string(e) }

func newSimServe(env Env) *cobra.Command {
	var opt sim.Options
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve until a signal comes",
		Long: `Serves the OpenAI API with simulated speed until a signal ends it, as the imitated engine would
end: a SIGTERM of --style sglang ends the process by signal 9, like the real one.

Exit codes: 0 ended in order · 1 could not serve · 2 usage · others as a --fault asks for`,
		Example: "  servematrix sim serve --style vllm --port 8000 --startup 2s",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return codeError(sim.Serve(cmd.Context(), opt, env.Stdout, env.Stderr))
		},
	}
	sim.AddFlags(cmd.Flags(), &opt)
	usageArgs(cmd)
	return cmd
}

func newBench(env Env) *cobra.Command {
	var opt bench.Options
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "The embedded benchmark client",
		Long: `Measures an OpenAI-compatible server: closed loop with a concurrency limit, or Poisson arrivals
at a rate; prompts of exact length, conversations from a file, or a trace at its own times; TTFT,
TPOT, ITL and end-to-end latency with percentiles.
The result block goes to stdout, progress to stderr.

Flags are called as those of sglang.bench_serving and have its defaults, so that its command line
works here with the name changed; a flag that means nothing here is left out with a note, one that
has no equivalent is refused. Nothing is downloaded: name --dataset-name random, or a file with
--dataset-path. The whole command of sglang.bench_serving or of vllm bench serve can stand here too.

With --find it searches for the largest request rate or concurrency at which the server meets --slo:
it doubles the load until that fails, narrows the gap down, and measures both ends of it once more for
longer. What that takes at most is printed first. The block is that of the load found.

Exit codes: 0 measured · 1 no request was served · 2 usage · 4 no load met --slo · 130/143 interrupted`,
		Example: `  servematrix bench --base-url http://127.0.0.1:30000 --dataset-name random --num-prompts 100 --max-concurrency 8
  servematrix bench vllm bench serve --base-url http://127.0.0.1:30000 --num-prompts 8 --input-len 64 --output-len 8
  servematrix bench --base-url http://127.0.0.1:30000 --dataset-name random --find max-rate --slo 'p99_ttft_ms<500,mean_tpot_ms<50'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				if err := pastedCommand(cmd, env, &opt, args); err != nil {
					return err
				}
			case opt.OutputDetails && opt.OutputFile == "":
				return unsaved("--output-details")
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return codeError(bench.Run(ctx, opt, env.Stdout, env.Stderr))
		},
	}
	cmd.Flags().SortFlags = false // where to, what, when, and what is told of it
	bench.AddFlags(cmd.Flags(), &opt)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		hint := "see: " + cmd.CommandPath() + " --help"
		if name, unknown := bench.UnknownFlag(err); unknown {
			hint = suggestedFlag(name)
		}
		return &exitError{code: exitUsage, err: flagError(err), hint: hint}
	})
	cmd.Flags().SetInterspersed(false) // what follows another client's name is that client's
	return cmd
}

// suggestedFlag proposes the flag of the embedded client that was meant.
func suggestedFlag(name string) string {
	return strings.Replace(spelling.DidYouMean(name, bench.FlagNames()), `"`, `"--`, 1)
}

// pastedCommand reads the whole command line of another benchmark client behind the embedded
// client's own flags, and says what runs in its place.
func pastedCommand(cmd *cobra.Command, env Env, opt *bench.Options, args []string) error {
	before := env.Args[:len(env.Args)-len(args)]
	e, err := engine.Embedded().Embed(args)
	if _, unknown := errors.AsType[*engine.UnknownClient](err); unknown && cmd.Flags().NFlag() > 0 {
		return stray(before[len(before)-1:], args[0])
	}
	if err == nil {
		err = cmd.Flags().Parse(bench.Spell(e.Args))
	}
	if err != nil {
		return refused(err, engine.Instead(err))
	}
	if e.Saves != "" && opt.OutputFile == "" {
		return unsaved(e.Saves, args...)
	}
	fmt.Fprintf(env.Stderr, "servematrix bench: runs %s\n", planText{hide: &secret.Redactor{}}.line(nil, e.Argv()))
	for _, note := range e.Notes {
		fmt.Fprintf(env.Stderr, "servematrix bench: %s\n", note)
	}
	if len(e.Before) > 0 {
		return refused(behind(env, e.Before, slices.Concat(before, e.Args)), "")
	}
	return nil
}

// refused is a call that the embedded client does not follow, with what to write instead.
func refused(err error, instead string) error {
	return &exitError{code: exitUsage, err: err, hint: cmp.Or(instead, "see: servematrix bench --help")}
}

// unsaved refuses a flag that asks for a file of the result where none is named, before anything is
// measured. It stands in a pasted command, or is the embedded client's own.
func unsaved(flag string, pasted ...string) error {
	if at := slices.IndexFunc(pasted, command.IsFlag); at >= 0 {
		pasted = pasted[:at]
	}
	words := slices.Concat([]string{"servematrix", "bench", "--output-file", "FILE"}, pasted, []string{"…"})
	return refused(fmt.Errorf("%s: nothing would be written without --output-file", flag), "write: "+strings.Join(words, " "))
}

// stray refuses a word behind the embedded client's own flags that begins no command of another client.
func stray(before []string, word string) error {
	flag := strings.TrimLeft(strings.Join(bench.Spell(before), ""), "-")
	if own, known := bench.Own(flag); known && own.Switch && (word == "true" || word == "false") {
		return refused(fmt.Errorf("unexpected argument %q: --%s takes no value", word, flag), fmt.Sprintf("write --%s=%s", flag, word))
	}
	return refused(fmt.Errorf("unexpected argument %q", word), "")
}

// behind puts a wrapper such as taskset in the place of this process, which runs this program with
// args. It comes back with an error alone.
func behind(env Env, wrapper, args []string) error {
	path, err := exec.LookPath(wrapper[0])
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", path, env.Exec(path, slices.Concat(wrapper, []string{env.Exe}, args), env.Env))
}

// spelled writes the embedded client's flags as this program's are read. What stands behind the
// name of another client stays as it is.
func spelled(args []string) []string {
	if len(args) < 2 || args[0] != "bench" || !strings.HasPrefix(args[1], "-") {
		return args
	}
	return append([]string{"bench"}, bench.Spell(args[1:])...)
}

// codeError is the end of a program within the program: it has said everything itself.
func codeError(code int) error {
	if code == 0 {
		return nil
	}
	return exitWith(code)
}
