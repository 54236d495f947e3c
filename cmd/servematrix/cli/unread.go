package cli

import (
	"errors"
	"strings"

	"github.com/hashicorp/go-multierror"
)

// unread gives what an import could not read its exit code, a line each: its errors come nested by
// source and folder.
func unread(err error) error {
	var lines []string
	for _, e := range leaves(err) {
		lines = append(lines, strings.TrimPrefix(e.Error(), "import: "))
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
