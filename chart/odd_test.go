package chart_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"servematrix/chart"
)

// hostile are names as somebody could choose them.
var hostile = []string{
	`</script><script>alert(1)</script>`, `" onload="alert(1)`, `a' b" & <c>`, "]]><!-- %s %", "\x00\x1b[31mred\x1b[0m\r\n\tx",
	"עברית \u202eevil\u202c العربية", "👩‍👩‍👧‍👦🚀 emoji", "\xff\xfe broken \xc3", "非常长的中文名字：深度求索第三版／张量并行八", strings.Repeat("long-name/", 30),
	"\ufffe\uffff", "", strings.Repeat("宽", 300), "${{ x }}", "e\u0301\u0301\u0301",
}

type picture struct {
	name string
	svg  []byte
}

// odds are pictures at the edges of what can be asked for.
func odds() []picture {
	var out []picture
	add := func(name string, svg []byte) { out = append(out, picture{name, svg}) }

	one := curves()
	one.Series = []chart.Series{{Name: "one", Points: []chart.Point{{Mark: mark("c", "c"), X: 64, Y: 1200}}}}
	add("one point", one.SVG())
	zero := curves()
	zero.Series = []chart.Series{{Name: "zero", Points: []chart.Point{{X: 1, Y: 0}, {X: 2, Y: 0}, {X: 4, Y: 0}}}}
	add("all zero", zero.SVG())
	holes := curves()
	holes.Y.Log = true
	for i := range holes.Series {
		pts := holes.Series[i].Points
		pts[2].Y, pts[3].Y, pts[4].Y, pts[6].X = math.Inf(1), math.NaN(), math.Inf(-1), math.NaN()
		pts[3].State = chart.Failed
		pts[7].YRange = &chart.Range{Low: math.NaN(), High: math.Inf(1)}
		pts[5].YRange = &chart.Range{Low: math.NaN(), High: 5000}
	}
	add("gaps, failures, logarithmic", holes.SVG())
	add("no values", chart.Curves{Frame: frame("none", "Nothing"), Series: []chart.Series{{Name: "a", Points: []chart.Point{{X: 1, Y: math.NaN()}}}}}.SVG())
	negative := pareto()
	negative.X.Less, negative.X.Log = true, true
	for i := range negative.Series {
		for k := range negative.Series[i].Points {
			pt := &negative.Series[i].Points[k]
			pt.X = -1000 / pt.X
		}
	}
	add("negative on an axis that wanted to be logarithmic", negative.SVG())
	add("many series", many(30).SVG())
	add("cloud", cloud(10000).SVG())
	add("hostile heat map", hostileHeatmap().SVG())
	add("large heat map", largeHeatmap(100).SVG())
	add("hostile intervals", hostileIntervals().SVG())
	add("100 launches", timeline(100).SVG())
	add("10,000 launches", timeline(10000).SVG())
	add("one launch", timeline(1).SVG())
	chinese := curves()
	chinese.Frame = chart.Frame{ID: "zh", Title: "输出吞吐量", Desc: "随并发数变化", Lang: "zh"}
	chinese.X.Title, chinese.X.Unit = "最大并发数", "请求"
	chinese.Y.Title, chinese.Y.Note = "输出吞吐量", "越高越好"
	chinese.Series[3].Name = "深度求索第三版/张量并行八/静态显存占比=0.92"
	add("chinese", chinese.SVG())
	add("vacant", chart.Timeline{Frame: chart.Frame{ID: "v", Empty: strings.Repeat("No launch has begun yet. ", 12)}}.SVG())
	return out
}

func many(n int) chart.Curves {
	c := curves()
	c.Series = nil
	for i := range n {
		s := chart.Series{Name: fmt.Sprintf("variant-%d/mem=0.%d", i, 70+i)}
		for _, x := range concurrencies {
			s.Points = append(s.Points, chart.Point{X: x, Y: throughput(13+float64(i)/3, 2000+60*float64(i), x)})
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// cloud has n points in 8 series, as a large sweep gives them.
func cloud(n int) chart.Pareto {
	rnd := rand.New(rand.NewPCG(7, 8))
	c := pareto()
	c.Series = nil
	for i := range 8 {
		s := chart.Series{Name: fmt.Sprintf("variant %d", i)}
		for k := range n / 8 {
			conc := math.Pow(2, 8*rnd.Float64())
			y := throughput(12+3*rnd.Float64()+float64(i)/2, 3000*(.8+.3*rnd.Float64()), conc)
			s.Points = append(s.Points, chart.Point{Mark: mark(fmt.Sprintf("%d", i*n/8+k), ""), X: y / conc, Y: y / 8})
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func hostileHeatmap() chart.Heatmap {
	h := chart.Heatmap{
		Frame: chart.Frame{ID: `"><x`, Title: hostile[0], Desc: hostile[1], Lang: `"><`}, XTitle: hostile[4], YTitle: hostile[5],
		XNames: hostile, YNames: hostile, Value: chart.Axis{Title: hostile[9], Unit: hostile[0]}, Failed: hostile[12], NotRun: hostile[2],
	}
	for x, name := range hostile {
		for y := range hostile {
			c := chart.HeatCell{Mark: chart.Mark{Cell: name, Tip: name + "\n" + hostile[y], State: chart.State((x + y) % 5)}, X: x, Y: y, Value: float64(x*y) * 13.7}
			if x == y {
				c.Value, c.State = math.NaN(), chart.Measured
			}
			h.Cells = append(h.Cells, c)
		}
	}
	return h
}

func hostileIntervals() chart.Interval {
	c := intervals()
	c.BaselineName, c.Axis.Title = hostile[9], hostile[12]
	c.Rows = nil
	for i, name := range hostile {
		v := 1 + .01*float64(i)
		c.Rows = append(c.Rows, chart.IntervalRow{Mark: mark(name, name), Name: name, Text: name, Value: v, Verdict: chart.Verdict(i % 4),
			Range: &chart.Range{Low: v - .02, High: math.Inf(1)}})
	}
	return c
}

func largeHeatmap(n int) chart.Heatmap {
	h := heatmap()
	h.XNames, h.YNames, h.Cells = nil, nil, nil
	for i := range n {
		h.XNames = append(h.XNames, fmt.Sprintf("conc=%d", i+1))
		h.YNames = append(h.YNames, fmt.Sprintf("variant-%d", i+1))
		for k := range n {
			h.Cells = append(h.Cells, chart.HeatCell{Mark: mark(fmt.Sprint(i*n+k), ""), X: i, Y: k, Value: throughput(12+float64(k)/10, 3000, float64(i+1))})
		}
	}
	return h
}
