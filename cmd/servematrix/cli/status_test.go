package cli

import (
	"fmt"
	"strings"
	"testing"
)

// Of a long list status shows a part, and says how much more there is.
func TestStatusSaysWhatItLeavesOut(t *testing.T) {
	st := standing{State: runCrashed}
	for i := range most + 5 {
		st.Warnings = append(st.Warnings, fmt.Sprint("warning ", i))
		st.Damaged = append(st.Damaged, fmt.Sprint("place ", i))
	}
	var b strings.Builder
	if err := st.write(&b); err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]int{"warning   warning ": most, "warning   … and 5 before these\n": 1, "warning 24\n": 1, "damaged   place ": most, "damaged   place 0\n": 1, "          … and 5 more\n": 1, "go on": 0} {
		if got := strings.Count(b.String(), what); got != want {
			t.Errorf("%q is said %d times, want %d:\n%s", what, got, want, b.String())
		}
	}
}
