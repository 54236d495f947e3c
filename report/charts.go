package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"servematrix/journal"
	"servematrix/page"
)

// chartsFolder holds the charts as SVG files, beside the report.md that links them.
const chartsFolder = "charts"

// chartsBeside names the folder for the charts of a Markdown file. One with another name than
// report.md has one of its own, so that two in one place do not share their charts.
func chartsBeside(file string) string {
	name := filepath.Base(file)
	if file == "" || name == markdownFile {
		return chartsFolder
	}
	return strings.TrimSuffix(name, ".md") + "-" + chartsFolder
}

// writeCharts puts each picture in the place of the former one.
func writeCharts(dir string, pictures []page.Picture, mode fs.FileMode) error {
	if len(pictures) == 0 {
		return nil
	}
	enter := mode >> 2 & 0o111 // who may read may look in
	if err := os.MkdirAll(dir, mode|enter); err != nil {
		return fmt.Errorf("the folder of the charts cannot be made: %w", err)
	}
	for _, p := range pictures {
		if err := renameio.WriteFile(filepath.Join(dir, p.File), p.SVG, mode); err != nil {
			return fmt.Errorf("the chart %s cannot be written: %w", p.File, err)
		}
	}
	return nil
}

// chart is the name of a file that writeCharts writes.
var chart = regexp.MustCompile(`^(pareto|heat|curves|timeline|telemetry)(-[0-9]+)?\.svg$`)

// forgetCharts removes from a run's own charts those of a former report that this one no longer has.
func forgetCharts(folder journal.Folder, pictures []page.Picture) error {
	dir := folder.Path(chartsFolder)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		linked := slices.ContainsFunc(pictures, func(p page.Picture) bool { return p.File == e.Name() })
		if e.Type().IsRegular() && chart.MatchString(e.Name()) && !linked {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("former charts cannot be removed: %w", err)
	}
	return nil
}

// markdownCharts links the charts: in an issue there is no file beside the text, so they are
// links and not pictures, and the table says it all.
func (t *tally) markdownCharts(b *bytes.Buffer) {
	if len(t.pictures) == 0 {
		return
	}
	b.WriteString("### Charts\n\n")
	dir := &url.URL{Path: cmp.Or(t.charts, chartsFolder)} // a file can have any name
	part(b, chartsMost, len(t.pictures), func(i int) string {
		p := t.pictures[i]
		return fmt.Sprintf("- [%s](%s/%s)\n", escape(clip(p.Title, lineMost)), dir, p.File)
	})
	b.WriteByte('\n')
}
