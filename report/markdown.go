package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"servematrix/journal"
	"servematrix/page"
	"servematrix/result"
)

// Markdown draws the short report: what came out in one line, the failures, the table, and the
// cells folded below. It fits into one comment of an issue; what does not fit is named.
func Markdown(w io.Writer, folder journal.Folder) error { return MarkdownWithCharts(w, folder, "") }

// MarkdownWithCharts draws the same for a file, and writes the charts that it links into a folder
// beside that: charts for report.md, b-charts for b.md; "" writes none.
func MarkdownWithCharts(w io.Writer, folder journal.Folder, file string) error {
	p := newPaging(folder)
	if p.planless {
		return p.first
	}
	p.fold(p.ahead(p.prepare))
	err := p.nothing()
	if err != nil {
		return err
	}
	rows := p.table()
	if p.pictures, err = page.Pictures(p.charted(rows)); err != nil {
		return err
	}
	if file != "" {
		p.charts = chartsBeside(file)
		if err := writeCharts(filepath.Join(filepath.Dir(file), p.charts), p.pictures, 0o644); err != nil {
			return err
		}
	}
	if _, err = w.Write(p.markdown(rows)); err != nil {
		return err
	}
	return p.incomplete()
}

func writeMarkdown(t *tally) error {
	return journal.WriteFile(t.folder.Path(markdownFile), t.markdown(t.table()))
}

// An issue or comment takes 65,536 characters. The parts share them: the failures first, the
// table next, the details get what is left.
const (
	markdownMost = 60_000
	failuresMost = 20_000
	warningsMost = 5_000
	tableMost    = 30_000
	chartsMost   = 2_000
)

func (t *tally) markdown(rows []Row) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## %s: %s\n\n", escape(t.plan.Name), t.summaryCounts(rows, english))
	if smoke := t.plan.Smoke; smoke != nil {
		fmt.Fprintf(&b, "> **"+english.smoke+"**\n\n", smoke.Requests)
	}
	if simulated(rows) {
		fmt.Fprintf(&b, "> **%s**\n\n", english.simulatedNumbers)
	}
	fmt.Fprintf(&b, "%s\n\n", t.standing(rows))
	for _, gap := range append(t.lacks(), t.mend()...) {
		fmt.Fprintf(&b, "> **%s**\n\n", escape(clip(gap.EN, lineMost)))
	}
	t.markdownFailures(&b, rows)
	t.markdownWarnings(&b, rows)
	t.markdownTable(&b, rows)
	t.markdownCharts(&b)
	t.markdownServers(&b)
	t.markdownReplaced(&b)
	t.markdownDetails(&b, rows)
	return b.Bytes()
}

// standing says how far the run has come.
func (t *tally) standing(rows []Row) string {
	if t.plan.Imported != nil {
		return escape(t.importedLine(english))
	}
	span := fmt.Sprintf(english.span, stamp(t.began), stamp(t.last), t.took.Round(time.Second), english.sessions.of(t.sessions))
	if t.sessions == 0 {
		return "The run has not begun."
	}
	if t.crashed() {
		return "**" + escape(t.crash(english)) + "** It ran " + span + ". " + escape(t.left(rows, english))
	}
	if t.verdict == nil {
		return "The run has not ended; so far it ran " + span + "."
	}
	span = "Ran " + span + "."
	if t.verdict.Missing > 0 && t.first == nil {
		span += " " + fmt.Sprintf(english.incomplete, t.verdict.Missing)
	}
	return span
}

// part writes pieces until one does not fit into what is left of a part's share, and tells how
// many it wrote.
func part(b *bytes.Buffer, most, n int, piece func(i int) string) int {
	most = min(most, markdownMost-b.Len())
	for i := range n {
		s := piece(i)
		if most -= len(s); most < 0 {
			return i
		}
		b.WriteString(s)
	}
	return n
}

func (t *tally) markdownFailures(b *bytes.Buffer, rows []Row) {
	all := troubles(rows)
	if len(all) == 0 {
		return
	}
	b.WriteString("### Failures\n\n")
	n := part(b, failuresMost, len(all), func(i int) string { return t.markdownTrouble(all[i]) })
	if n < len(all) {
		fmt.Fprintf(b, "- … and %d more kinds of failure, in %s\n\n", len(all)-n, reportFile)
	}
}

func (t *tally) markdownWarnings(b *bytes.Buffer, rows []Row) {
	doubtful := doubts(rows)
	n := len(t.warnings) + len(doubtful)
	if n == 0 {
		return
	}
	b.WriteString("### Warnings\n\n")
	wrote := part(b, warningsMost, n, func(i int) string {
		if i < len(t.warnings) {
			return "- " + escape(clip(t.warnings[i].written("%s (×%d)"), lineMost)) + "\n"
		}
		return strings.TrimSuffix(t.markdownTrouble(doubtful[i-len(t.warnings)]), "\n")
	})
	if wrote < n {
		fmt.Fprintf(b, "- … and %d more, in %s\n", n-wrote, reportFile)
	}
	b.WriteByte('\n')
}

