package main

import "servematrix/cmd/servematrix/cli"

// exitCodes draws the table that the help has too.
func exitCodes([]string) (string, error) {
	var rows [][]string
	for _, c := range cli.ExitCodes {
		rows = append(rows, []string{code(c.Codes), c.Means, c.Like})
	}
	return table([]string{"code", "means", "such as"}, rows), nil
}
