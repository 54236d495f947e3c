package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a problem stops a plan.
type Severity string

// A sweep with an Error has no plan; a Warning stops nothing.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is one thing that is wrong with a sweep, for a person to read: what,
// where, and what to do about it.
type Problem struct {
	Pos
	Severity   Severity `json:"severity"`
	Rule       string   `json:"rule"` // stable name of the kind of problem, such as "unknown-key"
	Message    string   `json:"message"`
	Suggestion string   `json:"suggestion,omitempty"` // what to write instead
	Also       []Pos    `json:"also,omitempty"`       // other places that have a part in it
	Len        int      `json:"-"`                    // characters to underline; 0 counts as 1
}

// String writes file:line:col: message [rule].
func (p Problem) String() string {
	warning := ""
	if p.Severity == Warning {
		warning = "warning: "
	}
	return fmt.Sprintf("%s: %s%s [%s]", p.Pos, warning, p.Message, p.Rule)
}

// Problems are all problems of one sweep, sorted by position. As an error it
// lists them; use Err where an error is wanted, so that warnings alone are none.
type Problems []Problem

// HasErrors tells whether one of the problems stops the plan.
func (ps Problems) HasErrors() bool {
	return slices.ContainsFunc(ps, func(p Problem) bool { return p.Severity == Error })
}

// Err gives ps as an error, or nil when it holds warnings at most.
func (ps Problems) Err() error {
	if !ps.HasErrors() {
		return nil
	}
	return ps
}

// Error lists the problems, one a line.
func (ps Problems) Error() string {
	shown, more := ps.capped()
	var b strings.Builder
	for i, p := range shown {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.String())
		if p.Suggestion != "" {
			b.WriteString(": " + p.Suggestion)
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "\n… and %d more", more)
	}
	return b.String()
}

// maxShown bounds a listing: what comes after is mostly caused by what came before.
const maxShown = 20

// capped gives the problems to show, errors before warnings where not all fit, and how many are left out.
func (ps Problems) capped() (shown Problems, more int) {
	if len(ps) <= maxShown {
		return ps, 0
	}
	for _, want := range []Severity{Error, Warning} {
		for _, p := range ps {
			if p.Severity == want && len(shown) < maxShown {
				shown = append(shown, p)
			}
		}
	}
	shown.sort()
	return shown, len(ps) - len(shown)
}

func (ps Problems) sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
}

// joined makes one problem of those of a rule that say the same: what is to be done about them is
// done once.
func (ps Problems) joined(rule string) (out Problems) {
	first := map[string]int{}
	for _, p := range ps {
		at, said := first[p.Message]
		switch {
		case p.Rule != rule:
		case said:
			out[at].Also = append(out[at].Also, p.Pos)
			continue
		default:
			first[p.Message] = len(out)
		}
		out = append(out, p)
	}
	return out
}
