package sim

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"
)

func flags(t *testing.T, args ...string) Options {
	t.Helper()
	var o Options
	fs := pflag.NewFlagSet("sim serve", pflag.ContinueOnError)
	AddFlags(fs, &o)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestFlagDefaultsAreTheZeroValues(t *testing.T) {
	fromFlags, err := flags(t).resolved()
	if err != nil {
		t.Fatal(err)
	}
	fromZero, err := Options{Noise: 0.02, Workers: 1}.resolved()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromZero, fromFlags, cmpopts.IgnoreFields(Options{}, "Seed", "OnListen"), cmpopts.IgnoreUnexported(Options{})); diff != "" {
		t.Error(diff)
	}
}

func TestEitherEnginesNamesWork(t *testing.T) {
	a := flags(t, "--style", "vllm", "--max-num-seqs", "7", "--block-size", "32", "--max-model-len", "99", "--max-num-batched-tokens", "512",
		"--no-enable-prefix-caching", "--model-path", "/m", "--tensor-parallel-size", "4")
	b := flags(t, "--style=vllm", "--max-running-requests=7", "--page-size=32", "--context-length=99", "--chunked-prefill-size=512",
		"--disable-radix-cache", "--model=/m", "--workers=4")
	if diff := cmp.Diff(a, b, cmpopts.IgnoreFields(Options{}, "OnListen"), cmpopts.IgnoreUnexported(Options{})); diff != "" {
		t.Error(diff)
	}
	if !flags(t, "--disable-radix").DisableRadixCache { // SGLang's argparse takes unambiguous prefixes
		t.Error("--disable-radix has no effect")
	}
}

func TestZeroDurationsMeanNone(t *testing.T) {
	o, err := flags(t, "--startup", "0", "--decode-base", "0s", "--decode-per-seq", "0", "--stop-poll", "1s").resolved()
	if err != nil || o.Startup != 0 || o.DecodeBase != 0 || o.DecodePerSeq != 0 || o.StopPoll != time.Second {
		t.Errorf("%+v, %v", o, err)
	}
}
