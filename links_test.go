package servematrix_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	relativeLink  = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]+))?\)`)
	pictureSource = regexp.MustCompile(`src(?:set)?="([^"]+)"`)
	fenced        = regexp.MustCompile("(?ms)^```.*?^```$")
	heading       = regexp.MustCompile(`(?m)^#+ (.+)$`)
	citedDecision = regexp.MustCompile(`docs/adr/(\d{4})`)
	packageRow    = regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|")
	namedFile     = regexp.MustCompile("`([a-z/]+\\.go)`")
)

// documents are the READMEs, what stands beside them, and all below docs.
func documents(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir("docs", func(file string, d os.DirEntry, err error) error {
		if err == nil && path.Ext(file) == ".md" {
			files = append(files, file)
		}
		return err
	})
	if err != nil || len(files) < 30 {
		t.Fatalf("%d documents, err %v", len(files), err)
	}
	return files
}

// TestLinksInDocs wants what the documents link to, down to the heading.
func TestLinksInDocs(t *testing.T) {
	for _, file := range documents(t) {
		text := fenced.ReplaceAllString(readDoc(t, file), "")
		for _, picture := range pictureSource.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(path.Join(path.Dir(file), picture[1])); err != nil {
				t.Errorf("%s shows %s, which is not there", file, picture[1])
			}
		}
		for _, link := range relativeLink.FindAllStringSubmatch(text, -1) {
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

// TestDecisionsHaveNumbersOfTheirOwn wants that docs/adr/0012 names one document: each has its
// number once, at the head of its name and of its title, and what code cites is there.
func TestDecisionsHaveNumbersOfTheirOwn(t *testing.T) {
	files, err := filepath.Glob("docs/adr/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d decisions, err %v", len(files), err)
	}
	known := map[string]string{}
	for _, file := range files {
		number, _, _ := strings.Cut(path.Base(file), "-")
		if other, taken := known[number]; taken {
			t.Errorf("%s and %s have one number: take the next free one", other, file)
		}
		known[number] = file
		if want := "# " + strings.TrimLeft(number, "0") + ". "; !strings.HasPrefix(readDoc(t, file), want) {
			t.Errorf("%s does not begin with %q", file, want)
		}
	}
	err = filepath.WalkDir(".", func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".go" {
			return err
		}
		for _, cited := range citedDecision.FindAllStringSubmatch(readDoc(t, file), -1) {
			if known[cited[1]] == "" && file != "links_test.go" {
				t.Errorf("%s cites %s, which is not there", file, cited[0])
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestArchitectureHasEachPackage wants one row for each package in the table of
// docs/architecture.md, in the order that the imports keep to.
func TestArchitectureHasEachPackage(t *testing.T) {
	var rows, want []string
	for _, row := range packageRow.FindAllStringSubmatch(readDoc(t, "docs/architecture.md"), -1) {
		rows = append(rows, row[1])
	}
	for _, name := range order {
		if _, err := os.Stat(name); err == nil && name != "perf" { // which stands below the table
			want = append(want, strings.Replace(name, "cmd", "cmd/servematrix", 1))
		}
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("the table is not the order of imports_test.go:\n%s", diff)
	}
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
