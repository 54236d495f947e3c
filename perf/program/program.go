// Package program is how the programs of perf that measure the built binary begin and end. It knows
// nothing of what they measure; their main functions call it.
package program

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
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

// Judge reads the flags and measures, until an interrupt ends ctx, with a temporary folder that is
// removed behind it. It ends with 1 where measure fails, and where what it says does not hold and
// *check asks for that.
func Judge(check *bool, measure func(ctx context.Context, dir string) (holds bool, err error)) {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	dir, err := os.MkdirTemp("", name()+"-")
	Check(err)
	holds, failed := measure(ctx, dir)
	stop()
	err = os.RemoveAll(dir)
	Check(failed)
	Check(err)
	if *check && !holds {
		os.Exit(1)
	}
}

// Load is the machine's load of the last minute, as the kernel says it.
func Load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(data))[0]
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
