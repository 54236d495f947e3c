// Package program is how the programs of perf that measure the built binary begin and end. It knows
// nothing of what they measure; their main functions call it.
package program

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// Main reads the flags, of which *bin names the binary, and measures with a temporary folder that is
// removed behind it. It ends with 2 without a binary, and with 1 where measure says that what it is
// to hold does not.
func Main(bin *string, measure func(dir string) (holds bool)) {
	flag.Parse()
	if *bin == "" {
		Wrong("give the binary with -bin")
	}
	dir, err := os.MkdirTemp("", name()+"-")
	Check(err)
	holds := measure(dir)
	Check(os.RemoveAll(dir))
	if !holds {
		os.Exit(1)
	}
}

// Wrong ends the program with 2 for how it was called.
func Wrong(what string) {
	fmt.Fprintf(os.Stderr, "%s: %s\n", name(), what)
	os.Exit(2)
}

// Check ends the program with 1 where something failed that has to work.
func Check(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name(), err)
		os.Exit(1)
	}
}

func name() string { return filepath.Base(os.Args[0]) }
