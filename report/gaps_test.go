package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"servematrix/journal"
	"servematrix/matrix"
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
	every, none := slices.Collect(maps.Keys(ways)), []string{}
	for name, c := range map[string]struct {
		spoil   func(r *run)
		samples int      // that are left of 4
		en, zh  []string // what is said
		lacking []string // ways whose error says it
	}{
		"the end of a sample": {func(r *run) { r.replace(map[int]string{r.lineOf(journal.SampleEnded, 2): "{garbled}\n"}) }, 3,
			[]string{"Damaged lines of events.jsonl were passed over: 17 (events.jsonl:17: ", "Events are missing, by their numbers: 17", "no readable event tells, and which stand in no table here: 1 (cells/flashinfer-rand128x16-c0ffee/b1-a1)", "cut it off before line 17; servematrix resume deepseek-"},
			[]string{"已跳过 events.jsonl 中损坏的行：17（events.jsonl:17: ", "按编号缺少的事件：17", "不在此处任何表中：1 个（cells/", "再从第 17 行起截断"}, every},
		"its first line": {func(r *run) { r.replace(map[int]string{1: "\x00\xff\n"}) }, 4,
			[]string{"were passed over: 1 (", "by their numbers: 1"}, []string{"损坏的行：1（"}, every},
		"several": {func(r *run) { r.replace(map[int]string{3: "\n", 4: "x\n", 6: "[\n"}) }, 4,
			[]string{"were passed over: 3–4, 6 (", "by their numbers: 3–4, 6"}, []string{"损坏的行：3–4, 6（"}, every},
		"two lines in one": {func(r *run) {
			r.replace(map[int]string{r.lineOf(journal.SampleEnded, 2): `{"seq":17,"ti`})
		}, 3, []string{"were passed over: 17 (", "by their numbers: 17–18"}, []string{"按编号缺少的事件：17–18"}, every},
		"lines that are gone": {func(r *run) { r.replace(map[int]string{3: "", 4: ""}) }, 4,
			[]string{"Events are missing, by their numbers: 3–4"}, []string{"按编号缺少的事件：3–4"}, none},
		"an event of the future": {func(r *run) {
			r.write(strings.ReplaceAll(r.journal(), `"type":"launch.ready"`, `"type":"launch.nearly_ready"`))
		}, 4,
			[]string{"does not know are not shown: launch.nearly_ready (4)"}, []string{"不认识的事件类型：launch.nearly_ready（4 个）"}, none},
		"samples of the future": {func(r *run) { r.write(strings.ReplaceAll(r.journal(), `"status":"ok"`, `"status":{}`)) }, 0,
			[]string{"Events of the type sample.ended cannot be read, perhaps of a newer version of servematrix: 4 (", "no readable event tells, and which stand in no table here: 4 (cells/flashinfer-rand128x16-c0ffee/b1-a1, cells/flashinfer-rand256x32-c0ffee/b1-a1, "},
			[]string{"无法读取 sample.ended 类型的事件，可能来自更新版本的 servematrix：4 个（", "不在此处任何表中：4 个（cells/"}, every},
		"starts of the future": {func(r *run) {
			r.write(strings.ReplaceAll(r.journal(), `"name":"triton","number"`, `"name":7,"number"`))
		}, 4, []string{"Events of the type launch.started cannot be read, perhaps of a newer version of servematrix: 2 ("}, []string{"无法读取 launch.started 类型的事件，可能来自更新版本的 servematrix：2 个（"},
			[]string{"text", "zh", "md", "html", "benchfmt"}},
		"what only the text shows": {func(r *run) { r.write(strings.ReplaceAll(r.journal(), `"seconds":71.25`, `"seconds":{}`)) }, 4,
			[]string{"Events of the type launch.ready cannot be read, perhaps of a newer version of servematrix: 4 ("}, []string{"无法读取 launch.ready 类型的事件"}, []string{"text", "zh"}},
		"a plan of the future": {func(r *run) { r.plan.Schema = 2; r.replan() }, 4,
			[]string{"The plan is of a newer version of servematrix (schema 2"}, []string{"计划来自更新版本的 servematrix（schema 2"}, every},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSample(t, measured)
			c.spoil(r)
			for way, draw := range ways {
				var b bytes.Buffer
				err := draw(&b, r.folder)
				lack, incomplete := errors.AsType[*Incomplete](err)
				if err != nil && !incomplete || incomplete != slices.Contains(c.lacking, way) {
					t.Errorf("%s: %v", way, err)
				}
				if incomplete && !slices.ContainsFunc(lack.Lacks, func(s string) bool { return strings.Contains(s, c.en[0]) }) {
					t.Errorf("%s: the error does not say %q: %v", way, c.en[0], err)
				}
				text, said, n := b.String(), c.en, -1
				switch way {
				case "csv":
					n = strings.Count(text, "\n") - 1
				case "jsonl":
					n = strings.Count(text, "\n")
				case "benchfmt":
					n = strings.Count(text, "BenchmarkServe/")
				case "zh":
					said = c.zh
				case "md":
					said = []string{escape(c.en[0])}
				}
				if n >= 0 {
					if n != c.samples {
						t.Errorf("%s: %d samples, want %d:\n%s", way, n, c.samples, text)
					}
					continue // it has no words
				}
				for _, want := range said {
					if (incomplete || len(c.lacking) == 0) && !strings.Contains(text, want) {
						t.Errorf("%s does not say %q:\n%s", way, want, text)
					}
				}
				if done := "All combinations are done"; way == "text" && strings.Contains(text, done) == incomplete {
					t.Errorf("%q is said, or not:\n%s", done, text)
				}
			}
		})
	}
}

