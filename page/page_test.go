package page

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"
)

func small() *Data {
	nan := math.NaN()
	return &Data{
		Name: `</script><b>`, Run: "r", State: Ended, Gate: "normal", Counts: Counts{OK: 1, Failed: 1},
		Metrics: []Metric{{Name: "output_throughput", Label: Text{"output tok/s", "输出 tok/s"}, Better: 1}},
		Axes:    []Axis{{Name: "a", Server: true, Values: []string{"x", "y"}}},
		Cells: []Cell{
			{ID: "1", Server: "x</script>\u2028", Client: "c", Values: []int{0}, Status: "ok", Starts: 1, Blocks: 1, Numbers: []Estimate{{Mean: 12345.678, Low: nan, High: nan, N: 1}}, Load: Load{nan, math.Inf(1)}},
			{ID: "2", Server: "y", Client: "c", Values: []int{1}, Status: "failed", Blocks: 1, Numbers: []Estimate{{Mean: math.Inf(1), Low: nan, High: nan}}, Load: Load{nan, nan}},
		},
	}
}

func text(t *testing.T, d *Data, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, d, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var inScript = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

func TestDataIsJSONWithoutMarkup(t *testing.T) {
	m := inScript.FindStringSubmatch(text(t, small(), Options{}))
	if m == nil {
		t.Fatal("there is no data in the page")
	}
	if strings.ContainsAny(m[1], "<>&\u2028") {
		t.Errorf("markup in the data: %s", m[1])
	}
	var data struct {
		Servers []string
		Means   [][]*float64
		Halves  [][]*float64
	}
	if err := json.Unmarshal([]byte(m[1]), &data); err != nil {
		t.Fatal(err)
	}
	if got := data.Servers[0]; got != "x</script>\u2028" {
		t.Errorf("the server is %q", got)
	}
	if got := data.Means[0]; len(got) != 2 || *got[0] != 12345.68 || got[1] != nil {
		t.Errorf("means %v", got)
	}
	if len(data.Halves[0]) != 0 {
		t.Error("a lone start has an interval")
	}
}

// What the policy lets run is what stands in the page.
func TestPolicyNamesScriptAndStyle(t *testing.T) {
	for _, o := range []Options{{}, {Connect: true, Script: "\nlisten();\n"}} {
		page := text(t, small(), o)
		head, _, _ := strings.Cut(page, "<title>")
		head = strings.ReplaceAll(strings.ReplaceAll(head, "&#43;", "+"), "&#39;", "'")
		for _, part := range []struct{ tag, directive string }{{"style", "style-src"}, {"script", "script-src"}} {
			_, rest, _ := strings.Cut(page, "<"+part.tag+">")
			body, _, ok := strings.Cut(rest, "</"+part.tag+">")
			if want := part.directive + " 'sha256-" + digest(body) + "'"; !ok || !strings.Contains(head, want) {
				t.Errorf("the policy lacks %s", want)
			}
		}
		if got := strings.Contains(head, "connect-src 'self'"); got != o.Connect {
			t.Errorf("connect-src: %v with %+v", got, o.Connect)
		}
	}
}

func TestNothingInAttributesThatThePolicyForbids(t *testing.T) {
	page := text(t, small(), Options{})
	body := page[strings.Index(page, "<body>"):strings.LastIndex(page, "<script>")]
	if m := regexp.MustCompile(`<[^>]* (style|on[a-z]+)=`).FindString(body); m != "" {
		t.Error(m)
	}
	if m := regexp.MustCompile(`(?:src|href)="(?:[a-z]+:)?//`).FindString(page); m != "" {
		t.Error(m)
	}
}

func TestEveryWordIsInBothLanguages(t *testing.T) {
	for key, w := range words {
		if w.EN == "" || w.ZH == "" {
			t.Errorf("%s: %q, %q", key, w.EN, w.ZH)
		}
		if strings.Count(w.EN, "%") != strings.Count(w.ZH, "%") {
			t.Errorf("%s takes other arguments: %q, %q", key, w.EN, w.ZH)
		}
	}
	if _, err := say("no such word"); err == nil {
		t.Error("an unknown word is said")
	}
}

// A run in every state is drawn, also with nothing in it.
func TestEveryStateIsDrawn(t *testing.T) {
	for _, state := range []State{Empty, Running, Crashed, Holed, Halted, Ended} {
		for _, lang := range []string{"en", "zh"} {
			page := text(t, &Data{Lang: lang, Name: "n", State: state}, Options{})
			if !strings.Contains(page, words["state."+string(state)].EN) || !strings.Contains(page, `<html lang="`+lang+`">`) {
				t.Errorf("%s in %s is not said", state, lang)
			}
		}
	}
}

func TestLoneStartHasNoInterval(t *testing.T) {
	lone := Estimate{Mean: 100, Low: math.NaN(), High: math.NaN(), N: 1}
	several := Estimate{Mean: 100, Low: 98, High: 102, N: 3}
	if got := lone.plusMinus(); got != "100.0" {
		t.Errorf("a lone start is %q", got)
	}
	if got := several.plusMinus(); got != "100.0 ± 2.0" {
		t.Errorf("three starts are %q", got)
	}
	if got := (Estimate{Mean: 1500, Low: 1469.54, High: 1530.46, N: 3}).plusMinus(); got != "1500 ± 30" {
		t.Errorf("half of 60.92 is %q: it was rounded twice", got)
	}
}

// No link goes nowhere, whatever sections a page has, and no two things that are folded have one title.
func TestLinksAndTitles(t *testing.T) {
	troubled := small()
	for _, message := range []string{"a", "b"} {
		troubled.Troubles = append(troubled.Troubles, Trouble{Class: "oom", Message: Text{message, message}})
	}
	for _, d := range []*Data{small(), troubled} {
		page := text(t, d, Options{})
		links := regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1)
		if len(links) < 2 {
			t.Fatalf("%d links", len(links))
		}
		for _, link := range links {
			if !strings.Contains(page, ` id="`+link[1]+`"`) {
				t.Errorf("with %d failures #%s leads nowhere", len(d.Troubles), link[1])
			}
		}
		for _, section := range strings.Split(page, "<section ")[1:] {
			known := map[string]bool{}
			for _, title := range regexp.MustCompile(`<details [^>]*data-title="([^"]*)"`).FindAllStringSubmatch(section, -1) {
				if known[title[1]] {
					t.Errorf("two are titled %q", title[1])
				}
				known[title[1]] = true
			}
		}
		if strings.Count(page, "<details") != strings.Count(page, "data-title=") {
			t.Error("something that is folded has no title")
		}
	}
}

