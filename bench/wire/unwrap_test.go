package wire

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestBodiesComeInPiecesOfAnySize(t *testing.T) {
	chunked := &http.Response{TransferEncoding: []string{"chunked"}, ContentLength: -1}
	for name, c := range map[string]struct {
		response *http.Response
		came     string
		body     string
		err      error  // at the end
		left     string // behind the body
		closes   bool   // the connection, behind came
	}{
		"chunks":                 {response: chunked, came: "5\r\nhello\r\n1;name=x\r\n!\r\n0\r\n\r\nnext", body: "hello!", err: io.EOF, left: "next"},
		"with trailers":          {response: chunked, came: "1\r\na\r\n0\r\nX-A: b\r\nX-C: d\r\n\r\n", body: "a", err: io.EOF},
		"large digits":           {response: chunked, came: "A\r\n0123456789\r\n0\r\n\r\n", body: "0123456789", err: io.EOF},
		"chunks to come":         {response: chunked, came: "5\r\nhel", body: "hel", err: errLater},
		"chunks cut off":         {response: chunked, came: "5\r\nhel", body: "hel", err: io.ErrUnexpectedEOF, closes: true},
		"cut off between chunks": {response: chunked, came: "1\r\na\r\n", body: "a", err: io.ErrUnexpectedEOF, closes: true},
		"no length of a chunk":   {response: chunked, came: "hello\r\n", err: errChunk},
		"a negative length":      {response: chunked, came: "-1\r\n", err: errChunk},
		"a chunk without an end": {response: chunked, came: "1\r\nab\r\n", body: "a", err: errChunk},
		"a length without end":   {response: chunked, came: strings.Repeat("0", 5000), err: errChunk},
		"a known length":         {response: &http.Response{ContentLength: 3}, came: "abcd", body: "abc", err: io.EOF, left: "d"},
		"less than it":           {response: &http.Response{ContentLength: 3}, came: "ab", body: "ab", err: io.ErrUnexpectedEOF, closes: true},
		"nothing":                {response: &http.Response{}, came: "next", err: io.EOF, left: "next"},
		"until the end":          {response: &http.Response{ContentLength: -1}, came: "abc", body: "abc", err: io.EOF, closes: true},
		"more until the end":     {response: &http.Response{ContentLength: -1}, came: "abc", body: "abc", err: errLater},
	} {
		for size := 1; size <= len(c.came); size += 1 + size/3 {
			var u unwrapper
			u.open(c.response)
			body, err := "", error(errLater)
			rest := c.came
			for len(rest) > 0 && errors.Is(err, errLater) {
				n := min(size, len(rest))
				u.came, rest = []byte(rest[:n]), rest[n:]
				body, err = readAll(&u, body)
			}
			if c.closes && errors.Is(err, errLater) {
				u.end = io.EOF
				body, err = readAll(&u, body)
			}
			if left := string(u.came) + rest; body != c.body || !errors.Is(err, c.err) || errors.Is(c.err, io.EOF) && left != c.left {
				t.Errorf("%s, %d bytes at a time: %q, %v, left %q", name, size, body, err, left)
			}
		}
	}
}

// readAll reads until an error, with a small buffer.
func readAll(r io.Reader, body string) (string, error) {
	b := make([]byte, 4)
	for {
		n, err := r.Read(b)
		body += string(b[:n])
		if err != nil {
			return body, err
		}
	}
}

// TestEventsOfOneReadCameTogether, in however many pieces the stream takes them.
func TestEventsOfOneReadCameTogether(t *testing.T) {
	at := time.Now().Add(-time.Hour)
	u := &unwrapper{came: []byte(strings.Repeat(textMore, 8*usual/len(textMore))), at: at, part: unsized}
	s := &stream{hoard: newHoard()}
	s.reset(u)
	for n := 0; ; n++ {
		if _, _, err := s.next(); errors.Is(err, errLater) && n > 0 {
			return
		} else if err != nil || !s.arrived.Equal(at) {
			t.Fatalf("event %d: %v, arrived %v after its read", n, err, s.arrived.Sub(at))
		}
	}
}
