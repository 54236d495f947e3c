package wire

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

// errLater is what a body says that has more to come.
var errLater = errors.New("more of the body comes later")

var errChunk = errors.New("malformed chunked encoding")

// unwrapper reads an HTTP/1.1 body out of what comes over a connection, as it comes: chunked, of a
// known length, or until the connection closes.
type unwrapper struct {
	came []byte // and was not read yet
	at   time.Time
	end  error // behind came, when nothing more will come

	part  part
	left  int64  // bytes of the body, or of the chunk
	short []byte // a line that came in pieces
	wrong error  // what came is no body
}

// part is what comes next.
type part int

const (
	chunkSize part = iota
	chunkData
	chunkEnd
	trailer
	sized    // a body of a known length
	unsized  // one that the connection's end ends
	bodyDone // nothing
)

// open makes it ready for the body of response.
func (u *unwrapper) open(response *http.Response) {
	u.left, u.short, u.wrong = 0, u.short[:0], nil
	switch {
	case len(response.TransferEncoding) > 0:
		u.part = chunkSize
	case response.ContentLength == 0:
		u.part = bodyDone
	case response.ContentLength > 0:
		u.part, u.left = sized, response.ContentLength
	default:
		u.part = unsized
	}
}

func (u *unwrapper) arrived() time.Time { return u.at }

// Read gives what has come of the body; errLater where more will.
func (u *unwrapper) Read(b []byte) (n int, err error) {
	err = u.wrong
	for n < len(b) && err == nil {
		switch u.part {
		case bodyDone:
			return n, io.EOF
		case unsized:
			if len(u.came) == 0 && u.end == io.EOF {
				u.part = bodyDone
				continue
			}
			n, err = u.copy(b, n, int64(len(b)))
		case sized, chunkData:
			var m int
			m, err = u.copy(b, n, u.left)
			if u.left -= int64(m - n); u.left == 0 {
				u.part = map[part]part{sized: bodyDone, chunkData: chunkEnd}[u.part]
			}
			n = m
		default:
			err = u.framing()
		}
	}
	if errors.Is(err, errChunk) {
		u.wrong = err
	}
	if n > 0 { // what is wrong behind it is told next time
		return n, nil
	}
	return 0, err
}

// copy copies at most limit bytes behind the first n of b, and gives how many b holds then.
func (u *unwrapper) copy(b []byte, n int, limit int64) (int, error) {
	if len(u.came) == 0 {
		return n, u.missing()
	}
	m := copy(b[n:n+int(min(limit, int64(len(b)-n)))], u.came)
	u.came = u.came[m:]
	return n + m, nil
}

// missing says why nothing has come: not yet, or too soon an end.
func (u *unwrapper) missing() error {
	switch {
	case u.end == nil:
		return errLater
	case u.end == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return u.end
}

// framing takes a line that is none of the body's.
func (u *unwrapper) framing() error {
	i := bytes.IndexByte(u.came, '\n')
	if len(u.short)+max(i, 0) > 4<<10 || i < 0 && len(u.short)+len(u.came) > 4<<10 {
		return errChunk
	}
	if i < 0 {
		u.short = append(u.short, u.came...)
		u.came = nil
		return u.missing()
	}
	line := u.came[:i]
	if len(u.short) > 0 {
		u.short = append(u.short, line...)
		line = u.short
	}
	u.came = u.came[i+1:]
	err := u.framed(bytes.TrimSuffix(line, []byte{'\r'}))
	u.short = u.short[:0]
	return err
}

func (u *unwrapper) framed(line []byte) error {
	switch u.part {
	case chunkEnd:
		if len(line) > 0 {
			return errChunk
		}
		u.part = chunkSize
	case trailer:
		if len(line) == 0 {
			u.part = bodyDone
		}
	case chunkSize:
		size, _, _ := bytes.Cut(line, []byte{';'})
		n, err := strconv.ParseInt(string(bytes.TrimSpace(size)), 16, 64)
		if err != nil || n < 0 {
			return errChunk
		}
		u.part, u.left = chunkData, n
		if n == 0 {
			u.part = trailer
		}
	}
	return nil
}
