package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
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
	if err := MarkdownWithCharts(&again, r.folder, elsewhere); err != nil {
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
