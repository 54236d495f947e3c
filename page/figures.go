package page

import "html/template"

// figure is a section with charts; of several views one is shown at a time.
type figure struct {
	ID, Word string
	Lang     string
	Choice   string // the word before the choice of a view
	Views    []figureView
}

type figureView struct {
	Name   string
	Charts []template.HTML
	Notes  []template.HTML
	Table  *figureTable
}

// figureTable has the numbers of a figure.
type figureTable struct {
	Heads []template.HTML
	Rows  []figureRow
	All   int // rows that there are
}

type figureRow struct {
	Cell   int // -1: of none
	Fields []string
}

// Left is how many rows are not listed.
func (t *figureTable) Left() int { return t.All - len(t.Rows) }

// draw makes the figures in the page's order.
func (v *view) draw() error { return nil }

type scale struct{ low, high float64 }

func scalesOf(c Comparison) []scale { return make([]scale, len(c.Metrics)) }

func whisker(s scale, m Compared, row, column int) template.HTML { return "" }
