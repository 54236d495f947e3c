package report

import (
	"bufio"
	"fmt"
	"io"

	"servematrix/compare"
)

// CompareText draws a comparison for a terminal; metrics are the columns, nil for the usual ones.
func CompareText(w io.Writer, r *compare.Result, metrics []string) error {
	c := comparison{r, CompareColumns(r, metrics)}
	out := bufio.NewWriterSize(w, 64<<10)
	for _, line := range c.warnings() {
		fmt.Fprintf(out, "*** %s ***\n", line)
	}
	fmt.Fprintln(out, visible(c.heading()))
	for _, arm := range c.Arms[1:] {
		rows := c.rows(arm)
		if len(rows) == 0 {
			continue
		}
		if len(c.Arms) > 2 {
			fmt.Fprintf(out, "\n%s\n", visible(c.Arms[0]+" → "+arm))
		}
		if err := alignTable(out, c.columns(), shownRows(rows)); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "\nIs this a clean A/B?")
	for _, clean := range c.Clean {
		if len(c.Arms) > 2 {
			fmt.Fprintf(out, "%s: ", visible(clean.Arm))
		}
		fmt.Fprintln(out, visible(answer(clean)))
		rows := c.differences(clean.Arm)
		if len(rows) == 0 {
			continue
		}
		columns := []column{{differenceHeads[0], false}, {c.Arms[0], false}, {clean.Arm, false}}
		for i := range columns {
			columns[i].head = visible(columns[i].head)
		}
		if err := alignTable(out, columns, shownRows(rows)); err != nil {
			return err
		}
	}
	fmt.Fprintln(out)
	for _, line := range c.remarks() {
		fmt.Fprintln(out, visible(line))
	}
	return out.Flush()
}

func shownRows(rows [][]string) [][]string {
	for _, row := range rows {
		for i := range row {
			row[i] = visible(row[i])
		}
	}
	return rows
}
