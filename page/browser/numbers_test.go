package browser

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"servematrix/page"
)

// measured is a run of cells with these means of one metric, and their intervals.
func measured(means, halves []float64) *page.Data {
	d := sample(2, len(means))
	d.Cells, d.Phases = d.Cells[:len(means)], nil
	d.Metrics = d.Metrics[:1]
	d.Comparisons, d.Troubles = nil, nil
	for i := range d.Cells {
		d.Cells[i].Status = "ok"
		d.Cells[i].Numbers = []page.Estimate{{Mean: means[i], Low: means[i] - halves[i], High: means[i] + halves[i], N: 3}}
	}
	return d
}

// What is downloaded is the mean: all of its whole part, and seven digits at least.
func TestDownloadIsTheMean(t *testing.T) {
	means := []float64{123456.7, 12345678.9, 1234.56789, 0.01234567891, 987654321.4}
	halves := []float64{61.78, 2.5, 0.66666, 0.001, 1}
	p := open(t, measured(means, halves), "")
	p.catch()
	p.click("#csv")
	rows, err := csv.NewReader(strings.NewReader(p.saved())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := len(rows[0]) - 3
	if rows[0][column] != "output_throughput" || len(rows) != len(means)+1 {
		t.Fatalf("%d rows, the first %q", len(rows), rows[0])
	}
	for i, row := range rows[1:] {
		near(t, row[column], means[i], 5e-7*means[i])
		near(t, row[column+1], halves[i], halves[i]/20+0.1)
	}
	p.click("#json")
	var again []map[string]any
	if err := json.Unmarshal([]byte(p.saved()), &again); err != nil {
		t.Fatal(err)
	}
	if again[0]["output_throughput"] != 123456.7 {
		t.Errorf("a mean of 123456.7 is saved as %v", again[0]["output_throughput"])
	}
}

func near(t *testing.T, text string, want, most float64) {
	t.Helper()
	got, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(got-want) > most {
		t.Errorf("%v is saved as %q", want, text)
	}
}

// What the script writes is to the letter what stands in the file for readers without scripts, also
// where a number lies in the middle between two.
func TestScriptWritesNumbersAsTheFileDoes(t *testing.T) {
	means := []float64{1000.5, 1001.5, 2.5, 0.5, 100.25, 100.75, 10.125, 999.96, 1234.49999999, 0.00005, 123456.7, 2500.5}
	halves := []float64{0.5, 1.5, 0.0625, 0.00005, 0.25, 30.46, 0.005, 0.0499, 30.4999999, 0.00001, 0.49, 2.5}
	vary := rand.New(rand.NewPCG(7, 0))
	for len(means) < 200 {
		m := math.Pow(10, 8*vary.Float64()-3)
		means, halves = append(means, m), append(halves, m*vary.Float64())
	}
	data := measured(means, halves)
	var b bytes.Buffer
	if err := page.HTML(&b, data, page.Options{}); err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(b.String(), `id="celltable"`)
	var want []string
	for _, cell := range regexp.MustCompile(`<td class="num">([^<]*±[^<]*)</td>`).FindAllStringSubmatch(table, -1) {
		want = append(want, cell[1])
	}
	if len(want) != len(means) {
		t.Fatalf("%d of %d numbers stand in the file", len(want), len(means))
	}
	p := open(t, data, "")
	got := eval[[]string](p, `[...document.querySelectorAll("#celltable td.num")].map(e => e.textContent).filter(s => s.includes("±"))`)
	for i, text := range got {
		if text != want[i] {
			t.Errorf("%v ± %v: the script writes %q, the file has %q", means[i], halves[i], text, want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("the script writes %d of %d", len(got), len(want))
	}
}
