package orchestrator

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"servematrix/result"
)

// fresh is the result file, "" when this client did not write it: a user's own
// file can still hold what another client left there.
func (a *attempt) fresh() string {
	path := a.result()
	info, err := os.Stat(path)
	if err != nil || a.stale != nil && os.SameFile(info, a.stale) && info.Size() == a.stale.Size() && info.ModTime().Equal(a.stale.ModTime()) {
		return ""
	}
	return path
}

// result is the file that the client writes its result to, "" when it writes none.
// Where the profile has a pattern for it, it is the newest that is there.
func (a *attempt) result() string {
	found := a.results(time.Time{})
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

// results are all files that can be the client's result, those written since
// then, the newest last.
func (a *attempt) results(since time.Time) []string {
	path := a.profile.ResultFile(a.command.argv, a.dir)
	if path == "" {
		return nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.command.dir, path)
	}
	if l := a.profile.Layout; l != nil && l.File != "" {
		return result.Found(l, path, since)
	}
	return []string{path}
}

// written are the result file and those that complete it.
func (a *attempt) written() []string {
	path := a.result()
	if path == "" || a.profile.Layout == nil {
		return []string{path}
	}
	return append(result.Besides(a.profile.Layout, path), path)
}

// several tells of a client that left more than one result: one sample holds one.
func (a *attempt) several() []result.Reason {
	found := a.results(a.times["client"].Add(-time.Second)) // a file system's clock is coarse
	if len(found) < 2 {
		return nil
	}
	return []result.Reason{{Reason: result.WrongRequestCount, Severity: result.SeverityError,
		Detail: fmt.Sprintf("the client left %d results, and this is the last of them: give each workload its own value of a client axis", len(found))}}
}
