package report

import (
	"strings"

	"servematrix/page"
)

// troublesOf says for a page what befell cells.
func (p *paging) troublesOf(all []*trouble, at map[string]int) (out []page.Trouble) {
	for _, t := range all {
		one := page.Trouble{}
		var codes, details []string
		if t.failure != nil {
			codes = append(codes, visible(t.failure.Class))
			p.explained(&one, t)
		}
		for _, r := range t.reasons {
			codes = append(codes, visible(r.Reason))
			if r.Detail != "" {
				details = append(details, visible(r.Detail))
			}
		}
		one.Class = strings.Join(codes, " ")
		if one.Title.EN == "" {
			one.Title = page.Text{EN: one.Class, ZH: one.Class}
		}
		if one.Message == "" {
			one.Message = strings.Join(details, "; ")
		}
		for _, row := range t.rows {
			hit := page.Hit{Cell: placeOf(at, row.Cell), Name: visible(row.Server + " × " + row.Client), Block: row.Block, Status: row.Status}
			switch {
			case row.Log != "":
				hit.Log = visible(row.Log)
			case row.Attempt > 0:
				hit.Log = visible(attemptPlace(row))
			}
			one.Rows = append(one.Rows, hit)
		}
		out = append(out, one)
	}
	return out
}

// explained puts in all that is known of a failure; the page is in both languages.
func (p *paging) explained(one *page.Trouble, t *trouble) {
	x := *p.explain
	x.words = chinese
	zh := t.explained(&x)
	x.words = english
	f := t.explained(&x)
	one.Phase, one.Message, one.Place = f.Phase, f.Message, f.Place
	one.Title, one.Hint, one.Source = page.Text{EN: f.Means, ZH: zh.Means}, page.Text{EN: f.Hint, ZH: zh.Hint}, f.Source
	for _, l := range f.Lines {
		if l.Place != "" {
			l.Text = l.Place + ": " + l.Text
		}
		one.Lines = append(one.Lines, strings.TrimRight(l.Text, " "))
	}
	one.Command = strings.Join(f.tries(), "\n")
}
