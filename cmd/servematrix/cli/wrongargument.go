package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"servematrix/journal"
)

// sayArguments lets commands name the argument that is missing or too much, instead of counting.
func sayArguments(all []*cobra.Command) {
	for _, cmd := range all {
		check := cmd.Args
		if check == nil {
			continue
		}
		cmd.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err == nil {
				return nil
			}
			words := strings.Fields(c.Use)[1:]
			needed := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "[") })
			switch {
			case len(args) < len(needed):
				return fmt.Errorf("%s is missing: servematrix %s", strings.TrimSuffix(needed[len(args)], "…"), c.Use)
			case len(words) > 0 && len(args) > len(words):
				return fmt.Errorf("%q is too much: servematrix %s", args[len(words)], c.Use)
			}
			return err
		}
	}
}

// noSweep says why a file is none that a sweep can be read from.
func noSweep(env Env, path string, err error) error {
	info, serr := os.Stat(env.path(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &exitError{code: exitUsage, err: fmt.Errorf("there is no sweep %s", path), hint: "servematrix init " + path + " writes one to begin with"}
	case serr == nil && info.IsDir():
		hint := "name the YAML file in it"
		if _, err := journal.Open(env.path(path)); err == nil {
			hint = "it is a run folder: servematrix resume " + path + " goes on with it; its sweep is " + filepath.Join(path, journal.SweepFile)
		}
		return &exitError{code: exitUsage, err: fmt.Errorf("%s is a folder, not a sweep", path), hint: hint}
	}
	return noSource("sweep", path, err)
}

// noRun says why a path names no run, and what to do.
func noRun(env Env, path string, err error) error {
	hint := "servematrix ls shows the runs under ./runs"
	info, serr := os.Stat(env.path(path))
	switch {
	case errors.Is(err, fs.ErrPermission):
		hint = whoMay
	case errors.Is(serr, fs.ErrNotExist):
		err = fmt.Errorf("there is no run %s", path)
	case serr == nil && !info.IsDir():
		err = fmt.Errorf("%s is a file, not a run folder", path)
		if isYAML(path) {
			hint = "servematrix run " + path + " runs a sweep; " + hint
		}
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s is not a run folder: it has not both %s and %s", path, journal.PlanFile, journal.EventsFile)
	}
	return &exitError{code: exitUsage, err: err, hint: hint}
}

func isYAML(path string) bool {
	ending := filepath.Ext(path)
	return ending == ".yaml" || ending == ".yml"
}
