package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"servematrix/compare"
)

// summaryMost is what one step may append to the summary of a GitHub workflow: 1 MiB.
const summaryMost = 1 << 20

// CompareMarkdown draws a comparison to be pasted into an issue or a pull request: it fits into
// one comment. metrics are the columns, nil for the usual ones.
func CompareMarkdown(w io.Writer, r *compare.Result, metrics []string) error {
	_, err := w.Write(comparison{r, CompareColumns(r, metrics)}.markdown(markdownMost))
	return err
}

// CompareSummary is CompareMarkdown for the summary of a GitHub workflow, of which more can be
// shown; taken is how many bytes the summary has already.
func CompareSummary(w io.Writer, r *compare.Result, metrics []string, taken int64) error {
	most := int64(summaryMost) - taken
	text := comparison{r, CompareColumns(r, metrics)}.markdown(int(max(most, 0)))
	if int64(len(text)) > most {
		return fmt.Errorf("the summary is full: it takes 1 MiB, and holds %d bytes", taken)
	}
	_, err := w.Write(text)
	return err
}

// markdown draws as many rows as fit into most bytes. Warnings, the answer and the first rows
// come first; a line says how many were left out.
func (c comparison) markdown(most int) []byte {
	var b, tail bytes.Buffer
	for _, line := range c.warnings() {
		fmt.Fprintf(&b, "> **%s**\n\n", line)
	}
	fmt.Fprintf(&b, "### %s\n\n", escape(clip(c.Arms[0]+" → "+listed(c.Arms[1:], 8), lineMost)))
	for _, clean := range c.Clean {
		of := ""
		if len(c.Arms) > 2 {
			of = " " + code(clean.Arm)
		}
		fmt.Fprintf(&b, "**Is this a clean A/B?**%s %s\n\n", of, escape(clip(answer(clean), lineMost)))
	}
	for _, line := range c.remarks() {
		fmt.Fprintf(&tail, "- %s\n", escape(clip(line, lineMost)))
	}
	const margin = 400 // for the lines that say what was left out
	left := most - b.Len() - tail.Len() - margin
	share := left / max(1, len(c.Clean))
	for _, clean := range c.Clean {
		rows, differences := c.rows(clean.Arm), c.differences(clean.Arm)
		head := markdownHead(c.columns())
		if len(c.Arms) > 2 {
			head = "#### " + escape(clean.Arm) + "\n\n" + head
		}
		left := share - len(head)
		part := markdownRows(&b, head, rows, left*3/4)
		if part < len(rows) {
			fmt.Fprintf(&b, "\n%d more cells are left out here.\n", len(rows)-part)
		}
		head = markdownHead([]column{{differenceHeads[0], false}, {c.Arms[0], false}, {clean.Arm, false}})
		if part := markdownRows(&b, "\n"+head, differences, left/4-len(head)); part < len(differences) {
			fmt.Fprintf(&b, "\n%d more differences are left out here.\n", len(differences)-part)
		}
		b.WriteByte('\n')
	}
	b.Write(tail.Bytes())
	return b.Bytes()
}

func markdownHead(columns []column) string {
	heads, rule := make([]string, len(columns)), strings.Builder{}
	for i, c := range columns {
		heads[i] = escape(c.head)
		if c.right {
			rule.WriteString("--:|")
		} else {
			rule.WriteString("---|")
		}
	}
	return "| " + strings.Join(heads, " | ") + " |\n|" + rule.String() + "\n"
}

// markdownRows writes a table's head and as many rows as fit, and tells how many.
func markdownRows(b *bytes.Buffer, head string, rows [][]string, most int) int {
	if len(rows) == 0 {
		return 0
	}
	b.WriteString(head)
	for i, row := range rows {
		cells := make([]string, len(row))
		for j := range row {
			cells[j] = escape(row[j])
		}
		line := "| " + strings.Join(cells, " | ") + " |\n"
		if most -= len(line); most < 0 {
			return i
		}
		b.WriteString(line)
	}
	return len(rows)
}
