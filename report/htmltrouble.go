package report

import (
	"fmt"
	"slices"
	"strings"

	"servematrix/page"
)

// troublesOf says for a page what befell cells.
func (p *paging) troublesOf(all []*trouble, at map[string]int) (out []page.Trouble) {
	for _, t := range all {
		one := page.Trouble{}
		var codes, details []string
		var titles []page.Text
		if t.failure != nil {
			codes = append(codes, visible(t.failure.Class))
			p.explained(&one, t)
		}
		for _, r := range t.reasons {
			codes = append(codes, visible(r.Reason))
			titles = append(titles, findingOf(r.Reason))
			if r.Detail != "" {
				details = append(details, visible(r.Detail))
			}
		}
		one.Class = strings.Join(codes, " ")
		if one.Title.EN == "" {
			one.Title = listedTexts(titles)
		}
		if one.Message.EN == "" {
			one.Message = happened(strings.Join(details, "; "))
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
	one.Phase, one.Message, one.Place = f.Phase, happened(f.Message), f.Place
	one.Title, one.Hint, one.Source = page.Text{EN: f.Means, ZH: zh.Means}, page.Text{EN: f.Hint, ZH: zh.Hint}, f.Source
	for _, l := range f.Lines {
		if l.Place != "" {
			l.Text = l.Place + ": " + l.Text
		}
		one.Lines = append(one.Lines, strings.TrimRight(l.Text, " "))
	}
	one.Command = strings.Join(f.tries(), "\n")
}

// findingOf says what a validity reason means; one that is not known stays what it is.
func findingOf(reason string) page.Text {
	if words, known := reasonWords[reason]; known {
		return words
	}
	return page.Text{EN: visible(reason), ZH: visible(reason)}
}

// listedTexts joins texts, each once.
func listedTexts(all []page.Text) page.Text {
	var en, zh []string
	for _, t := range all {
		if !slices.Contains(en, t.EN) {
			en, zh = append(en, t.EN), append(zh, t.ZH)
		}
	}
	return page.Text{EN: strings.Join(en, "; "), ZH: strings.Join(zh, "；")}
}

// inBoth is a warning with the number of times it was given.
func (t tallied) inBoth() page.Text {
	words := happened(visible(t.message))
	if t.times > 1 {
		times := fmt.Sprintf(" (×%d)", t.times)
		words.EN, words.ZH = words.EN+times, words.ZH+times
	}
	return words
}
