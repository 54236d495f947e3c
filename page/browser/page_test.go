package browser

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"servematrix/page"
)

func TestEverySectionIsDrawn(t *testing.T) {
	p := open(t, sample(3, 4), "")
	for _, id := range []string{"verdict", "failures", "ab", "pareto", "heat", "curves", "timeline", "telemetry", "differences", "warnings", "cells"} {
		is(p, `document.getElementById("`+id+`") !== null`, true)
	}
	is(p, `[...document.querySelectorAll(".picture svg")].every(s => s.querySelector("title")?.textContent && s.querySelector("desc")?.textContent)`, true)
	is(p, `[...document.querySelectorAll(".figure figure:not([hidden]) svg")].every(s => s.getBoundingClientRect().height > 40)`, true)
	is(p, cellsIn("#pareto figure:not([hidden]) .mark"), 10)
	is(p, `document.querySelectorAll("#timeline .mark").length >= 12`, true)
	is(p, `document.querySelectorAll("#heat figure:not([hidden]) .mark.failed").length`, 1)
	is(p, `document.querySelectorAll("#heat figure:not([hidden]) .mark.notrun").length`, 1)
	is(p, `[...document.querySelectorAll(".figure figure")].every(f => f.querySelector("details.numbers tbody tr"))`, true)
	is(p, `document.querySelectorAll("#ab .choice:not([hidden]) .verdict.inconclusive").length`, 8)
	is(p, `document.documentElement.scrollWidth <= innerWidth`, true)
	p.shoot("sample-laptop-light", 1280, 3400)
	p.shoot("sample-desktop-light", 1440, 3200)
	p.shoot("sample-phone-light", 390, 6000)
}

func TestNamesStayText(t *testing.T) {
	p := open(t, sample(3, 4), "")
	is(p, `window.pwned === undefined`, true)
	is(p, `document.querySelectorAll("img, iframe, object, embed").length`, 0)
	is(p, `document.querySelectorAll("script").length`, 2)
	is(p, `document.querySelector("h1").textContent`, "sample "+hostile)
	is(p, `document.querySelector("#celltable tbody th").textContent`, hostile)
	is(p, `document.querySelector(".trouble pre").textContent.includes(`+quote(hostile)+`)`, true)
	p.click(`#celltable tbody tr button.cell`)
	is(p, `document.querySelector("#pinned b").textContent`, hostile+" × c0")
	is(p, `document.querySelectorAll("#pareto .mark.pinned, #heat .mark.pinned, #curves .mark.pinned, #timeline .mark.pinned").length >= 4`, true)
}

func TestFiltersAreSharedAndInTheFragment(t *testing.T) {
	p := open(t, sample(3, 4), "")
	is(p, `document.querySelector("#count").textContent`, "12 of 12 cells")
	p.choose(`#filters select[name=a0]`, "2", "input")
	is(p, `document.querySelector("#count").textContent`, "4 of 12 cells")
	is(p, `document.querySelectorAll("#celltable tbody tr").length`, 4)
	is(p, cellsIn("#pareto figure:not([hidden]) .mark:not(.off)"), 4)
	is(p, `document.querySelectorAll("#heat figure:not([hidden]) .mark:not(.off)").length`, 4)
	is(p, `document.querySelectorAll(".trouble:not(.off)").length`, 0)
	is(p, `[...document.querySelectorAll("#curves figure:not([hidden]) .line")].filter(e => e.getBoundingClientRect().width > 30 && getComputedStyle(e.closest("g")).display !== "none").length`, 1)
	is(p, `location.hash`, "#s.backend=backend2")
	p.choose(`#filters input[name=q]`, "c3", "input")
	is(p, `document.querySelector("#count").textContent`, "1 of 12 cells")
	p.do(chromedp.Reload())
	is(p, `document.querySelector("#count").textContent`, "1 of 12 cells")
	is(p, `document.querySelector("#filters input[name=q]").value`, "c3")
	p.click(`#filters button[type=reset]`)
	p.until(`document.querySelector("#count").textContent === "12 of 12 cells"`)
	is(p, `location.hash`, "")
	p.choose(`#filters select[name=status]`, "failed", "input")
	is(p, `document.querySelector("#celltable tbody tr td .status").className`, "status failed")
}

