package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"servematrix/engine"
	"servematrix/matrix"
)

// loadSweep reads a sweep and completes its plan with what the profiles know.
// The plan is nil when problems has errors.
func loadSweep(env Env, path string) (plan *matrix.Plan, catalog *engine.Catalog, problems matrix.Problems, err error) {
	file := env.path(path)
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, nil, usageError("the sweep cannot be read: %w", err)
	}
	plan, problems = matrix.Parse(path, source, matrix.Options{
		Getenv: env.Getenv,
		Digest: func(name string) (string, error) { return digest(beside(file, name)) },
	})
	if problems.HasErrors() {
		return nil, nil, problems, nil
	}
	files := make([]string, len(plan.Profiles))
	for i, name := range plan.Profiles {
		files[i] = beside(file, name)
	}
	catalog, err = engine.Load(files...)
	if wrong, ok := errors.AsType[matrix.Problems](err); ok {
		return nil, nil, append(problems, wrong...), nil
	}
	if err != nil {
		return nil, nil, problems, &exitError{code: exitUsage, err: err}
	}
	problems = append(problems, catalog.Complete(plan)...)
	if problems.HasErrors() {
		return nil, nil, problems, nil
	}
	return plan, catalog, problems, nil
}

// path resolves a path as the user typed it.
func (e Env) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// beside resolves a path that stands in a file.
func beside(file, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(file), name)
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
