package result

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// told is what reading gives: of each result its number and line, then the error.
func told(read func(each func(*Measurement) error) error) []string {
	var out []string
	err := read(func(m *Measurement) error {
		out = append(out, fmt.Sprint(m.Metrics.Value("completed"), " at ", m.at.Line, " ", len(m.Extra), len(m.Config)))
		return nil
	})
	return append(out, fmt.Sprint(err))
}

// Stretches read beside one another give what one scanner gives, whatever the file holds.
func TestReadingAheadGivesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.Custom(func(t *rapid.T) string {
			n := rapid.IntRange(1, 9).Draw(t, "completed")
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0:
				return line(n)[:rapid.IntRange(1, len(line(n))-1).Draw(t, "cut")] + "\n"
			case 1:
				return "[" + line(n) + ",\n" + line(n) + "\n]\n"
			case 2:
				return strings.ReplaceAll(line(n), ", ", ",\n") + "\n"
			case 3:
				return "\n\r\n"
			case 4:
				return line(n) + line(n) + "\n"
			case 5:
				return "{\"other\": {\n\"a\": [\n{\n}\n]}}\n"
			}
			return line(n) + "\n"
		})
		text := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "mark") {
			text = "\ufeff" + text
		}
		size := rapid.SampledFrom([]int{64, 900, 1500, 4000, stretchSize}).Draw(t, "size")
		want := told(func(each func(*Measurement) error) error { return eachResult(strings.NewReader(text), each) })
		got := told(func(each func(*Measurement) error) error { return readAhead(strings.NewReader(text), size, each) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("stretches of %d of %q: %s", size, text, diff)
		}
	})
}

// brokenFile fails behind its text, and does so again when it is read again.
type brokenFile struct {
	*bytes.Reader
	err error
}

func (f brokenFile) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err != nil {
		err = f.err
	}
	return n, err
}

func TestReadingAheadEndsWithErrors(t *testing.T) {
	broken := fmt.Errorf("read: input/output error")
	text := []byte(strings.Repeat(line(1)+"\n", 20))
	n := 0
	err := readAhead(brokenFile{bytes.NewReader(text), broken}, 4000, func(*Measurement) error { n++; return nil })
	if err != broken || n != 20 {
		t.Errorf("%d results, %v", n, err)
	}
	n = 0
	err = readAhead(bytes.NewReader(text), 4000, func(*Measurement) error { n++; return io.ErrClosedPipe })
	if err != io.ErrClosedPipe || n != 1 {
		t.Errorf("%d results, %v", n, err)
	}
}
