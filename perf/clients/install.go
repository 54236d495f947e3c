package clients

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Prepare sees to it that the wanted clients can be run: it builds servematrix where bin is empty,
// and has the examples' scripts install the Python clients under dir, which takes minutes the first
// time. It gives the binary's and the folder's absolute paths. It is called in the repository's root.
func Prepare(ctx context.Context, bin, dir, temp, names string) (string, string, error) {
	if bin == "" {
		bin = filepath.Join(temp, "servematrix")
		if err := command(ctx, "go", "build", "-o", bin, "./cmd/servematrix"); err != nil {
			return "", "", err
		}
	}
	bin, err := filepath.Abs(bin)
	if err != nil {
		return "", "", err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	// The tokenizer of vLLM's example serves all of them.
	if names != Embedded {
		if err := command(ctx, "examples/vllm-cpu/install.sh", filepath.Join(dir, "vllm")); err != nil {
			return "", "", err
		}
	}
	if strings.Contains(names, Benchy) {
		if err := command(ctx, "examples/other-clients/install.sh", filepath.Join(dir, "other-clients")); err != nil {
			return "", "", err
		}
	}
	return bin, dir, nil
}

func command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}
