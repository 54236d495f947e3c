package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"servematrix/matrix"
	"servematrix/report"
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
		err = problems.WriteGitHub(visibleLines{env.Stdout})
	default:
		err = tellProblems(env, env.Stdout, problems)
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

// tellProblems writes problems for people, with the lines that they point into.
func tellProblems(env Env, w io.Writer, problems matrix.Problems) error {
	return problems.WriteText(visibleLines{w}, sources(env, problems))
}

// visibleLines writes lines of which nothing does anything to a terminal or to the direction of writing.
type visibleLines struct{ io.Writer }

func (v visibleLines) Write(text []byte) (int, error) {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		lines[i] = report.Visible(line)
	}
	if _, err := io.WriteString(v.Writer, strings.Join(lines, "\n")); err != nil {
		return 0, err
	}
	return len(text), nil
}

// sources reads the files that problems point into, so that their lines can be shown: with as many
// characters as they have, so that what is meant can be underlined.
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
		src[p.File] = bytes.Map(drawable, data)
	}
	return src
}

// drawable puts a sign for a character that spelt out would take more room than one.
func drawable(r rune) rune {
	const laysOut = "\ufeff\t\n\r\u0085\u2028\u2029" // begins the file, or ends a line of it
	if ' ' <= r && r <= '~' || strings.ContainsRune(laysOut, r) || report.Visible(string(r)) == string(r) {
		return r
	}
	return utf8.RuneError
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
