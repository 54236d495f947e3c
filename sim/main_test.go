package sim

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/spf13/pflag"
)

// serveEnv makes the test binary the server itself, for tests that need real processes.
const serveEnv = "SIM_TEST_SERVE"

func TestMain(m *testing.M) {
	WorkerMain()
	if os.Getenv(serveEnv) != "" {
		var opt Options
		fs := pflag.NewFlagSet("sim serve", pflag.ContinueOnError)
		AddFlags(fs, &opt)
		if err := fs.Parse(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		// As the command tree does it: the context ends by the same signals that Serve sees itself.
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		os.Exit(Serve(ctx, opt, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
