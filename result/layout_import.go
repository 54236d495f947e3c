package result

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/go-multierror"

	"servematrix/engine"
)

// profileOf gives the profile whose results begin so, nil for none.
func profileOf(head []byte) *engine.ClientProfile {
	for _, p := range engine.Embedded().Clients() {
		if hasSignature(p.Layout, head) {
			return p
		}
	}
	return nil
}

// byLayout imports one result file. client is its side where somebody knows more of it
// than the file's name.
func (i *importer) byLayout(path string, p *engine.ClientProfile, client *Side) error {
	found, err := readLayout(path, p)
	if client == nil || client.Name == i.sideOf(path).Name {
		client = &Side{Name: i.names.of(placeBy(path, p))}
	}
	e := &emitter{client: client, each: i.each}
	for _, m := range found {
		if err := e.take(m); err != nil {
			return err
		}
	}
	return errors.Join(named(path, err), e.finish(nil))
}

// layouts imports the results in a folder that a profile's layout describes, and those
// below it where the folder holds the command of such a client: then it is done, and nothing
// else below counts. rest are the entries that are no such result and complete none.
func (i *importer) layouts(folder string, entries []fs.DirEntry) (rest []fs.DirEntry, done bool, err error) {
	if done, err := i.commanded(folder); done || err != nil {
		return entries, done, err
	}
	profiles, beside := map[string]*engine.ClientProfile{}, map[string]bool{}
	for _, entry := range entries {
		if path := filepath.Join(folder, entry.Name()); entry.Type().IsRegular() {
			if p := profileOf(headOf(path)); p != nil {
				profiles[path] = p
			}
		}
	}
	for path, p := range profiles {
		for _, other := range Besides(p.Layout, path) {
			if back := profiles[other]; back == nil || !slices.Contains(Besides(back.Layout, other), path) {
				beside[other] = true
			}
		}
	}
	var problems *multierror.Error
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		switch p := profiles[path]; {
		case beside[path]:
		case p == nil:
			rest = append(rest, entry)
		default:
			if err := i.byLayout(path, p, nil); err != nil {
				problems = multierror.Append(problems, err)
			}
		}
	}
	return rest, false, problems.ErrorOrNil()
}

// commanded imports what the client whose command a folder holds left in it and below.
func (i *importer) commanded(folder string) (done bool, err error) {
	p, side, end, err := commandIn(folder)
	if p == nil || err != nil {
		return false, err
	}
	side.Name = i.names.of(folder)
	p, paths := below(folder, p)
	var problems *multierror.Error
	e := &emitter{client: side, each: i.each}
	for _, path := range paths {
		found, err := readLayout(path, p)
		if err != nil {
			problems = multierror.Append(problems, named(path, err))
		}
		for _, m := range found {
			done = true
			if err := e.take(m); err != nil {
				return true, err
			}
		}
	}
	if err := e.finish(end); err != nil {
		problems = multierror.Append(problems, err)
	}
	return done || problems != nil, problems.ErrorOrNil()
}

// below gives the results of a client in a folder and below it, sorted, and the profile that
// reads them: where there are none, that of another form in which some client writes its own.
func below(folder string, p *engine.ClientProfile) (*engine.ClientProfile, []string) {
	forms := []*engine.ClientProfile{p}
	for _, other := range engine.Embedded().Clients() {
		if len(other.Match) == 0 {
			forms = append(forms, other)
		}
	}
	for _, form := range forms {
		everywhere := *form.Layout
		everywhere.File = "**/" + cmp.Or(strings.TrimPrefix(everywhere.File, "**/"), "*")
		if paths := Found(&everywhere, folder); len(paths) > 0 {
			slices.Sort(paths)
			return form, paths
		}
	}
	return p, nil
}

// commandIn reads a folder's cmd and exit, where the command is that of a client with a layout.
func commandIn(folder string) (*engine.ClientProfile, *Side, *Failure, error) {
	b := bundle{command: existing(folder, "cmd"), exit: existing(folder, "exit")}
	text, err := readSmall(b.command)
	if err != nil || text == "" {
		return nil, nil, nil, err
	}
	side := &Side{}
	side.Argv, side.Env = splitCommand(text)
	p := engine.Embedded().ClientOf(side.Argv)
	if p == nil { // a word that was quoted once, such as D(128,64), is no shell syntax
		side.Argv = redactor.Strings(strings.Fields(text))
		p = engine.Embedded().ClientOf(side.Argv)
	}
	if p == nil || p.Layout == nil {
		return nil, nil, nil, nil
	}
	end, err := b.end()
	return p, side, end, err
}

func existing(folder, name string) string {
	path := filepath.Join(folder, name)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// headOf gives the beginning of a file, nil where it cannot be read.
func headOf(path string) []byte {
	in, err := openSource(path)
	if err != nil {
		return nil
	}
	defer in.Close()
	return in.head
}

// placeBy is placeOf for a file of a client, where all of them may have one name.
func placeBy(path string, p *engine.ClientProfile) string {
	if name := filepath.Base(path); name == strings.TrimPrefix(filepath.Base(p.Layout.File), "*") {
		return filepath.Dir(path)
	}
	if stem, _ := roleOf(filepath.Base(path)); stem == "" {
		return strings.TrimSuffix(path, filepath.Ext(path))
	}
	return placeOf(path)
}
