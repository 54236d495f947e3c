package servematrix_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	relativeLink = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]+))?\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$`)
	namedFile    = regexp.MustCompile("`([a-z/]+\\.go)`")
)

// TestLinksInDocs wants what the documents link to, down to the heading.
func TestLinksInDocs(t *testing.T) {
	docs, err := filepath.Glob("docs/*.md")
	if err != nil || len(docs) == 0 {
		t.Fatalf("%d documents, err %v", len(docs), err)
	}
	for _, file := range append(docs, "README.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		for _, link := range relativeLink.FindAllStringSubmatch(readDoc(t, file), -1) {
			target := file
			if link[1] != "" {
				target = path.Join(path.Dir(file), link[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", file, link[0])
			} else if link[2] != "" && !anchors(readDoc(t, target))[link[2]] {
				t.Errorf("%s links to %s, a heading that is not there", file, link[0])
			}
		}
	}
}

// anchors are the names that GitHub gives the headings of a document.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		bare := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(h[1]), "")
		names[strings.ReplaceAll(bare, " ", "-")] = true
	}
	return names
}

// TestFilesOfArchitecture wants each Go file that the way of a cell names.
func TestFilesOfArchitecture(t *testing.T) {
	for _, name := range namedFile.FindAllStringSubmatch(readDoc(t, "docs/architecture.md"), -1) {
		found := false
		for _, folder := range []string{".", "cmd/servematrix", "orchestrator"} {
			_, err := os.Stat(path.Join(folder, name[1]))
			found = found || err == nil
		}
		if !found {
			t.Errorf("docs/architecture.md names %s, which is not there", name[1])
		}
	}
}
