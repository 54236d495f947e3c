package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"servematrix/journal"
	"servematrix/metric"
	"servematrix/result"
)

// Whatever stands in names and log lines, it stays inside its line: it moves no cursor, forges
// no section, and in Markdown it is text.
func TestHostileText(t *testing.T) {
	parts := rapid.SampledFrom([]string{
		"\n[CELL] SERVER=forged  CLIENT=forged\n", "\r\x1b[2J\x1b[1;1H", "\x9b31m", "\u202e", "\u2028", "\x00", "<script>alert(1)</script>", "|", "```\n", "``", "\n# heading\n",
		"@octocat", "![x](http://x/y.png)", "</details>", "\xff\xfe", "--- x", strings.Repeat("=", 100), "a", " ", "组",
	})
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		evil := func(label string) string {
			return strings.Join(rapid.SliceOfN(parts, 1, 6).Draw(t, label), "")
		}
		plan := samplePlan("en", "cell")
		r := newRun(t, dir, plan)
		plan.Name, plan.Servers[0].Name, plan.Clients[0].Name = evil("name"), evil("server"), evil("client")
		plan.Servers[0].Argv[0], plan.Clients[0].Argv[0] = evil("argv"), evil("argv")
		f := &journal.Failure{Class: evil("class"), Phase: evil("phase"), Message: evil("message"), File: evil("file"), Line: 1, Tail: []string{evil("tail"), evil("tail")}}
		r.begin()
		r.add(journal.Event{Type: journal.HookEnded}, journal.HookRun{Moment: evil("moment"), Argv: []string{evil("argv")}, Output: evil("output")})
		r.startServer("0001", 0, 0, 1, false)
		r.add(r.launch(journal.LaunchReady, "0001", 0, 1), journal.Ready{Line: evil("line"), File: evil("file"), By: []string{evil("by")}})
		r.add(r.launch(journal.CacheFlushed, "0001", 0, 1), journal.Flushed{Request: evil("request"), Body: evil("body"), Error: evil("error")})
		r.attempt("0001", 0, 1, 1, outcome{
			out: "out\n", status: result.StatusInvalid, metrics: metric.Of(map[string]float64{"completed": 1, evil("metric"): 2}), exit: journal.Exited{Why: evil("why"), Signal: evil("signal")},
			reasons: []result.Reason{{Reason: evil("reason"), Detail: evil("detail")}},
		})
		r.end("0001", 0, 1, 2, outcome{status: result.StatusFailed, failure: f})
		r.add(r.launch(journal.LaunchFailed, "0001", 0, 1), f)
		r.add(r.launch(journal.LaunchStopping, "0001", 0, 1), journal.Stopping{Why: evil("why")})
		steps, err := json.Marshal([]step{{Action: evil("action"), Signal: evil("signal"), Detail: evil("detail")}})
		if err != nil {
			t.Fatal(err)
		}
		r.add(r.launch(journal.LaunchEnded, "0001", 0, 1), journal.Gone{Signal: evil("signal"), Steps: steps, Note: evil("note")})
		r.add(journal.Event{Type: journal.CellSkipped, Cell: plan.Cells[1].ID, Block: 1}, journal.Skip{Failure: *f, Cause: evil("cause")})
		r.add(journal.Event{Type: journal.Warning}, journal.Note{Message: evil("warning")})
		r.add(journal.Event{Type: journal.RunInterrupted}, journal.Note{Message: evil("interrupted")})
		r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{})

		var text, md bytes.Buffer
		if err := drawEvents(&text, newTally(r.folder, plan), r.events); err != nil {
			t.Fatal(err)
		}
		tally := newTally(r.folder, plan)
		for _, e := range r.events {
			if _, err := tally.apply(tally.prepare(e)); err != nil {
				t.Fatal(err)
			}
		}
		md.Write(tally.markdown(tally.table()))
		r.replan()
		var html bytes.Buffer
		if err := HTML(&html, r.folder, ""); err != nil {
			t.Fatal(err)
		}
		checkPage(t, html.String())
		for name, drawn := range map[string]string{"text": text.String(), "markdown": md.String(), "html": html.String()} {
			if i := strings.IndexFunc(drawn, func(r rune) bool { return r != '\n' && visible(string(r)) != string(r) }); i >= 0 {
				t.Fatalf("%s: a hidden character at %.40q", name, drawn[i:])
			}
		}
		cells := 0
		for line := range strings.Lines(text.String()) {
			if strings.HasPrefix(line, "[CELL]") {
				cells++
			}
		}
		if cells != 3 { // two attempts and a skipped cell
			t.Fatalf("%d banners, want 3:\n%s", cells, text.String())
		}
		checkMarkdown(t, md.String())
	})
}

