package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"servematrix/metric"
	"servematrix/reference"
)

// referenceRemark stands below every comparison with published numbers.
const referenceRemark = "A published number without its spread allows no verdict: the interval is that of the starts measured here alone. Where conditions differ or are unknown, so may anything."

// ReferenceText draws a run beside published numbers for a terminal: of each result first the
// conditions, then the numbers.
func ReferenceText(w io.Writer, c *reference.Comparison) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, visible(referenceHead(c)))
	for i := range c.Matches {
		m := &c.Matches[i]
		fmt.Fprintf(out, "\n%s\n", visible(matchHead(m)))
		if m.Cell != "" {
			fmt.Fprintln(out, "Conditions: "+conditionCount(m))
			if rows := referenceRows(m, visible); len(rows) > 0 {
				if err := alignTable(out, []column{{"condition", false}, {"", false}, {"published", false}, {"here", false}}, rows); err != nil {
					return err
				}
				fmt.Fprintln(out)
			}
		}
		if err := alignTable(out, []column{{"metric", false}, {"published", true}, {"here", true}, {"starts", true}, {"here / published", true}, {"95 % interval", true}}, numberRows(m, visible)); err != nil {
			return err
		}
	}
	for _, note := range c.File.Notes {
		fmt.Fprintf(out, "\nNote: %s", visible(note))
	}
	fmt.Fprintf(out, "\n%s\n", referenceRemark)
	return out.Flush()
}

// ReferenceMarkdown draws the same for a page.
func ReferenceMarkdown(w io.Writer, c *reference.Comparison) error {
	out := bufio.NewWriter(w)
	cell := func(s string) string { return strings.ReplaceAll(visible(s), "|", `\|`) }
	fmt.Fprintf(out, "## %s\n", visible(referenceHead(c)))
	for i := range c.Matches {
		m := &c.Matches[i]
		fmt.Fprintf(out, "\n### %s\n\n", visible(matchHead(m)))
		if m.Cell != "" {
			fmt.Fprintf(out, "Conditions: %s.\n\n", conditionCount(m))
			if rows := referenceRows(m, cell); len(rows) > 0 {
				fmt.Fprint(out, "| condition | | published | here |\n|---|---|---|---|\n")
				for _, row := range rows {
					fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
				}
				fmt.Fprintln(out)
			}
		}
		fmt.Fprint(out, "| metric | published | here | starts | here / published | 95 % interval |\n|---|--:|--:|--:|--:|--:|\n")
		for _, row := range numberRows(m, cell) {
			fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
		}
	}
	for _, note := range c.File.Notes {
		fmt.Fprintf(out, "\nNote: %s\n", visible(note))
	}
	fmt.Fprintf(out, "\n%s\n", referenceRemark)
	return out.Flush()
}

func referenceHead(c *reference.Comparison) string {
	src := c.File.Source
	parts := []string{src.Title}
	for _, part := range []string{src.Date, cmp.Or(src.URL, src.File)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return fmt.Sprintf("%s beside %s (%s)", c.Run, c.File.Name, strings.Join(parts, ", "))
}

func matchHead(m *reference.Match) string {
	if m.Cell == "" {
		return m.Result.Name + ": the run has no valid sample"
	}
	text := fmt.Sprintf("%s: nearest is %s (%d valid %s)", m.Result.Name, m.Cell, m.Starts, plural(m.Starts, "start"))
	if m.Others > 0 {
		text += fmt.Sprintf("; %d more %s as near", m.Others, plural(m.Others, "cell"))
	}
	if m.Simulated {
		text += "; SIMULATED here"
	}
	return text
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func conditionCount(m *reference.Match) string {
	var parts []string
	for _, status := range []string{reference.Same, reference.Differs, reference.Unknown, reference.NotThere} {
		n := m.Count(status)
		if status == reference.Differs && n > 1 {
			status = "differ"
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none is stated")
}

// referenceRows are the conditions that are not the same, those that differ first.
func referenceRows(m *reference.Match, show func(string) string) [][]string {
	var rows [][]string
	for _, status := range []string{reference.Differs, reference.Unknown, reference.NotThere} {
		for _, c := range m.Conditions {
			if c.Status == status {
				rows = append(rows, []string{show(c.Name), status, show(c.There), show(cmp.Or(c.Here, "-"))})
			}
		}
	}
	return rows
}

func numberRows(m *reference.Match, show func(string) string) [][]string {
	var rows [][]string
	for _, n := range m.Numbers {
		info, _ := metric.Lookup(n.Metric)
		label, published, here, ratio, interval := info.Label, n.Text, "-", "-", "-"
		if n.IsRatio {
			label, published = "ratio of "+n.Metric+" to "+m.Result.RatioTo, n.Text+"×"
		}
		if n.Here.N > 0 {
			places := 2
			if n.IsRatio {
				places = 3
			}
			here, ratio = strconv.FormatFloat(n.Here.Mean, 'f', places, 64), strconv.FormatFloat(n.Ratio, 'f', 3, 64)
		}
		if !math.IsNaN(n.Low) {
			interval = fmt.Sprintf("%.3f to %.3f", n.Low, n.High)
		}
		rows = append(rows, []string{show(label), show(published), here, strconv.Itoa(n.Here.N), ratio, interval})
	}
	return rows
}

type referenceJSON struct {
	Reference struct {
		Name   string           `json:"name"`
		Source reference.Source `json:"source"`
	} `json:"reference"`
	Run     string               `json:"run"`
	Results []referenceMatchJSON `json:"results"`
	Notes   []string             `json:"notes"`
}

type referenceMatchJSON struct {
	Name       string                `json:"name"`
	Cell       *string               `json:"cell"`
	Starts     int                   `json:"starts"`
	Others     int                   `json:"others"`
	Simulated  bool                  `json:"simulated,omitempty"`
	Conditions []reference.Checked   `json:"conditions"`
	Metrics    []referenceNumberJSON `json:"metrics"`
}

type referenceNumberJSON struct {
	Metric    string      `json:"metric"`
	RatioTo   *string     `json:"ratio_to"`
	Published float64     `json:"published"`
	N         int         `json:"n"`
	Here      *float64    `json:"here"`
	Ratio     *float64    `json:"ratio"`
	CI        [2]*float64 `json:"ci"`
}

// ReferenceJSON writes the same as one object, with null for what is not known.
func ReferenceJSON(w io.Writer, c *reference.Comparison) error {
	doc := referenceJSON{Run: c.Run, Results: []referenceMatchJSON{}, Notes: append([]string{}, c.File.Notes...)}
	doc.Reference.Name, doc.Reference.Source = c.File.Name, c.File.Source
	for _, m := range c.Matches {
		out := referenceMatchJSON{Name: m.Result.Name, Starts: m.Starts, Others: m.Others, Simulated: m.Simulated, Conditions: append([]reference.Checked{}, m.Conditions...)}
		if m.Cell != "" {
			out.Cell = &m.Cell
		}
		for _, n := range m.Numbers {
			number := referenceNumberJSON{Metric: n.Metric, Published: n.Published, N: n.Here.N, Ratio: finiteOnly(n.Ratio), CI: [2]*float64{finiteOnly(n.Low), finiteOnly(n.High)}}
			if n.IsRatio {
				number.RatioTo = &m.Result.RatioTo
			}
			if n.Here.N > 0 {
				number.Here = finiteOnly(n.Here.Mean)
			}
			out.Metrics = append(out.Metrics, number)
		}
		doc.Results = append(doc.Results, out)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}

func finiteOnly(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}
