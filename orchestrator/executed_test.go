package orchestrator

import (
	"strings"
	"testing"
)

// servematrix need not be on the PATH: its word is this very binary, behind wrappers too.
func TestExecuted(t *testing.T) {
	r := &runner{Options: Options{Exe: "/here/sm"}}
	for line, want := range map[string]string{
		"servematrix bench --tag servematrix": "/here/sm bench --tag servematrix",
		"taskset -c 0 nice servematrix bench": "taskset -c 0 nice /here/sm bench",
		"env A=b servematrix sim serve":       "env A=b /here/sm sim serve",
		"/other/servematrix bench":            "/other/servematrix bench",
		"srun -N 1 servematrix bench":         "srun -N 1 servematrix bench",
		"python3 servematrix":                 "python3 servematrix",
		"nice server --name servematrix":      "nice server --name servematrix",
	} {
		if got := strings.Join(r.executed(command{argv: strings.Fields(line)}), " "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
