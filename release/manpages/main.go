// Command manpages writes the manual pages of servematrix into a folder, for
// release/build.sh. It is no part of the program, which stays without a page writer.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra/doc"

	"servematrix/cmd/servematrix/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manpages FOLDER (SOURCE_DATE_EPOCH gives the pages' date)")
		os.Exit(2)
	}
	header := &doc.GenManHeader{Section: "1", Source: "servematrix", Manual: "servematrix"}
	if err := doc.GenManTree(cli.Root(cli.Env{}), header, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
}
