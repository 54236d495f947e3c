package report

import (
	"strings"

	"servematrix/journal"
	"servematrix/page"
)

// troublesOf says for a page what befell cells.
func (p *paging) troublesOf(all []*trouble, at map[string]int) (out []page.Trouble) {
	for _, t := range all {
		one := page.Trouble{}
		var codes, details []string
		if f := t.failure; f != nil {
			one.Phase, one.Message = visible(f.Phase), visible(clip(f.Message, lineMost))
			codes = append(codes, visible(f.Class))
			if f.File != "" {
				one.Place = place(*f)
			}
			for _, line := range f.Tail {
				one.Lines = append(one.Lines, visible(clip(strings.TrimRight(line, " \t\r\n"), lineMost)))
			}
		}
		for _, r := range t.reasons {
			codes = append(codes, visible(r.Reason))
			if r.Detail != "" {
				details = append(details, visible(r.Detail))
			}
		}
		one.Class = strings.Join(codes, " ")
		one.Title = page.Text{EN: one.Class, ZH: one.Class}
		if one.Message == "" {
			one.Message = strings.Join(details, "; ")
		}
		for _, row := range t.rows {
			hit := page.Hit{Cell: placeOf(at, row.Cell), Name: visible(row.Server + " × " + row.Client), Block: row.Block, Status: row.Status}
			switch {
			case row.Log != "":
				hit.Log = visible(row.Log)
			case row.Attempt > 0:
				hit.Log = visible(journal.AttemptName(row.Cell, row.Block, row.Attempt))
			}
			one.Rows = append(one.Rows, hit)
		}
		out = append(out, one)
	}
	return out
}
