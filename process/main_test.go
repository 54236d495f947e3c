package process

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	GuardMain()
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "fake":
			fakeMain(os.Args[2:])
		case "parent":
			parentMain(os.Args[2:])
		}
	}
	// The race detector makes every process sleep for a second at its end.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	if err := BecomeSubreaper(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
