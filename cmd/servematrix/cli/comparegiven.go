package cli

import (
	"path/filepath"
	"strings"
	"time"

	"servematrix/result"
)

// given are the sources of a comparison so far. The same measurement given twice would count as
// two starts, and every interval would be too narrow.
type given struct {
	places  []place
	samples map[sampleKey]string // by which argument it came
}

// place is a source as the user named it, and where it really lies.
type place struct{ arg, path string }

// sampleKey is what makes a run's sample that one, in whatever folder a copy of it lies.
type sampleKey struct {
	run, cell      string
	block, attempt int
	start          time.Time
}

func newGiven() *given { return &given{samples: map[sampleKey]string{}} }

// add refuses a source that was given already: under another name, as a link, as a part of
// another, or as a copy of the run.
func (g *given) add(arg, path string, samples []*result.Sample) error {
	path = realPath(path)
	for _, p := range g.places {
		switch {
		case p.path == path && p.arg == arg:
			return usageError("%s is given twice", arg)
		case p.path == path:
			return usageError("%s is given twice: it is %s", arg, p.arg)
		case within(path, p.path):
			return usageError("%s is given twice: it is a part of %s", arg, p.arg)
		case within(p.path, path):
			return usageError("%s is given twice: it is a part of %s", p.arg, arg)
		}
	}
	for _, s := range samples {
		if key, ok := keyOf(s); ok && g.samples[key] != "" {
			return usageError("%s is given twice: it holds samples of the run %s that %s holds too", arg, s.Run, g.samples[key])
		}
	}
	for _, s := range samples {
		if key, ok := keyOf(s); ok {
			g.samples[key] = arg
		}
	}
	g.places = append(g.places, place{arg, path})
	return nil
}

// keyOf is false for a sample that no run measured.
func keyOf(s *result.Sample) (sampleKey, bool) {
	key := sampleKey{run: s.Run, cell: s.Cell, block: s.Block, attempt: s.Attempt}
	for _, t := range s.Times {
		if begin := t.Start.UTC(); key.start.IsZero() || begin.Before(key.start) {
			key.start = begin
		}
	}
	key.start = key.start.Truncate(time.Second)
	return key, s.Run != ""
}

// realPath follows links; a path that cannot be followed stays as it is.
func realPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
