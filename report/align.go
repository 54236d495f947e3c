package report

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// narrow counts the ambiguous characters as one column everywhere: the width of a table must
// not hang on the locale in which it is drawn.
var narrow = &runewidth.Condition{EastAsianWidth: false}

// column is one column of a table.
type column struct {
	head  string
	right bool // numbers
}

// alignTable writes rows under their heads, columns two spaces apart. Characters of East Asian
// writing are two columns wide, as terminals show them; nothing follows the last word of a line.
func alignTable(w io.Writer, columns []column, rows [][]string) error {
	width := make([]int, len(columns))
	head := make([]string, len(columns))
	rule := make([]string, len(columns))
	for i, c := range columns {
		head[i], width[i] = c.head, narrow.StringWidth(c.head)
		for _, row := range rows {
			width[i] = max(width[i], narrow.StringWidth(row[i]))
		}
		rule[i] = strings.Repeat("-", width[i])
	}
	var b strings.Builder
	for _, row := range append([][]string{head, rule}, rows...) {
		line := make([]string, len(columns))
		for i, c := range columns {
			gap := strings.Repeat(" ", width[i]-narrow.StringWidth(row[i]))
			if c.right {
				line[i] = gap + row[i]
			} else {
				line[i] = row[i] + gap
			}
		}
		b.WriteString(strings.TrimRight(strings.Join(line, "  "), " "))
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