// markdownTable draws the end table: a row for each cell, of a run with one block its row.
func (t *tally) markdownTable(b *bytes.Buffer, rows []Row) {
	b.WriteString("### Results\n\n")
	if severalBlocks(rows) {
		table := t.repeatTable(repeats(rows), english)
		fmt.Fprintf(b, "%s\n\n", escape(strings.ReplaceAll(table.legend(), "\n", " ")))
		markdownLines(b, table.columns(), len(table.cells), func(i int) []string { return table.line(table.cells[i]) })
		return
	}
	metrics := t.columnsOf(rows)
	markdownLines(b, rowColumns(english, metrics, imported(rows)), len(rows), func(i int) []string { return rowLine(rows[i], metrics, english) })
}

// markdownLines draws the lines of a table that fit.
func markdownLines(b *bytes.Buffer, columns []column, lines int, line func(i int) []string) {
	heads, rules := "|", "|"
	for _, c := range columns {
		heads += " " + escape(c.head) + " |"
		rules += map[bool]string{false: "---|", true: "--:|"}[c.right]
	}
	b.WriteString(heads + "\n" + rules + "\n")
	n := part(b, tableMost, lines, func(i int) string {
		text := "|"
		for _, field := range line(i) {
			text += " " + escape(field) + " |"
		}
		return text + "\n"
	})
	b.WriteByte('\n')
	if n < lines {
		fmt.Fprintf(b, "%d more rows are in %s and %s.\n\n", lines-n, reportFile, csvFile)
	}
}

// markdownDetails folds one block per measured cell: its commands and its metrics.
func (t *tally) markdownDetails(b *bytes.Buffer, rows []Row) {
	const margin = 200 // for the line that says what was left out
	n := part(b, markdownMost-b.Len()-margin, len(rows), func(i int) string { return t.markdownCell(rows[i]) })
	if n < len(rows) {
		fmt.Fprintf(b, "The details of %d more cells are in %s and %s.\n", len(rows)-n, reportFile, jsonlFile)
	}
}

func (t *tally) markdownCell(row Row) string {
	if row.Attempt == 0 {
		return ""
	}
	folder := journal.AttemptName(row.Cell, row.Block, row.Attempt)
	s, err := readSample(t.folder.Path(folder, journal.SampleFile), "", result.ParseSample)
	if err != nil {
		return ""
	}
	var b strings.Builder
	mark := ""
	if row.Simulated {
		mark = " (" + english.simulatedRow + ")"
	}
	which := fmt.Sprintf("block %d, attempt %d", row.Block, row.Attempt)
	if row.Source != nil {
		which = inHTML(sourceOf(row.Source))
	}
	fmt.Fprintf(&b, "<details><summary>%s × %s, %s: %s%s</summary>\n\n",
		inHTML(row.Server), inHTML(row.Client), which, english.statusOf(row.Status), mark)
	if lines := commands(s); len(lines) > 0 {
		b.WriteString(fence(lines, ""))
	}
	if names := s.Metrics.Names(); len(names) > 0 && row.Status != StatusInterrupted {
		b.WriteString("\n| metric | value |\n|---|--:|\n")
		for _, name := range names {
			if v, ok := s.Metrics.Get(name); ok {
				fmt.Fprintf(&b, "| %s | %s |\n", escape(name), legible(v))
			}
		}
	}
	fmt.Fprintf(&b, "\n%s\n\n</details>\n\n", code(filepath.ToSlash(folder)))
	return b.String()
}

// legible writes a number for people: to three decimals, below one to three digits that count.
// results.csv and results.jsonl have all of them.
func legible(v float64) string {
	format := byte('f')
	if math.Abs(v) < 1 {
		format = 'g'
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, format, 3, 64), 64) // what was just written is a number
	return short(rounded)
}

// fence puts lines that somebody else wrote into a code block that they cannot close.
func fence(lines []string, indent string) string {
	short := make([]string, len(lines))
	for i, line := range lines {
		short[i] = clip(line, lineMost)
	}
	return fenced("text", short, indent)
}

// fenced is fence for lines in a language, which stay whole.
func fenced(language string, lines []string, indent string) string {
	var text strings.Builder
	ticks := "```"
	for _, line := range lines {
		line = visible(line)
		for strings.Contains(line, ticks) {
			ticks += "`"
		}
		text.WriteString(indent + line + "\n")
	}
	return indent + ticks + language + "\n" + text.String() + indent + ticks + "\n"
}

// code puts one word or line into a code span that it cannot close. There is no empty code span:
// two backticks would begin one.
func code(s string) string {
	if s = visible(s); s == "" {
		return ""
	}
	ticks := "`"
	for strings.Contains(s, ticks) {
		ticks += "`"
	}
	if len(ticks) > 1 {
		return ticks + " " + s + " " + ticks
	}
	return ticks + s + ticks
}

// special are the characters that mean something in Markdown.
const special = "\\`*_{}[]()+!|~$"

// inert takes the meaning from what means something in HTML, and from what GitHub reads as a
// call: @name and #12. An empty comment keeps it from that, where a backslash does not.
var inert = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "@<!-- -->", "#", "#<!-- -->")

// inHTML makes text mean nothing but itself inside an HTML block, where Markdown is not read.
func inHTML(s string) string { return inert.Replace(visible(s)) }

// escape makes text mean nothing but itself in Markdown.
func escape(s string) string {
	var b strings.Builder
	for _, r := range visible(s) {
		if strings.ContainsRune(special, r) {
			b.WriteByte('\\')
			b.WriteRune(r)
			continue
		}
		b.WriteString(inert.Replace(string(r)))
	}
	return b.String()
}
