package readiness

import (
	"os"
	"slices"
	"strings"
	"time"

	"servematrix/logfile"
)

// tailLines is how many last lines a failure carries.
const tailLines = 40

// Diagnosis is what a log says about a failure.
type Diagnosis struct {
	Class   string   // of the pattern that matched; empty when none did
	Message string   // the line, cleaned, at most 500 characters
	File    string   // as named in the call
	Line    int      // its number in the file, from 1
	Lines   []Line   // those that matter, the most telling first, which is the one above; at most three
	Tail    []string // the last lines of that file, progress bars collapsed; of the file written last when no pattern matched
}

// Line is one line of a log.
type Line struct {
	File string // as named in the call
	No   int    // its number in the file, from 1
	Text string // cleaned, at most 500 characters
}

// linesMost is how many lines of a diagnosis are kept: what matters fits on a glance.
const linesMost = 3

// Diagnose reads the logs of a server that failed, each once and in bounded
// memory, and names the cause. Of the patterns that match some line, the one
// that stands first in the list wins, with its first line; those behind it give the further lines that
// matter, where they say something else. The result is false when no pattern matched; the tail is filled all the same.
// Files that cannot be read count as empty.
//
// The classes are those of a start; for a server that died later, start_failed
// means server_died.
func Diagnose(files []string, patterns []Pattern) (Diagnosis, bool) {
	table := newTable(patterns)
	first := make([]Line, len(patterns)) // that each pattern matched, where none before it did
	for _, file := range files {
		each(file, func(line []byte, no int) {
			line = clean(line)
			if i := table.first(line, len(patterns)); i < len(patterns) && first[i].No == 0 {
				first[i] = Line{File: file, No: no, Text: text(line, messageCap)}
			}
		})
	}
	best := slices.IndexFunc(first, func(l Line) bool { return l.No > 0 })
	if best < 0 {
		return Diagnosis{Tail: tailOf(files)}, false
	}
	l := first[best]
	return Diagnosis{Class: patterns[best].Class, Message: l.Text, File: l.File, Line: l.No, Lines: telling(first[best:]), Tail: Tail(l.File, tailLines)}, true
}

// telling are the lines that were found, none of which says only what one before it says too.
func telling(found []Line) (lines []Line) {
	for _, l := range found {
		again := func(other Line) bool {
			return strings.Contains(other.Text, l.Text) || strings.Contains(l.Text, other.Text)
		}
		if l.No > 0 && len(lines) < linesMost && !slices.ContainsFunc(lines, again) {
			lines = append(lines, l)
		}
	}
	return lines
}

// each gives every line of a file.
func each(file string, emit func(line []byte, no int)) {
	f, err := os.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	// Only what is there now: a server that still runs may write faster than we read.
	in, err := logfile.NewReader(f, 0, logfile.Break)
	if err != nil {
		return
	}
	s := splitter{limit: lineCap, emit: emit}
	buf := make([]byte, 256<<10)
	for {
		n, err := in.Read(buf)
		s.write(buf[:n])
		if err != nil {
			break
		}
	}
	s.end(nil)
}

// lastWritten is the non-empty file that was written last.
func lastWritten(files []string) string {
	var name string
	var at time.Time
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && info.Size() > 0 && (name == "" || info.ModTime().After(at)) {
			name, at = file, info.ModTime()
		}
	}
	return name
}

// settleLimit bounds how long logs may still grow after a process has ended:
// children print the cause after their parent printed the effect.
const settleLimit = 500 * time.Millisecond

// Settle waits, after a server or one of its processes has ended, until its
// logs have not grown for a moment, at most half a second: the line that
// explains most may come last.
func Settle(files []string) {
	const moment = 40 * time.Millisecond
	size := func() (n int64) {
		for _, file := range files {
			if info, err := os.Stat(file); err == nil {
				n += info.Size()
			}
		}
		return n
	}
	for last, end := size(), time.Now().Add(settleLimit); time.Now().Before(end); {
		time.Sleep(moment)
		now := size()
		if now == last {
			return
		}
		last = now
	}
}
