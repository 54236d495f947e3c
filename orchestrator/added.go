package orchestrator

import (
	"bytes"
	"io"
	"os"
)

// addedMax is the most of a file's end that is read at one look.
const addedMax = 64 << 10

// added reads what others append to a file, look by look. Of more than addedMax
// since the last look it reads the end alone, so that a log of megabytes a second
// costs no more than a quiet one.
type added struct {
	path string
	size int64 // at the last look
	next int64 // where the next look reads from: the begin of the last unfinished line
}

// look gives the lines that were added, with the last unfinished one as far as it
// is there, and whether the file has changed at all. Progress bars end their states
// with \r. A file that is not there, or cannot be read, has not changed.
func (f *added) look() (lines [][]byte, changed bool) {
	info, err := os.Stat(f.path)
	if err != nil || info.Size() == f.size {
		return nil, false
	}
	if info.Size() < f.size {
		f.next = 0 // it was begun anew
	}
	f.size = info.Size()
	f.next = max(f.next, f.size-addedMax)
	file, err := os.Open(f.path)
	if err != nil {
		return nil, true
	}
	defer file.Close()
	buf := make([]byte, f.size-f.next)
	n, err := file.ReadAt(buf, f.next)
	if err != nil && err != io.EOF {
		return nil, true
	}
	buf = buf[:n]
	if last := bytes.LastIndexAny(buf, "\r\n"); last >= 0 {
		f.next += int64(last) + 1
	}
	for len(buf) > 0 {
		line := buf
		if end := bytes.IndexAny(buf, "\r\n"); end >= 0 {
			line, buf = buf[:end], buf[end+1:]
		} else {
			buf = nil
		}
		if len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines, true
}
