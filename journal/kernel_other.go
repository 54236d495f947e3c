//go:build !linux || servematrix_readonly

package journal

import "errors"

// Other systems know no priority of a single thread and have no common call
// for a rename that replaces nothing; the callers do without. See kernel_linux.go.

func lowerThread(int) error          { return errors.ErrUnsupported }
func renameNew(string, string) error { return errors.ErrUnsupported }
