package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var chartLink = regexp.MustCompile(`\]\((charts/[^)]+)\)`)

// What report.md links lies beside it, whether the run wrote it or it was drawn again elsewhere.
func TestChartsLieBesideTheMarkdown(t *testing.T) {
	r := eventful(t, t.TempDir(), "zh")
	live, err := Open(r.folder, r.plan, told(r.events))
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(r.folder.Path(markdownFile))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	var again bytes.Buffer
	if err := MarkdownWithCharts(&again, r.folder, filepath.Join(elsewhere, markdownFile)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, again.Bytes()) {
		t.Errorf("report.md and what is drawn again differ:\n%s\n%s", written, again.Bytes())
	}
	links := chartLink.FindAllSubmatch(written, -1)
	if len(links) < 3 {
		t.Fatalf("%d links to charts", len(links))
	}
	for _, link := range links {
		name := string(link[1])
		here, err := os.ReadFile(r.folder.Path(name))
		if err != nil {
			t.Fatal(err)
		}
		there, err := os.ReadFile(filepath.Join(elsewhere, name))
		if err != nil || !bytes.Equal(here, there) {
			t.Errorf("%s is another one elsewhere (%v)", name, err)
		}
		info, err := os.Stat(r.folder.Path(name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
		for dec := xml.NewDecoder(bytes.NewReader(here)); ; {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for _, want := range []string{"<style>", "prefers-color-scheme:dark", "SIMULATED"} {
			if !bytes.Contains(here, []byte(want)) {
				t.Errorf("%s has no %s", name, want)
			}
		}
	}
}

// Two reports in one folder have each their own charts, and what they link is there.
func TestReportsDoNotShareCharts(t *testing.T) {
	r := eventful(t, t.TempDir(), "en")
	dir := t.TempDir()
	for file, charts := range map[string]string{"b.md": "b-charts", "b.txt": "b.txt-charts", "a (1): x.md": "a (1): x-charts", "report.md": "charts"} {
		var b bytes.Buffer
		if err := MarkdownWithCharts(&b, r.folder, filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
		links := regexp.MustCompile(`\]\(([^) ]+\.svg)\)`).FindAllSubmatch(b.Bytes(), -1)
		if len(links) < 3 {
			t.Fatalf("%s has %d links to charts", file, len(links))
		}
		for _, link := range links {
			to, err := url.Parse(string(link[1]))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(to.Path))); err != nil || filepath.Dir(to.Path) != charts {
				t.Errorf("%s links %s: %v", file, link[1], err)
			}
		}
	}
}

// What a former report linked is gone from a run's charts when the run ends; what is not of ours stays.
func TestFormerChartsAreRemoved(t *testing.T) {
	r := eventful(t, t.TempDir(), "en")
	if err := os.MkdirAll(r.folder.Path(chartsFolder), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"heat-77.svg", "mine.svg"} {
		if err := os.WriteFile(r.folder.Path(chartsFolder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	live, err := Open(r.folder, r.plan, told(r.events))
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.folder.Path(chartsFolder, "heat-77.svg")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a former chart is still there (%v)", err)
	}
	entries, err := os.ReadDir(r.folder.Path(chartsFolder))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "mine.svg" && !chart.MatchString(e.Name()) {
			t.Errorf("%s would never be removed", e.Name())
		}
	}
	for _, name := range []string{"mine.svg", "heat.svg"} {
		if _, err := os.Stat(r.folder.Path(chartsFolder, name)); err != nil {
			t.Error(err)
		}
	}
}
