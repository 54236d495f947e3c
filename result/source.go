package result

import (
	"bytes"
	"errors"
	"io"
	"os"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// source is an open file whose text is UTF-8, whatever it is on the disk.
type source struct {
	io.Reader // the file itself, or what makes UTF-8 of it
	file      *os.File
	head      []byte // the first bytes of the text
}

const headSize = 4 << 10

// openSource opens a file. UTF-16, which PowerShell's ">" writes, is told by its byte order mark,
// or by the zero bytes between its first letters.
func openSource(path string) (*source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		f.Close()
		return nil, err
	}
	head = head[:n]
	s := &source{Reader: f, file: f, head: head}
	if _, err := f.Seek(0, io.SeekStart); err != nil { // a pipe
		s.Reader = io.MultiReader(bytes.NewReader(head), f)
	}
	if order, is := utf16Order(head); is {
		decoder := unicode.UTF16(order, unicode.UseBOM).NewDecoder()
		s.Reader = transform.NewReader(s.Reader, decoder)
		s.head, _, _ = transform.Bytes(unicode.UTF16(order, unicode.UseBOM).NewDecoder(), head[:n&^1])
	}
	return s, nil
}

func (s *source) Close() error { return s.file.Close() }

// utf16Order tells whether text is UTF-16, and in which byte order.
func utf16Order(head []byte) (unicode.Endianness, bool) {
	switch {
	case len(head) < 4:
		return unicode.LittleEndian, false
	case head[0] == 0xff && head[1] == 0xfe, head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return unicode.LittleEndian, true
	case head[0] == 0xfe && head[1] == 0xff, head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return unicode.BigEndian, true
	}
	return unicode.LittleEndian, false
}
