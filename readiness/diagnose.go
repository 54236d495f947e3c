package readiness

import (
	"os"
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
	Tail    []string // the last lines of that file, progress bars collapsed; of the file written last when no pattern matched
}

// Diagnose reads the logs of a server that failed, each once and in bounded
// memory, and names the cause. Of the patterns that match some line, the one
// that stands first in the list wins, with its first line. The result is false when no pattern matched; the tail is filled all the same.
// Files that cannot be read count as empty.
//
// The classes are those of a start; for a server that died later, start_failed
// means server_died.
func Diagnose(files []string, patterns []Pattern) (Diagnosis, bool) {
	table := newTable(patterns)
	var best Diagnosis
	rank := len(patterns) // of the best pattern so far
	for _, file := range files {
		each(file, func(line []byte, no int) {
			line = clean(line)
			i := table.first(line, rank)
			if i == rank {
				return
			}
			best = Diagnosis{Class: patterns[i].Class, Message: text(line, messageCap), File: file, Line: no}
			rank = i
		})
	}
	if rank == len(patterns) {
		best.Tail = tailOf(files)
		return best, false
	}
	best.Tail = Tail(best.File, tailLines)
	return best, true
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