func TestSortAndDownload(t *testing.T) {
	p := open(t, sample(3, 4), "#sort=-m0")
	is(p, `document.querySelector("#celltable th[data-key=m0]").ariaSort`, "descending")
	is(p, `document.querySelector("#celltable tbody tr").dataset.cell`, "11")
	p.catch()
	p.click("#csv")
	rows, err := csv.NewReader(strings.NewReader(p.saved())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 13 || rows[1][1] != "backend2" || rows[1][len(rows[1])-2] == "" {
		t.Errorf("the CSV has %d rows; the first is %q", len(rows), rows[1])
	}
}

func TestDownloadJSON(t *testing.T) {
	p := open(t, sample(3, 4), "")
	p.catch()
	p.click("#json")
	var rows []map[string]any
	if err := json.Unmarshal([]byte(p.saved()), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 12 || rows[0]["server"] != hostile || rows[4]["output_throughput"] != nil || rows[4]["status"] != "failed" {
		t.Errorf("%d rows, the first of %v, the fifth %v", len(rows), rows[0]["server"], rows[4])
	}
}

// english gives what of the page is still English where two words of it stand side by side. Code, log
// lines, and what stands apart as a name (bdi) are nobody's words to translate.
const english = `([...document.querySelectorAll("body *")].filter(e => !e.closest("script, style, code, pre, .en, header, [hidden]") && !e.querySelector("*") && !e.closest("bdi:not(:has(.zh))"))
	.map(e => e.textContent).filter(text => /[a-z]{3,} [a-z]{3,}/i.test(text) && !text.includes("window.pwned")).join("\n"))`

func TestLanguages(t *testing.T) {
	p := open(t, sample(3, 4), "")
	is(p, `document.documentElement.lang`, "en")
	is(p, `document.querySelector("#h-cells").innerText`, "All cells")
	is(p, `[...document.querySelectorAll("#timeline svg text")].some(e => e.textContent === "ready")`, true)
	p.click("#language")
	is(p, `document.documentElement.lang`, "zh")
	is(p, `document.querySelector("#h-cells").innerText`, "全部单元")
	is(p, `document.querySelector("#window").ariaLabel`, "全部单元")
	is(p, `[...document.querySelectorAll("#timeline svg text")].some(e => e.textContent === "就绪")`, true)
	is(p, `location.hash`, "#lang=zh")
	p.shoot("sample-laptop-zh", 1280, 3400)
	is(p, english, "")
	p.click("#language")
	is(p, english+`.includes("since the run began")`, true)
	is(p, `[...document.querySelectorAll("svg text")].some(e => /[一-龥]/.test(e.textContent.replace(/[中文]/g, "")))`, false)
	data := sample(3, 4)
	data.Lang = "zh"
	p = open(t, data, "")
	is(p, `document.querySelector("#count").textContent`, "12 个单元中的 12 个")
	is(p, `[...document.querySelectorAll("#timeline svg text")].some(e => e.textContent === "就绪")`, true)
}

func TestThemes(t *testing.T) {
	p := open(t, sample(3, 4), "")
	const paper = `getComputedStyle(document.body).backgroundColor`
	light := eval[string](p, paper)
	p.click("#theme")
	dark := eval[string](p, paper)
	if light == dark {
		t.Errorf("the switch leaves the page %s", light)
	}
	is(p, `location.hash`, "#theme=dark")
	is(p, `document.querySelector("#theme").ariaPressed`, "true")
	p.shoot("sample-laptop-dark", 1280, 3400)
	p.shoot("sample-phone-dark", 390, 6000)
	p = open(t, sample(3, 4), "")
	command(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	is(p, paper, dark)
}

func TestPrint(t *testing.T) {
	p := open(t, sample(3, 4), "#theme=dark")
	command(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	is(p, `getComputedStyle(document.body).backgroundColor`, "rgb(255, 255, 255)")
	is(p, `["nav", "#filters", ".switches", ".tools"].every(s => getComputedStyle(document.querySelector(s)).display === "none")`, true)
	is(p, `getComputedStyle(document.querySelector("#window")).overflow`, "visible")
	p.do(chromedp.EmulateViewport(700, 990)) // A4 with margins
	is(p, `[...document.querySelectorAll("#ab .choice:not([hidden]) .verdict")].every(e => e.getBoundingClientRect().right <= innerWidth)`, true)
	p.shoot("sample-print", 700, 4200)
}

func TestKeyboard(t *testing.T) {
	p := open(t, sample(3, 4), "")
	p.key(kb.Tab)
	is(p, `document.activeElement.className`, "skip")
	p.key(kb.Enter)
	is(p, `document.activeElement.id`, "main")
	p.js(`document.querySelector("#pareto figure:not([hidden]) .mark[tabindex='0']").focus()`)
	is(p, `document.activeElement.closest("#pareto") !== null && !document.querySelector("#tip").hidden`, true)
	p.key(kb.Enter)
	is(p, `document.querySelector("#pinned").hidden`, false)
	is(p, `location.hash.startsWith("#pin=")`, true)
	p.key(kb.Escape)
	is(p, `document.querySelector("#pinned").hidden`, true)
	// All that can be pressed has a name and can be reached.
	is(p, `[...document.querySelectorAll("button, select, input")].every(e => (e.innerText || e.ariaLabel || e.labels?.[0]?.innerText || "").trim() !== "" && e.tabIndex >= 0)`, true)
	is(p, `[...document.querySelectorAll("table")].every(e => e.caption)`, true)
}

// Each chart is one stop of the tab key; the arrows reach every mark of it.
func TestChartsAreWalked(t *testing.T) {
	const stop = ` figure:not([hidden]) .mark[tabindex='0']`
	p := open(t, sample(3, 4), "")
	is(p, `[...document.querySelectorAll(".picture svg")].every(s => s.querySelectorAll("[tabindex='0']").length === (s.querySelector("[tabindex]") ? 1 : 0))`, true)
	is(p, `[...document.querySelectorAll(".picture [tabindex]")].every(e => e.ariaLabel && e.role === "button")`, true)
	for chart, cells := range map[string]string{"#pareto": "0 1 2 3 6 7 8 9 10 11", "#heat": "0 1 2 3 4 5 6 7 8 9 10 11", "#curves": "0 1 2 3 6 7 8 9 10 11", "#timeline": "0 1 2 3 4 5 6 7 8 9 10 11"} {
		p.js(`document.querySelector("` + chart + stop + `").focus()`)
		p.key(kb.Home)
		p.js(`window.walked = []`)
		for range strings.Fields(cells) {
			p.js(`walked.push(document.activeElement.dataset.cell)`)
			p.key(kb.ArrowRight)
		}
		is(p, `walked.sort((a, b) => a - b).join(" ")`, cells)
	}
	p.js(`document.querySelector("#heat` + stop + `").focus()`)
	p.key(kb.Home)
	p.key(kb.ArrowDown)
	p.key(kb.ArrowRight)
	is(p, `document.activeElement.dataset.cell`, "5")
	is(p, `document.querySelector("#tip").textContent.startsWith("backend1 × c1")`, true)
	is(p, `document.activeElement.ariaLabel.includes("not run")`, true)
	p.key(kb.Enter)
	is(p, `document.activeElement.ariaPressed`, "true")
	p.shoot("sample-focus", 1280, 3400)
	p.key(kb.Escape)
	is(p, `document.activeElement.ariaPressed + document.querySelector("#pinned").hidden + document.querySelector("#tip").hidden`, "falsetruetrue")
	p.key(kb.Tab)
	is(p, `document.activeElement.closest("#heat figure") === null || !document.activeElement.matches(".mark")`, true)
	p.click("#language")
	is(p, `document.querySelector("#heat" + "`+stop+`").ariaLabel.includes("未运行")`, true)
	// A filter that hides the stop hands it on.
	p.choose(`#filters select[name=a0]`, "2", "input")
	is(p, `[...document.querySelectorAll(".picture [tabindex='0']")].every(e => e.dataset.cell >= 8)`, true)
}

func TestBaselineIsChosen(t *testing.T) {
	p := open(t, sample(3, 4), "")
	p.choose(`[data-choose=ab]`, "backend=backend1", "change")
	is(p, `document.querySelector("#ab .choice:not([hidden])").dataset.value`, "backend=backend1")
	is(p, `location.hash`, "#ab=backend%3Dbackend1")
}

// A choice is kept by its name: newer data can put another one in its place.
func TestChoicesOutliveNewerData(t *testing.T) {
	p := open(t, sample(3, 4), "#ab=backend%3Dbackend1&heat=backend+%C3%97+load%2C+TTFT+p99+ms")
	chosen := func() string {
		return eval[string](p, `["#ab", "#heat"].map((id) => document.querySelector(id + " .choice:not([hidden])").dataset.value + "/" + document.querySelector(id + " select").value).join(" ")`)
	}
	want := "backend=backend1/backend=backend1 backend × load, TTFT p99 ms/backend × load, TTFT p99 ms"
	if got := chosen(); got != want {
		t.Errorf("%q", got)
	}
	later := sample(3, 4)
	later.Comparisons = append([]page.Comparison{against(later, 3, 4, 2)}, later.Comparisons...)
	newer, err := page.Draw(later)
	if err != nil {
		t.Fatal(err)
	}
	p.js(`servematrix.replace(` + quote(string(newer.Main)) + `)`)
	if got := chosen(); got != want {
		t.Errorf("with newer data: %q", got)
	}
}

// Newer data takes the place of the old, and what the reader chose stays.
func TestNewerData(t *testing.T) {
	p := open(t, sample(2, 4), "#s.backend=backend1&lang=zh")
	is(p, `document.querySelector("#count").textContent`, "8 个单元中的 4 个")
	newer, err := page.Draw(sample(3, 6))
	if err != nil {
		t.Fatal(err)
	}
	p.js(`servematrix.replace(` + quote(string(newer.Main)) + `)`)
	is(p, `document.querySelector("#count").textContent`, "18 个单元中的 6 个")
	is(p, cellsIn("#pareto figure:not([hidden]) .mark:not(.off)"), 4)
	is(p, `window.pwned === undefined`, true)
}

// What was folded stays so where newer data puts something before it.
func TestNewerDataKeepsFolds(t *testing.T) {
	older, newer := sample(2, 4), sample(2, 4)
	first := newer.Troubles[0]
	first.Message.EN = "it came later, and stands first"
	newer.Troubles = append([]page.Trouble{first}, newer.Troubles...)
	p := open(t, older, "")
	p.js(`document.querySelector(".trouble").open = false; document.querySelector("#heat details").open = true`)
	drawn, err := page.Draw(newer)
	if err != nil {
		t.Fatal(err)
	}
	p.js(`servematrix.replace(` + quote(string(drawn.Main)) + `)`)
	is(p, `[...document.querySelectorAll(".trouble")].slice(0, 2).map(e => e.open).join()`, "true,false")
	is(p, `[...document.querySelectorAll("details.numbers")].filter(e => e.open).map(e => e.closest("section").id).join()`, "heat")
}

// grown gives each cell of a run as many metrics as a client prints, of which no two numbers are alike,
// and three starts.
func grown(data *page.Data) {
	once := data.Phases
	for block := 1.0; block < 3; block++ {
		for _, p := range once {
			p.Launch = fmt.Sprintf("%s b%g", p.Launch, block+1)
			p.From, p.To = p.From+block*1e6, p.To+block*1e6
			data.Phases = append(data.Phases, p)
		}
	}
	for len(data.Metrics) < 8 {
		data.Metrics = append(data.Metrics, page.Metric{Name: fmt.Sprint("metric", len(data.Metrics))})
	}
	vary := rand.New(rand.NewPCG(1, 0))
	for i := range data.Cells {
		c := &data.Cells[i]
		for len(c.Numbers) < 8 {
			mean, half := 1000+10*vary.NormFloat64(), 20*vary.Float64()
			c.Numbers = append(c.Numbers, page.Estimate{Mean: mean, Low: mean - half, High: mean + half, N: 3})
		}
	}
}

// A page of 10,000 cells has a window of their rows, and is of a size that can be mailed.
func TestManyCells(t *testing.T) {
	data := sample(100, 100)
	grown(data)
	var b bytes.Buffer
	if err := page.HTML(&b, data, page.Options{}); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 5e6 {
		t.Errorf("the page has %d bytes", b.Len())
	}
	p := open(t, data, "")
	is(p, `document.querySelector("#count").textContent`, "10000 of 10000 cells")
	is(p, `document.querySelectorAll("#celltable tbody tr").length < 250`, true)
	p.js(`document.querySelector("#window").scrollTop = 200000`)
	p.until(`Number(document.querySelector("#celltable tbody tr[data-cell]").dataset.cell) > 4000`)
	p.choose(`#filters input[name=q]`, "backend77 c42", "input")
	is(p, `document.querySelector("#count").textContent`, "1 of 10000 cells")
	is(p, `document.querySelectorAll("#heat .mark:not(.off)").length`, 1)
	// A scroll event of the table, which got shorter, can still come and take the tip away.
	p.until(`document.querySelector("#timeline .dense .mark:not(.off)").dispatchEvent(new MouseEvent("mouseover", { bubbles: true, clientX: 700, clientY: 400 })) &&
		(({ left, right, bottom }) => Math.abs((left + right) / 2 - 700) < 2 && bottom > 350 && bottom < 400)(document.querySelector("#tip").getBoundingClientRect())`)
	t.Logf("%d bytes; usable after %.0f ms", b.Len(), eval[float64](p, `performance.timing.loadEventEnd - performance.timing.navigationStart`))
}

// cellsIn counts the cells for which elements stand.
func cellsIn(selector string) string {
	return `new Set([...document.querySelectorAll(` + quote(selector) + `)].map(e => e.dataset.cell)).size`
}

// catch keeps what the page would save as a file.
func (p *tab) catch() {
	p.js(`{ const make = URL.createObjectURL; URL.createObjectURL = (b) => { window.saved = b; return make(b); };
		HTMLAnchorElement.prototype.click = () => {}; }`)
}

func (p *tab) saved() string {
	p.t.Helper()
	return eval[string](p, `window.saved.text()`)
}