// checkPage looks for markup that is not ours: the only scripts are the page's, and its data is JSON.
func checkPage(t *rapid.T, page string) {
	if n := strings.Count(page, "<script"); n != 2 {
		t.Fatalf("%d scripts, want 2", n)
	}
	if strings.Contains(page, "<h1><bdi></bdi></h1>") {
		t.Fatal("a page without a name")
	}
	_, rest, _ := strings.Cut(page, `id="data">`)
	data, _, _ := strings.Cut(rest, "</script>")
	if !json.Valid([]byte(data)) {
		t.Fatalf("no JSON: %.200s", data)
	}
	if n := strings.Count(page, "</details>"); n != strings.Count(page, "<details") {
		t.Fatalf("%d ends of details", n)
	}
}

// checkMarkdown looks for text that got out: the only tags, headings and fences are ours.
func checkMarkdown(t *rapid.T, md string) {
	fence := ""
	for line := range strings.Lines(md) {
		line = strings.TrimRight(line, "\n")
		body := strings.TrimLeft(line, " ")
		if fence != "" {
			if body == fence {
				fence = ""
			}
			continue
		}
		if ticks, ok := strings.CutSuffix(strings.Replace(body, "bash", "text", 1), "text"); ok && strings.Trim(ticks, "`") == "" && len(ticks) >= 3 {
			fence = ticks
			continue
		}
		if strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "## ") && line != "### Failures" && line != "### Warnings" && line != "### Results" {
			t.Fatalf("a heading that is not ours: %q", line)
		}
		bare := line
		for _, ours := range []string{"<details><summary>", "</summary>", "</details>", "<!-- -->"} {
			bare = strings.ReplaceAll(bare, ours, "")
		}
		if strings.Contains(withoutCode(bare), "<") || strings.Contains(withoutCode(line), "@octocat") {
			t.Fatalf("text got out: %q", line)
		}
	}
	if fence != "" {
		t.Fatal("a code block is open to the end")
	}
}

// withoutCode takes the code spans out of a line as CommonMark finds them: from a run of
// backticks to the next run of the same length. A backslash before a run outside a span
// makes its first backtick text.
func withoutCode(line string) string {
	var out strings.Builder
	for i := 0; i < len(line); {
		if line[i] == '\\' && i+1 < len(line) {
			out.WriteString(line[i : i+2])
			i += 2
			continue
		}
		n := 0
		for i+n < len(line) && line[i+n] == '`' {
			n++
		}
		if n == 0 {
			out.WriteByte(line[i])
			i++
			continue
		}
		end := -1
		for j := i + n; j < len(line); {
			m := 0
			for j+m < len(line) && line[j+m] == '`' {
				m++
			}
			if m == n {
				end = j + m
				break
			}
			j += max(m, 1)
		}
		if end < 0 {
			end = i + n
		}
		i = end
	}
	return out.String()
}

// Two backticks that stand for an empty word would begin a span which text behind them ends.
func TestNothingIsNoCodeSpan(t *testing.T) {
	if line := code("") + ": x at " + code("``<script>"); strings.Contains(withoutCode(line), "<") {
		t.Errorf("text got out: %q", line)
	}
}
