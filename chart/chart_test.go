package chart_test

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"servematrix/chart"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files again")

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

func frame(id, title string) chart.Frame {
	return chart.Frame{ID: id, Title: title, Desc: "What it shows.", Lang: "en", Empty: "No cell has a value yet."}
}

func curves() chart.Curves {
	return chart.Curves{
		Frame: frame("load", "Median TTFT over concurrency"),
		X:     chart.Axis{Title: "Max concurrency", Unit: "requests"},
		Y:     chart.Axis{Title: "Median TTFT", Unit: "ms", Zero: true, Less: true},
		Series: []chart.Series{
			{Name: "flashinfer", Points: []chart.Point{
				{Mark: chart.Mark{Cell: "c1", Tip: "flashinfer × c1\n61 ms"}, X: 1, Y: 61, YRange: &chart.Range{Low: 58, High: 64}},
				{Mark: chart.Mark{Cell: "c2"}, X: 16, Y: 143},
				{Mark: chart.Mark{Cell: "c3"}, X: 32, Y: 251, YRange: &chart.Range{Low: 230, High: 280}},
			}},
			{Name: "triton", Points: []chart.Point{
				{Mark: chart.Mark{Cell: "c4"}, X: 1, Y: 66},
				{Mark: chart.Mark{Cell: "c5"}, X: 16, Y: math.NaN()},
				{Mark: chart.Mark{Cell: "c6"}, X: 32, Y: 310},
			}},
		},
	}
}

func TestCurves(t *testing.T) {
	golden(t, "curves", curves().SVG())
}
