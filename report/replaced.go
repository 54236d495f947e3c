package report

import (
	"bytes"
	"fmt"

	"servematrix/page"
)

// replacedMost is how many workloads, and how many left out flags of each, a report names.
const replacedMost = 8

// replaced gives the workloads in which the embedded client ran in the place of another command.
func (t *tally) replaced() (all []page.Replaced, more int) {
	for _, c := range t.plan.Clients {
		switch {
		case len(c.Replaced) == 0:
		case len(all) == replacedMost:
			more++
		default:
			r := page.Replaced{Client: visible(c.Name), Command: clip(commandLine(nil, nil, c.Replaced), lineMost)}
			for _, note := range c.LeftOut[:min(len(c.LeftOut), replacedMost)] {
				r.LeftOut = append(r.LeftOut, visible(clip(note, lineMost)))
			}
			r.More = len(c.LeftOut) - len(r.LeftOut)
			all = append(all, r)
		}
	}
	return all, more
}

// markdownReplaced tells of them in the short report.
func (t *tally) markdownReplaced(b *bytes.Buffer) {
	all, more := t.replaced()
	if len(all) == 0 {
		return
	}
	b.WriteString("### Clients\n\nThe embedded client (`servematrix bench`) ran in place of these commands:\n\n")
	n := part(b, effectiveShare, len(all), func(i int) string {
		r := all[i]
		text := "- " + escape(r.Client) + ": " + code(r.Command) + "\n"
		for _, note := range r.LeftOut {
			text += "  - " + escape(note) + "\n"
		}
		if r.More > 0 {
			text += fmt.Sprintf("  - … and %d more\n", r.More)
		}
		return text
	})
	if more += len(all) - n; more > 0 {
		fmt.Fprintf(b, "- … and %d more, in %s\n", more, reportFile)
	}
	b.WriteByte('\n')
}
