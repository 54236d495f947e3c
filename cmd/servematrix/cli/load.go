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
func loadSweep(env Env, path string) (*matrix.Plan, *engine.Catalog, matrix.Problems, error) {
	source, err := readSweep(env, path)
	if err != nil {
		return nil, nil, nil, err
	}
	return planOf(env, path, source)
}

func readSweep(env Env, path string) ([]byte, error) {
	source, err := os.ReadFile(env.path(path))
	if err != nil {
		return nil, noSweep(env, path, err)
	}
	return source, nil
}

// planOf is loadSweep for a text that was read already; path is where it stands.
func planOf(env Env, path string, source []byte) (plan *matrix.Plan, catalog *engine.Catalog, problems matrix.Problems, err error) {
	file := env.path(path)
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
	besideSweep(plan, file)
	problems = append(problems, catalog.Complete(plan)...)
	if problems.HasErrors() {
		return nil, nil, problems, nil
	}
	return plan, catalog, problems, nil
}

// besideSweep lets clients that bench describes find their files where the sweep lies.
func besideSweep(plan *matrix.Plan, file string) {
	for _, c := range plan.Clients {
		if c.Origins["bench"] != "" && c.Dir == "" {
			c.Dir = filepath.Dir(file)
			c.Origins["dir"] = c.Origins["bench"]
		}
	}
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