// A run folder can lie anywhere, and what stands in its path is no pattern.
func TestHiddenSamplesInAnyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `[a]*?\`)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r := newRun(t, dir, samplePlan("en", "cell"))
	measured(r)
	r.replace(map[int]string{r.lineOf(journal.SampleEnded, 2): "x\n"})
	if err := Text(io.Discard, r.folder, ""); err == nil || !strings.Contains(err.Error(), "stand in no table here: 1 (cells/flashinfer-rand128x16-c0ffee/b1-a1)") {
		t.Error(err)
	}
}

// Hidden samples are looked for once, however often a report says what it lacks.
func TestHiddenSamplesAreLookedForOnce(t *testing.T) {
	r := newSample(t, measured)
	r.replace(map[int]string{r.lineOf(journal.SampleEnded, 2): "x\n"})
	p := newPaging(r.folder)
	p.fold(p.ahead(p.prepare))
	before := p.lacks()
	r.remove("cells")
	if after := p.lacks(); !slices.Equal(before, after) || len(after) != 3 {
		t.Errorf("%v, then %v", before, after)
	}
}

// What resume refuses is not said to be measured by it: the journal is to be mended first.
func TestCrashedAndDamaged(t *testing.T) {
	r := newSample(t, measured)
	r.keep(len(r.events) - 3)
	r.replace(map[int]string{3: "x\n"})
	const mend = "cut it off before line 3; servematrix resume "
	for way, draw := range ways {
		var b bytes.Buffer
		if err := draw(&b, r.folder); err == nil {
			t.Errorf("%s is whole", way)
		}
		text := b.String()
		switch way {
		case "csv", "jsonl", "benchfmt":
			continue
		case "zh":
			if !strings.Contains(text, "已崩溃") || strings.Count(text, "servematrix resume") != 1 {
				t.Error(text)
			}
		default:
			mended := strings.Count(text, mend) + strings.Count(text, "再从第 3 行起截断；servematrix resume")
			if !strings.Contains(text, "CRASHED") || !strings.Contains(text, "Everything was measured before that.") || mended == 0 || strings.Count(text, "servematrix resume") != mended {
				t.Errorf("%s:\n%s", way, text)
			}
		}
	}
}

// An import cannot be gone on with: it is made again.
func TestDamagedImport(t *testing.T) {
	r := newSample(t, measured)
	r.plan.Imported = &matrix.Imported{Files: []string{"a.json"}}
	r.replan()
	r.replace(map[int]string{3: "x\n"})
	for _, way := range []string{"text", "zh", "md", "html"} {
		var b bytes.Buffer
		_, incomplete := errors.AsType[*Incomplete](ways[way](&b, r.folder))
		want := "To mend it, import again"
		if way == "zh" {
			want = "修复方法：重新导入"
		}
		if text := b.String(); !incomplete || !strings.Contains(text, want) || strings.Contains(text, "servematrix resume") {
			t.Errorf("%s:\n%s", way, text)
		}
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
	if d := Page(r.folder, ""); len(d.Comparisons) > 0 || !strings.Contains(d.NoCompare.EN, "samples may be hidden") || d.Counts.OK != 4 {
		t.Errorf("the page compares: %+v", d.NoCompare)
	}
	r = newSample(t, measured)
	r.write(strings.Replace(r.journal(), `"status":"ok"`, `"status":{}`, 1))
	if _, err := MeasurementsOf(r.folder); err == nil {
		t.Error("a journal with an event that cannot be read was compared")
	}
	if d := Page(r.folder, ""); len(d.Comparisons) > 0 || !strings.Contains(d.NoCompare.EN, "samples may be hidden") || d.Counts.OK != 3 {
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
