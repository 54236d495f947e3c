package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"servematrix/schema"
)

func newSchema(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON Schema of a file that servematrix reads or writes",
		Long: `Prints the JSON Schema of a file or an output as this version reads or writes it; without NAME the
names of all. sweep and profile are for editors (draft-07), the others for scripts (draft 2020-12);
docs/reference/ explains them.

Exit codes: 0 printed · 2 usage, or there is no such schema`,
		Example:   "  servematrix schema event > event.schema.json\n  servematrix schema sweep > servematrix.schema.json",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: schema.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(env.Stdout, strings.Join(schema.Names(), "\n"))
				return err
			}
			text, err := schema.Read(args[0])
			if err != nil {
				return usageError("%w", err)
			}
			_, err = env.Stdout.Write(text)
			return err
		},
	}
}
