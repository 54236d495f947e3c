package matrix_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"servematrix/matrix"
)

// generous is an environment in which every name and every file is there.
var generous = matrix.Options{
	Getenv: func(string) (string, bool) { return "value", true },
	Digest: func(string) (string, error) { return strings.Repeat("0", 64), nil },
}

// projectSweep is a sweep of the project with where it stands.
type projectSweep struct {
	name string
	text []byte
}

var fenced = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// sweepsOfProject gives the sweeps of the examples, of scripts of tests, and of the documentation.
func sweepsOfProject(t *testing.T) (found []projectSweep) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return fs.SkipDir
		}
		ext := filepath.Ext(path)
		if d.IsDir() || ext != ".yaml" && ext != ".txtar" && ext != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch ext {
		case ".yaml":
			found = append(found, projectSweep{path, text})
		case ".txtar":
			for _, f := range txtar.Parse(text).Files {
				if filepath.Ext(f.Name) == ".yaml" {
					found = append(found, projectSweep{path + " " + f.Name, f.Data})
				}
			}
		case ".md":
			for _, m := range fenced.FindAllSubmatch(text, -1) {
				found = append(found, projectSweep{path, m[1]})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
