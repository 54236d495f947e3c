package orchestrator

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"servematrix/effective"
	"servematrix/journal"
)

// Kinds of bulk.
const (
	BulkLogs      = "launch logs"     // what servers printed, and left in their folders
	BulkAttempts  = "old attempts"    // what clients printed and wrote, beside samples, in attempts that others came after
	BulkWarmups   = "warm-ups"        // runs of clients that did not count
	BulkHooks     = "hook outputs"    // their last lines are in the journal
	BulkTelemetry = "large telemetry" // beside samples that stay
)

// Bulk is a file of a run folder that takes room and that neither resume nor the
// numbers of a report need.
type Bulk struct {
	Kind  string
	Path  string // absolute
	Bytes int64  // on disk
}

// FindBulk finds the bulk of a run, whose journal is events. What explains a
// cell that failed stays: the last attempt at it and the log of its server.
func FindBulk(folder journal.Folder, events iter.Seq2[journal.Event, error]) ([]Bulk, error) {
	last := map[Unit]journal.Event{} // its last sample.started or sample.ended
	keep := map[string]bool{}        // folders whose content stays
	failed := map[Unit]string{}      // launch of the last attempt, where that failed
	open := map[string]bool{}        // launches whose end nobody saw: by their logs leftovers are found
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		u := Unit{e.Cell, e.Block}
		switch e.Type {
		case journal.SampleStarted, journal.SampleEnded:
			last[u] = e
			delete(failed, u)
		case journal.LaunchStarted:
			open[e.Launch] = true
		case journal.LaunchEnded:
			delete(open, e.Launch)
		case journal.CellSkipped:
			d, err := journal.Decode[journal.Skip](e)
			if err != nil {
				return nil, err
			}
			failed[u] = d.Cause
		}
		if e.Type == journal.SampleEnded {
			d, err := journal.Decode[journal.Ended](e)
			if err != nil {
				return nil, err
			}
			if d.Status == StatusOK {
				keep[folder.Path(journal.AttemptName(e.Cell, e.Block, e.Attempt))] = true
			} else {
				failed[u] = e.Launch
			}
		}
	}
	for u, e := range last {
		keep[folder.Path(journal.AttemptName(u.Cell, u.Block, e.Attempt))] = true
	}
	for _, launch := range failed {
		open[launch] = true
	}
	for launch := range open {
		keep[folder.LaunchDir(launch)] = true
	}
	return heavy(folder, keep)
}

// telemetryBulk is from where on a telemetry.jsonl is bulk; most are far smaller.
const telemetryBulk = 1 << 20

// heavy walks through the run folder.
func heavy(folder journal.Folder, keep map[string]bool) ([]Bulk, error) {
	var found []Bulk
	for _, place := range []struct{ pattern, kind string }{
		{"launches/*", BulkLogs}, {"cells/*/b*-a*/warmup*", BulkWarmups}, {"cells/*/b*-a*", BulkAttempts}, {"hooks/*", BulkHooks},
	} {
		dirs, err := filepath.Glob(filepath.Join(globbed(string(folder)), place.pattern))
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			if keep[dir] {
				path := filepath.Join(dir, journal.TelemetryFile)
				if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && OnDisk(info) > telemetryBulk {
					found = append(found, Bulk{BulkTelemetry, path, OnDisk(info)})
				}
				continue
			}
			keep[dir] = true // a warm-up is not one more file of its attempt
			err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				switch {
				case err != nil:
					return err
				case d.IsDir():
					if path != dir && keep[path] {
						return filepath.SkipDir
					}
					return nil
				case !d.Type().IsRegular() || slices.Contains(lasting, d.Name()):
					return nil
				}
				info, err := d.Info()
				if err == nil {
					found = append(found, Bulk{place.kind, path, OnDisk(info)})
				}
				return err
			})
			if err != nil && !os.IsNotExist(err) {
				return nil, err
			}
		}
	}
	return found, nil
}

// lasting are the files that are small and that somebody may still ask for: a
// sample, what a server really ran with, and what a guard says of its tree after a crash.
var lasting = []string{journal.SampleFile, journal.AttemptLock, guardStatus, effective.File}

// globbed escapes what means something in a pattern.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// OnDisk is the room that a file takes, in bytes: with holes less than its size.
func OnDisk(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}

// GuardsLive tells whether a guard of the run still ends what its tree left, after a crash.
func GuardsLive(folder journal.Folder) bool {
	for _, pattern := range []string{"launches/*", "cells/*/b*-a*", "cells/*/b*-a*/warmup*", "hooks/*"} {
		dirs, _ := filepath.Glob(filepath.Join(globbed(string(folder)), pattern)) // the patterns are well formed
		if slices.ContainsFunc(dirs, journal.GuardLives) {
			return true
		}
	}
	return false
}
