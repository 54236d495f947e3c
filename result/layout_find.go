package result

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"servematrix/engine"
)

// maxSearched bounds how many files below a folder are looked at.
const maxSearched = 20000

// Found gives the result files of a client below a folder, as its layout describes them, the newest last.
func Found(l *engine.Layout, folder string) (paths []string) {
	pattern := globExpression(l.File)
	times := map[string]time.Time{}
	left := maxSearched
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if left--; left < 0 {
			return filepath.SkipAll
		}
		rel, relErr := filepath.Rel(folder, path)
		if err != nil || relErr != nil || !entry.Type().IsRegular() || !pattern.MatchString(filepath.ToSlash(rel)) {
			return nil // what cannot be read is not there
		}
		info, err := entry.Info()
		if err == nil && signed(l, path) {
			times[path] = info.ModTime()
			paths = append(paths, path)
		}
		return nil
	})
	slices.SortStableFunc(paths, func(a, b string) int { return times[a].Compare(times[b]) })
	return paths
}

// Besides gives the files that complete a result file, which need not all be there.
func Besides(l *engine.Layout, path string) (files []string) {
	for _, b := range l.With {
		files = append(files, besides(path, b)...)
	}
	slices.Sort(files)
	return files
}

func besides(path string, b engine.Beside) []string {
	name := filepath.Base(path)
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	pattern := globExpression(strings.ReplaceAll(b.File, "{name}", stem))
	var files []string
	for _, entry := range entries {
		if entry.Name() != name && entry.Type().IsRegular() && pattern.MatchString(entry.Name()) {
			files = append(files, filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
	return files
}

// globExpression makes a regular expression of a pattern: ** is any folders, * anything but /.
func globExpression(glob string) *regexp.Regexp {
	expr := regexp.QuoteMeta(glob)
	expr = strings.ReplaceAll(expr, `\*\*/`, `(?:.*/)?`)
	expr = strings.ReplaceAll(expr, `\*`, `[^/]*`)
	return regexp.MustCompile(`^` + expr + `$`)
}

// signed tells whether a file begins as the layout's results do.
func signed(l *engine.Layout, path string) bool { return hasSignature(l, headOf(path)) }

func hasSignature(l *engine.Layout, head []byte) bool {
	for _, text := range l.Signature {
		if !bytes.Contains(head, []byte(text)) {
			return false
		}
	}
	return len(l.Signature) > 0
}
