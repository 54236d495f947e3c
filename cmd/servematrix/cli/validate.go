package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"servematrix/matrix"
)

func newValidate(env Env) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "validate SWEEP",
		Short: "Find every problem of a sweep",
		Long: `Reads the sweep, expands it and prints every problem with its place, the line and what to do.
Nothing is started. github prints annotations for GitHub Actions.

Exit codes: 0 valid (warnings stop nothing) · 2 the sweep has errors, or usage`,
		Example: "  servematrix validate sweep.yaml --format github",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneFormat(format, "text", "json", "github"); err != nil {
				return err
			}
			return validate(env, args[0], format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json or github")
	return cmd
}

func validate(env Env, path, format string) error {
	plan, _, problems, err := loadSweep(env, path)
	if err != nil {
		return err
	}
	switch format {
	case "json":
		err = problems.WriteJSON(env.Stdout)
	case "github":
		err = problems.WriteGitHub(env.Stdout)
	default:
		err = problems.WriteText(env.Stdout, sources(env, problems))
	}
	if err != nil {
		return err
	}
	if problems.HasErrors() {
		return exitWith(exitUsage)
	}
	fmt.Fprintf(env.Stderr, "%s is valid: %s\n", path, inWords(plan))
	return nil
}

// sources reads the files that problems point into, so that their lines can be shown.
func sources(env Env, problems matrix.Problems) map[string][]byte {
	src := map[string][]byte{}
	for _, p := range problems {
		if _, ok := src[p.File]; ok || p.File == "" {
			continue
		}
		data, err := os.ReadFile(env.path(p.File))
		if err != nil {
			data = nil // it could be read a moment ago; the problem stands without its line
		}
		src[p.File] = data
	}
	return src
}

// inWords sums a plan up: "2 servers × 2 clients, 4 cells, 4 starts".
func inWords(p *matrix.Plan) string {
	return fmt.Sprintf("%s × %s, %s, %s", count(len(p.Servers), "server"), count(len(p.Clients), "client"),
		count(len(p.Cells), "cell"), count(p.Launches, "start"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