// Main is what stands inside <main> of the whole page.
func TestMainIsInsideThePage(t *testing.T) {
	d, err := Draw(small())
	if err != nil {
		t.Fatal(err)
	}
	if d.Main == "" || !strings.Contains(text(t, small(), Options{}), `<main id="main" tabindex="-1">`+string(d.Main)+"</main>") {
		t.Error("it is not")
	}
}

// Failures of thousands of kinds do not make a page that nobody can open.
func TestKindsOfTroubleAreBounded(t *testing.T) {
	d := small()
	for range 5000 {
		d.Troubles = append(d.Troubles, Trouble{Class: "oom", Message: Text{strings.Repeat("x", 500), strings.Repeat("x", 500)}})
		d.Doubts = append(d.Doubts, Trouble{Class: "partial", Message: Text{strings.Repeat("x", 500), strings.Repeat("x", 500)}})
	}
	page := text(t, d, Options{})
	if len(page) > 1<<20 || strings.Count(page, words["morekinds"].with(4900).EN) != 2 {
		t.Errorf("%d bytes, and it says %d times that there are more", len(page), strings.Count(page, words["morekinds"].with(4900).EN))
	}
}

// Throughput is of devices where their number is known of every cell, else of servers, and said.
func TestThroughputPerDevice(t *testing.T) {
	d := small()
	d.Metrics = append(d.Metrics, Metric{Name: "mean_tpot_ms", Label: Text{"TPOT mean ms", "平均 TPOT ms"}, Better: -1})
	second := d.Cells[0]
	second.ID, second.Server = "3", "z"
	d.Cells = append(d.Cells, second)
	for i := range d.Cells {
		d.Cells[i].Numbers = append([]Estimate{d.Cells[i].Numbers[0]}, Estimate{Mean: 10, N: 1})
		d.Cells[i].PerUser = Estimate{Mean: 100, N: 1}
	}
	d.Cells[0].Devices = 8
	mixed := text(t, d, Options{})
	if !strings.Contains(mixed, words["tokens.output"].EN) || strings.Contains(mixed, "per device") {
		t.Error("the devices of one cell are not known, and yet throughput is that of devices")
	}
	d.Cells[2].Devices = 4
	whole := text(t, d, Options{})
	if !strings.Contains(whole, words["tokens.device"].with(4, 8).EN) || !strings.Contains(whole, ">output tok/s per device · more is better<") {
		t.Error("throughput is not that of devices")
	}
	if !strings.Contains(whole, ">1543<") || !strings.Contains(whole, ">3086<") {
		t.Error("12345.678 tok/s are not 1543 of 8 devices and 3086 of 4")
	}
}
