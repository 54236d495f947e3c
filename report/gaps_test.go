package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"servematrix/journal"
)

// ways are all that draws a run folder.
var ways = map[string]func(io.Writer, journal.Folder) error{
	"text":  func(w io.Writer, f journal.Folder) error { return Text(w, f, "en") },
	"zh":    func(w io.Writer, f journal.Folder) error { return Text(w, f, "zh") },
	"md":    Markdown,
	"html":  func(w io.Writer, f journal.Folder) error { return HTML(w, f, "") },
	"csv":   CSV,
	"jsonl": JSONL,
	"benchfmt": func(w io.Writer, f journal.Folder) error {
		_, err := Benchfmt(w, f)
		return err
	},
}

// lines gives the journal with some lines replaced; line 1 is the first.
func (r *run) replace(with map[int]string) {
	all := strings.SplitAfter(r.journal(), "\n")
	for line, text := range with {
		all[line-1] = text
	}
	r.write(strings.Join(all, ""))
}

// lineOf is the line of the nth event of a type.
func (r *run) lineOf(t journal.Type, nth int) int {
	for i, e := range r.events {
		if e.Type == t {
			if nth--; nth == 0 {
				return i + 1
			}
		}
	}
	panic("no such event")
}

// Of a damaged journal every format draws what can be read. What it lacks is in the report, where that
// has words, and in the error.
func TestEveryFormatOfADamagedJournal(t *testing.T) {
	for name, c := range map[string]struct {
		spoil   func(r *run)
		samples int      // that are left of 4
		en, zh  []string // what is said
		whole   bool     // it is no error
	}{
		"the end of a sample": {func(r *run) { r.replace(map[int]string{r.lineOf(journal.SampleEnded, 2): "{garbled}\n"}) }, 3,
			[]string{"Damaged lines of events.jsonl were passed over: 17 (events.jsonl:17: ", "Events are missing, by their numbers: 17", "no event tells, and which stand in no table here: 1 (cells/flashinfer-rand128x16-c0ffee/b1-a1)", "cut it off before line 17; servematrix resume deepseek-"},
			[]string{"已跳过 events.jsonl 中损坏的行：17（events.jsonl:17: ", "按编号缺少的事件：17", "再从第 17 行起截断"}, false},
		"its first line": {func(r *run) { r.replace(map[int]string{1: "\x00\xff\n"}) }, 4,
			[]string{"were passed over: 1 (", "by their numbers: 1"}, []string{"损坏的行：1（"}, false},
		"several": {func(r *run) { r.replace(map[int]string{3: "\n", 4: "x\n", 6: "[\n"}) }, 4,
			[]string{"were passed over: 3–4, 6 (", "by their numbers: 3–4, 6"}, []string{"损坏的行：3–4, 6（"}, false},
		"two lines in one": {func(r *run) {
			r.replace(map[int]string{r.lineOf(journal.SampleEnded, 2): `{"seq":17,"ti`})
		}, 3, []string{"were passed over: 17 (", "by their numbers: 17–18"}, []string{"按编号缺少的事件：17–18"}, false},
		"lines that are gone": {func(r *run) { r.replace(map[int]string{3: "", 4: ""}) }, 4,
			[]string{"Events are missing, by their numbers: 3–4"}, []string{"按编号缺少的事件：3–4"}, true},
		"an event of the future": {func(r *run) {
			r.write(strings.ReplaceAll(r.journal(), `"type":"launch.ready"`, `"type":"launch.nearly_ready"`))
		}, 4,
			[]string{"does not know are not shown: launch.nearly_ready (4)"}, []string{"不认识的事件类型：launch.nearly_ready（4 个）"}, true},
		"a sample of the future": {func(r *run) {
			line := r.lineOf(journal.SampleEnded, 2)
			r.replace(map[int]string{line: strings.Replace(strings.SplitAfter(r.journal(), "\n")[line-1], `"status":"ok"`, `"status":{}`, 1)})
		}, 3, []string{"Events of the type sample.ended cannot be read, perhaps of a newer version"}, []string{"无法读取 sample.ended 类型的事件"}, false},
		"a plan of the future": {func(r *run) { r.plan.Schema = 2; r.replan() }, 4,
			[]string{"The plan is of a newer version of servematrix (schema 2"}, []string{"计划来自更新版本的 servematrix（schema 2"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSample(t, measured)
			c.spoil(r)
			for way, draw := range ways {
				var b bytes.Buffer
				err := draw(&b, r.folder)
				lack, incomplete := errors.AsType[*Incomplete](err)
				if err != nil && !incomplete || incomplete == c.whole && way != "csv" && way != "jsonl" && way != "benchfmt" {
					t.Fatalf("%s: %v", way, err)
				}
				text := b.String()
				n := -1
				switch way {
				case "csv":
					n = strings.Count(text, "\n") - 1
				case "jsonl":
					n = strings.Count(text, "\n")
				case "benchfmt":
					n = strings.Count(text, "BenchmarkServe/")
				}
				if n >= 0 && n != c.samples {
					t.Errorf("%s: %d samples, want %d:\n%s", way, n, c.samples, text)
				}
				said := c.en
				if way == "zh" {
					said = c.zh
				}
				for _, want := range said {
					if way == "html" && !strings.Contains(text, want) || (way == "text" || way == "zh") && !strings.Contains(text, want) {
						t.Errorf("%s does not say %q:\n%s", way, want, text)
					}
				}
				if done := "All combinations are done"; way == "text" && strings.Contains(text, done) != (c.samples == 4 && c.whole) {
					t.Errorf("%q is said, or not:\n%s", done, text)
				}
				if way == "md" && !strings.Contains(text, escape(c.en[0])) {
					t.Errorf("md does not say %q:\n%s", c.en[0], text)
				}
				if incomplete && !slices.ContainsFunc(lack.Lacks, func(s string) bool { return strings.Contains(s, c.en[0]) }) {
					t.Errorf("%s: the error does not say %q: %v", way, c.en[0], err)
				}
			}
		})
	}
}

// A comparison is refused where a hole may hide samples, and tells of events that are merely gone.
func TestMeasurementsOfADamagedJournal(t *testing.T) {
	r := newSample(t, measured)
	r.replace(map[int]string{3: ""})
	m, err := MeasurementsOf(r.folder)
	if err != nil || len(m.All) != 4 || fmt.Sprint(m.Gaps) != "[Events are missing, by their numbers: 3]" {
		t.Errorf("%v, %v", m.Gaps, err)
	}
	r.replace(map[int]string{4: "x\n"})
	if _, err := MeasurementsOf(r.folder); err == nil {
		t.Error("a damaged journal was compared")
	} else if _, damaged := errors.AsType[*journal.DamageError](err); !damaged {
		t.Error(err)
	}
	if d := Page(r.folder, ""); len(d.Comparisons) > 0 || !strings.Contains(d.NoCompare.EN, "damaged") || d.Counts.OK != 4 {
		t.Errorf("the page compares: %+v", d.NoCompare)
	}
}

func TestSpans(t *testing.T) {
	var s spans
	for i := range int64(30) {
		s.add(3*i+1, 3*i+1)
		s.add(3*i+2, 3*i+2)
	}
	if got := s.String(); !strings.HasPrefix(got, "1–2, 4–5, ") || !strings.HasSuffix(got, ", 58–59 … 61–89") {
		t.Error(got)
	}
}
