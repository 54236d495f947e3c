package orchestrator

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"servematrix/result"
)

// seen is what a client's result files were like at one moment, by path.
type seen map[string]os.FileInfo

// look gives what can be the client's result as it is now.
func (a *attempt) look() seen {
	now := seen{}
	for _, path := range a.results() {
		if info, err := os.Stat(path); err == nil {
			now[path] = info
		}
	}
	return now
}

// has tells whether a file is as it was then.
func (s seen) has(path string, info os.FileInfo) bool {
	was, ok := s[path]
	return ok && os.SameFile(info, was) && info.Size() == was.Size() && info.ModTime().Equal(was.ModTime())
}

// wrote are the result files that this client wrote, the newest last: others' files can lie in a
// user's own place, of an older run or of the cell before.
func (a *attempt) wrote() (paths []string) {
	for _, path := range a.results() {
		if info, err := os.Stat(path); err == nil && !a.before.has(path, info) {
			paths = append(paths, path)
		}
	}
	return paths
}

// fresh is the result file, "" when this client wrote none. Where the profile has a pattern for
// it, it is the newest.
func (a *attempt) fresh() string {
	found := a.wrote()
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

// results are all paths that can be the client's result, the newest last; none where it writes none.
func (a *attempt) results() []string {
	path := a.profile.ResultFile(a.command.argv, a.dir)
	if path == "" {
		return nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.command.dir, path)
	}
	if l := a.profile.Layout; l != nil && l.File != "" {
		return result.Found(l, path)
	}
	return []string{path}
}

// written are the files that the client wrote its results to, and those that complete them.
func (a *attempt) written() []string {
	paths := a.wrote()
	if a.profile.Layout == nil {
		return paths
	}
	files := slices.Clone(paths)
	for _, path := range paths {
		files = append(files, result.Besides(a.profile.Layout, path)...)
	}
	return files
}

// several tells of a client that left more than one result: one sample holds one.
func (a *attempt) several() []result.Reason {
	found := a.wrote()
	if len(found) < 2 {
		return nil
	}
	return []result.Reason{{Reason: result.WrongRequestCount, Severity: result.SeverityError,
		Detail: fmt.Sprintf("the client left %d results, and this is the last of them: give each workload its own value of a client axis", len(found))}}
}
