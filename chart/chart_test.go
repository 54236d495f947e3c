package chart_test

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"servematrix/chart"

	"github.com/google/go-cmp/cmp"
)

var (
	update  = flag.Bool("update", false, "write the golden files again")
	gallery = flag.String("gallery", "", "write a page with all charts to this file, to look at")
)

// golden holds a picture against testdata/name.svg.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	wellFormed(t, got)
	file := filepath.Join("testdata", name+".svg")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// wellFormed reads a picture as XML, to its end.
func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := dec.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%.2000s", err, svg)
		}
	}
}

// TestGallery writes what golden files cannot tell: how it looks.
func TestGallery(t *testing.T) {
	if *gallery == "" {
		return
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!doctype html><meta charset=utf-8><style>%s\nbody{margin:24px auto;max-width:1000px;background:var(--chart-paper);color:var(--chart-ink);font:15px system-ui,sans-serif}h2{font-size:16px;margin:36px 0 12px}td{width:170px}</style>", chart.CSS)
	show := func(title string, svg []byte) { fmt.Fprintf(&b, "<h2>%s</h2>%s", title, svg) }
	narrow := pareto()
	narrow.Width = 620
	show("narrow Pareto", narrow.SVG())
	small := heatmap()
	small.Width = 620
	show("narrow Heatmap", small.SVG())
	wide := curves()
	wide.Width = 1240
	show("wide Curves", wide.SVG())
	show("Interval", intervals().SVG())
	fmt.Fprintf(&b, "<h2>Small</h2><table>")
	for _, small := range intervals().Small() {
		fmt.Fprintf(&b, "<tr><td>%s", small)
	}
	fmt.Fprintf(&b, "</table>")
	show("Pareto", pareto().SVG())
	show("Heatmap", heatmap().SVG())
	show("Ratios", ratios().SVG())
	show("Curves", curves().SVG())
	show("Timeline", timeline(20).SVG())
	show("Bands", bands(8).SVG())
	for _, odd := range odds() {
		show(odd.name, odd.svg)
	}
	if err := os.WriteFile(*gallery, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
