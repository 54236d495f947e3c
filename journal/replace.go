package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// An edited sweep replaces plan.json and what belongs to it in a run folder. No
// rename puts several files in their places at once, so the journal decides:
//
//  1. Stage writes the new files beside the old ones, and keeps the old ones under a name of their own.
//  2. The first event of the new session names the new plan by its digest.
//  3. Adopt puts the new files in their places, plan.json last.
//
// After a crash before 2 the old plan holds, after it the new one: Settle, called
// by every session before it reads the plan, finishes 3 or takes 1 back.

// staged is the ending of a file that waits for its place.
const staged = ".next"

// ErrOtherPlan says that plan.json is not the one that the last session worked on.
var ErrOtherPlan = errors.New("plan.json is not the plan that the journal names (its SHA-256 differs): it was changed or damaged")

// FormerName is the name under which the nth version of a file is kept after a
// newer one took its place: plan.1.json for the first plan.json.
func FormerName(name string, n int) string {
	ext := filepath.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + strconv.Itoa(n) + ext
}

// Stage lays the next versions of some files ready and keeps those in use as
// their nth version. Nothing that is in use changes.
func (f Folder) Stage(files map[string][]byte, n int) error {
	if err := f.unstage(); err != nil {
		return err
	}
	for name, data := range files {
		if err := f.keep(name, n); err != nil {
			return fmt.Errorf("keep %s: %w", name, err)
		}
		if err := WriteFile(f.Path(name+staged), data); err != nil {
			return fmt.Errorf("write the next %s: %w", name, err)
		}
	}
	return syncDir(string(f))
}

// keep gives a file a second name. One that is there already was made by a
// session that crashed while the same version was in use.
func (f Folder) keep(name string, n int) error {
	err := os.Link(f.Path(name), f.Path(FormerName(name, n)))
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	data, err := os.ReadFile(f.Path(name)) // a file system without links
	if err != nil {
		return err
	}
	return WriteFile(f.Path(FormerName(name, n)), data)
}

// Adopt puts the staged files in their places, plan.json last.
func (f Folder) Adopt() error {
	paths, err := f.staged()
	if err != nil {
		return err
	}
	last := f.Path(PlanFile + staged)
	for _, path := range append(slices.DeleteFunc(paths, func(p string) bool { return p == last }), last) {
		if err := os.Rename(path, strings.TrimSuffix(path, staged)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replace the plan: %w", err)
		}
	}
	return syncDir(string(f))
}

// Settle makes plan.json the one with the digest that the last session names,
// whenever a crash came. An empty digest is of a journal that names none. The error
// ErrOtherPlan says that no such plan is there.
func (f Folder) Settle(digest string) error {
	next, err := digestOf(f.Path(PlanFile + staged))
	if err == nil && next == digest {
		return f.Adopt()
	}
	if err := f.unstage(); err != nil {
		return err
	}
	now, err := digestOf(f.Path(PlanFile))
	if err == nil && digest != "" && now != digest {
		err = ErrOtherPlan
	}
	return err
}

func (f Folder) unstage() error {
	paths, err := f.staged()
	for _, path := range paths {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func (f Folder) staged() ([]string, error) {
	entries, err := os.ReadDir(string(f))
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), staged) {
			paths = append(paths, f.Path(e.Name()))
		}
	}
	return paths, err
}

func digestOf(path string) (string, error) {
	data, err := os.ReadFile(path)
	return Digest(data), err
}

// Digest is the SHA-256 of data in hexadecimal.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
