package cli

import (
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"servematrix/bench"
	"servematrix/sim"
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

Exit codes: 0 measured · 1 no request was served · 2 usage · 130/143 interrupted`,
		Example: "  servematrix bench --base-url http://127.0.0.1:30000 --num-prompts 100 --max-concurrency 8",
		Args:    func(_ *cobra.Command, words []string) error { return opt.TakeWords(words) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return codeError(bench.Run(ctx, opt, env.Stdout, env.Stderr))
		},
	}
	cmd.Flags().SortFlags = false // where to, what, when, and what is told of it
	bench.AddFlags(cmd.Flags(), &opt)
	return cmd
}

// codeError is the end of a program within the program: it has said everything itself.
func codeError(code int) error {
	if code == 0 {
		return nil
	}
	return exitWith(code)
}
