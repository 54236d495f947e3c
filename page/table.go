package page

import (
	"fmt"
	"html/template"
)

// column is a heading of the table of all cells; Key is what the script sorts by.
type column struct {
	Key    string
	Head   template.HTML
	Number bool
}

// cellRow is a row of the table as it stands in the file.
type cellRow struct {
	Index          int
	Server, Client string
	Status, Starts string
	Numbers        []string
	Note           Text
}

// rowsMost is how many rows of a table are in the file as text, for print and for readers without
// scripts.
const rowsMost = 200

func (v *view) table() {
	head := func(key string) template.HTML { return both(words[key]) }
	v.Columns = []column{{"server", head("server"), false}, {"client", head("workload"), false}, {"status", head("status"), false}, {"starts", head("starts"), true}}
	for i, m := range v.Data.Metrics {
		v.Columns = append(v.Columns, column{fmt.Sprintf("m%d", i), both(m.Label), true})
	}
	v.Columns = append(v.Columns, column{"note", head("note"), false})
	for i, c := range v.Data.Cells[:min(len(v.Data.Cells), rowsMost)] {
		row := cellRow{Index: i, Server: c.Server, Client: c.Client, Status: c.Status, Starts: fmt.Sprintf("%d/%d", c.Starts, c.Blocks), Note: c.Note}
		for _, e := range c.Numbers {
			row.Numbers = append(row.Numbers, e.plusMinus())
		}
		v.Rows = append(v.Rows, row)
	}
}
