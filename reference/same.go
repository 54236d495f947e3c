package reference

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// sameText compares values as numbers where both are some, else as text without regard to case.
func sameText(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && x == y || strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// sameModel compares the last parts of two names: a model lies in another folder everywhere.
func sameModel(a, b string) bool {
	last := func(s string) string { return path.Base(strings.TrimRight(strings.TrimSpace(s), "/")) }
	return sameText(last(a), last(b))
}

// sameDevice takes "H200" and "NVIDIA H200" for the same.
func sameDevice(a, b string) bool {
	a, b = strings.ToLower(strings.TrimSpace(a)), strings.ToLower(strings.TrimSpace(b))
	return a == b || slices.Contains(strings.Fields(a), b) || slices.Contains(strings.Fields(b), a)
}
