package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"servematrix/cmd/servematrix/cli"
)

// commands draws each command as its help has it.
func commands([]string) (string, error) {
	if runtime.GOOS != "linux" {
		return "", errors.New("this page is made on Linux: elsewhere some commands say only that they need it")
	}
	var b strings.Builder
	describe(&b, cli.Root(cli.Env{}))
	return strings.TrimLeft(b.String(), "\n"), nil
}

func describe(b *strings.Builder, cmd *cobra.Command) {
	if cmd.HasParent() && cmd.Name() != "help" {
		fmt.Fprintf(b, "\n## %s\n%s.\n\n```text\n%s\n\n%s\n```\n", cmd.CommandPath(), cmd.Short, cmd.UseLine(), help(cmd))
		if cmd.Example != "" {
			lines := strings.Split(cmd.Example, "\n")
			for i, line := range lines {
				lines[i] = strings.TrimPrefix(line, "  ")
			}
			fmt.Fprintf(b, "\n```sh\n%s\n```\n", strings.Join(lines, "\n"))
		}
		b.WriteString(flags(cmd))
	}
	if cmd.Name() == "completion" {
		return // its shells' own help is cobra's
	}
	for _, sub := range cmd.Commands() {
		if sub.Name() != "help" && !sub.Hidden {
			describe(b, sub)
		}
	}
}

func help(cmd *cobra.Command) string {
	if cmd.Long == "" {
		return cmd.Short
	}
	return strings.TrimSpace(cmd.Long)
}

// flags draws those of a command, less --help, which all have.
func flags(cmd *cobra.Command) string {
	var rows [][]string
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value, about := pflag.UnquoteUsage(f)
		other := f.DefValue
		if slices.Contains([]string{"[]", "false", "0", "0s"}, other) {
			other = "" // as in the help: nothing that says something
		}
		rows = append(rows, []string{code(strings.TrimSpace(name + " " + value)), code(other), about})
	})
	if rows == nil {
		return ""
	}
	return "\n" + table([]string{"flag", "default", "meaning"}, rows)
}
