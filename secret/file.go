package secret

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"servematrix/logfile"
)

// window is how much of a file is searched at a time, and overlap how much of
// it is searched again with the next part, so that no secret is cut in two.
const (
	window  = 1 << 20
	overlap = 16 << 10
)

// File hides the secrets in a file that somebody else wrote: a client's output,
// a server's log. It writes over them in place, byte for byte, so that the file
// keeps its length, its holes and its time, that no disk can be too full for it,
// and that a process which still appends is not disturbed. A link is not
// followed: what it names may be anybody's.
func (r *Redactor) File(path string) (changed bool, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return false, fmt.Errorf("redact: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return false, fmt.Errorf("redact %s: %w", path, err)
	}
	p := pass{Redactor: r, in: f, size: info.Size(), buf: make([]byte, min(window+overlap, info.Size()))}
	err = p.all()
	if p.out != nil {
		err = errors.Join(err, p.out.Close(), os.Chtimes(path, time.Time{}, info.ModTime()))
	}
	if err != nil {
		err = fmt.Errorf("redact %s: %w", path, err)
	}
	return p.out != nil, err
}

// pass is one way through a file.
type pass struct {
	*Redactor
	in   *os.File
	out  *os.File // the same file, opened when there is something to hide
	size int64    // when the pass began
	buf  []byte
}

// all goes through the stretches between the file's holes.
func (p *pass) all() error {
	for at := int64(0); at < p.size; {
		data, end, err := logfile.Next(p.in, at)
		if err != nil {
			return err
		}
		end = min(end, p.size)
		if err := p.stretch(data, end); err != nil {
			return err
		}
		at = max(end, data)
	}
	return nil
}

func (p *pass) stretch(from, end int64) error {
	for at := from; at < end; at += window {
		b := p.buf[:min(int64(len(p.buf)), end-at)]
		n, err := p.in.ReadAt(b, at)
		if err != nil && err != io.EOF {
			return err
		}
		b = b[:n]
		spans := p.spans(b)
		if at == from && from > 0 || at+int64(n) == end && end < p.size { // beside a hole
			spans = merged(append(spans, p.torn(b)...))
		}
		for _, x := range spans {
			if err := p.hide(b[x.from:x.to], at+int64(x.from)); err != nil {
				return err
			}
		}
	}
	return nil
}

// torn finds what a hole has left of a secret at an end of b.
func (p *pass) torn(b []byte) (found []span) {
	_, values := p.find()
	for _, v := range values {
		for n := min(len(v)-1, len(b)); n >= shortestFound; n-- {
			if bytes.HasPrefix(b, v[len(v)-n:]) {
				found = append(found, span{0, n})
			}
			if bytes.HasSuffix(b, v[:n]) {
				found = append(found, span{len(b) - n, len(b)})
			}
		}
	}
	return found
}

// hide writes over old, which stands at the offset, unless it is hidden already.
func (p *pass) hide(old []byte, at int64) error {
	masked := maskOf(len(old))
	if string(old) == masked {
		return nil
	}
	if p.out == nil {
		var err error
		// The same file, not whatever may have its name by now.
		if p.out, err = os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", p.in.Fd()), os.O_WRONLY, 0); err != nil {
			return err
		}
	}
	_, err := p.out.WriteAt([]byte(masked), at)
	return err
}

// maskOf is Mask, filled up with dots; where there is no room for it, asterisks.
func maskOf(n int) string {
	if n < len(Mask) {
		return strings.Repeat("*", n)
	}
	return Mask + strings.Repeat(".", n-len(Mask))
}
