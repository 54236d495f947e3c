package report

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"servematrix/page"
)

// chartsFolder holds the charts as SVG files, beside the report.md that links them.
const chartsFolder = "charts"

// writeCharts puts each picture in the place of the former one.
func writeCharts(dir string, pictures []page.Picture, mode fs.FileMode) error {
	if len(pictures) == 0 {
		return nil
	}
	dir = filepath.Join(dir, chartsFolder)
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

// markdownCharts links the charts: in an issue there is no file beside the text, so they are
// links and not pictures, and the table says it all.
func (t *tally) markdownCharts(b *bytes.Buffer) {
	if len(t.pictures) == 0 {
		return
	}
	b.WriteString("### Charts\n\n")
	part(b, chartsMost, len(t.pictures), func(i int) string {
		p := t.pictures[i]
		return fmt.Sprintf("- [%s](%s/%s)\n", escape(clip(p.Title, lineMost)), chartsFolder, p.File)
	})
	b.WriteByte('\n')
}
