package page

import (
	"fmt"
	"strings"

	"servematrix/chart"
)

// Picture is a chart of the page as a file of its own.
type Picture struct {
	File  string // its name: "pareto.svg"
	Title string // what it shows
	SVG   []byte
}

// Pictures draws of each figure of the page the first view, for reports that link pictures. What
// a page says around its charts stands below each: of which run it is, and whether its numbers
// are simulated. They are in English, as Markdown reports are.
func Pictures(d *Data) ([]Picture, error) {
	v := &view{Data: d, Lang: "en"}
	if err := v.draw(); err != nil {
		return nil, err
	}
	var all []Picture
	for _, f := range v.Figures {
		view := f.Views[0]
		title := words[f.Word].EN
		if s := view.Name.EN; s != "" {
			title += ": " + s
		}
		for i, c := range view.Charts {
			p := Picture{File: f.ID + ".svg", Title: title}
			if len(view.Charts) > 1 {
				p.File, p.Title = fmt.Sprintf("%s-%d.svg", f.ID, i+1), title+", "+c.Facet
			}
			p.SVG = chart.Standalone([]byte(c.SVG), v.caption(p.Title))
			all = append(all, p)
		}
	}
	return all, nil
}

// caption stands below a picture.
func (v *view) caption(title string) string {
	parts := []string{title, v.Data.Run}
	if v.Data.Simulated {
		parts = append(parts, words["simulated"].EN)
	}
	return strings.Join(parts, " · ")
}
