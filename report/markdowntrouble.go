package report

import (
	"fmt"
	"strings"
)

// cellsMost is how many cells of one kind of failure are named.
const cellsMost = 10

func (all *tally) markdownTrouble(t *trouble) string {
	var b strings.Builder
	var parts []string
	if f := t.failure; f != nil {
		what := fmt.Sprintf("%s (%s): %s", code(f.Class), escape(f.Phase), escape(clip(f.Message, lineMost)))
		if f.File != "" {
			what += " at " + code(place(*f))
		}
		parts = append(parts, what)
	}
	for _, r := range t.reasons {
		what := code(r.Reason)
		if r.Detail != "" {
			what += ": " + escape(r.Detail)
		}
		parts = append(parts, what)
	}
	fmt.Fprintf(&b, "- %s\n", strings.Join(parts, "; "))
	for i, row := range t.rows {
		if i == cellsMost {
			fmt.Fprintf(&b, "  - … and %d more\n", len(t.rows)-i)
			break
		}
		fmt.Fprintf(&b, "  - **%s** %s × %s, block %d", english.statusOf(row.Status), escape(row.Server), escape(row.Client), row.Block)
		if row.Log != "" {
			fmt.Fprintf(&b, ", log %s", code(row.Log))
		}
		b.WriteByte('\n')
	}
	if t.failure != nil {
		b.WriteString(markdownFailure(t.explained(all.explain)))
	}
	b.WriteByte('\n')
	return b.String()
}

// markdownFailure says of a failure what its one line does not.
func markdownFailure(f Failure) string {
	var b strings.Builder
	var said []string
	for _, l := range f.Lines {
		if l.Place != "" {
			l.Text = l.Place + ": " + l.Text
		}
		said = append(said, l.Text)
	}
	if len(said) > 0 {
		b.WriteString("\n" + fence(said, "  ") + "\n")
	}
	if f.Hint != "" {
		fmt.Fprintf(&b, "  What usually helps: %s (%s)\n\n", escape(f.Hint), escape(f.Source))
	}
	if len(f.Commands) > 0 {
		b.WriteString("  By hand:\n\n" + fenced("bash", f.tries(), "  ") + "\n")
	}
	if f.Logs != "" {
		fmt.Fprintf(&b, "  Logs: %s\n", code(f.Logs))
	}
	return b.String()
}
