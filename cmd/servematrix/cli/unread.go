package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/go-multierror"
)

// unread gives what an import could not read its exit code, a line each, with its paths as they were
// given: its errors come nested by source and folder.
func unread(err error, names, paths []string) error {
	var lines []string
	for _, e := range leaves(err) {
		line := strings.TrimPrefix(e.Error(), "import: ")
		for i, path := range paths {
			line = strings.ReplaceAll(line, path, names[i])
		}
		if !slices.Contains(lines, line) { // a folder that is looked into more than once
			lines = append(lines, line)
		}
	}
	return &exitError{code: exitUsage, err: errors.New(strings.Join(lines, "\n"))}
}

// leaves gives the errors in lists of errors, whatever wraps those.
func leaves(err error) []error {
	many, is := errors.AsType[*multierror.Error](err)
	if !is {
		return []error{err}
	}
	var out []error
	for _, e := range many.Errors {
		out = append(out, leaves(e)...)
	}
	return out
}
