package live

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"
	"time"
)

// All browsers get one drawing, and no newer one is made before it is due, but for the last.
func TestDrawings(t *testing.T) {
	r := newRun(t, 3)
	a := &artist{folder: r.folder, between: time.Hour}
	draw := func(seq int64, last bool) *drawing {
		t.Helper()
		d, err := a.newest(seq, last)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	first := draw(1, false)
	if draw(1, false) != first || draw(1, true) != first {
		t.Error("the same is drawn twice")
	}
	seq := r.sample()
	if draw(seq, false) != first {
		t.Error("it is drawn again at once")
	}
	last := draw(seq, true)
	if last == first || last.seq != seq || !strings.Contains(string(last.Main), "101.0") {
		t.Error("the last drawing has not what came last")
	}
	z, err := gzip.NewReader(strings.NewReader(string(last.main)))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != string(last.Main) {
		t.Errorf("what is sent compressed is not the drawing (%v)", err)
	}
	a.next = time.Now()
	seq = r.sample()
	if draw(seq, false) == last {
		t.Error("it is not drawn when it is due")
	}
}

// A drawing that takes long puts the next one off.
func TestDrawingsTakeASmallShare(t *testing.T) {
	r := newRun(t, 100) // enough for a clock of processor time that ticks
	a := &artist{folder: r.folder}
	before, began := used(), time.Now()
	if _, err := a.newest(1, false); err != nil {
		t.Fatal(err)
	}
	took := used() - before
	if took <= 0 || a.next.Sub(began) < drawShare*took/4 || time.Until(a.next) > drawShare*took {
		t.Errorf("a drawing of at most %v puts the next one off by %v", took, time.Until(a.next))
	}
}

func TestCompressedWhereItIsTaken(t *testing.T) {
	s := serve(t, newRun(t, 1), quick).enter()
	for accept, want := range map[string]string{"gzip": "gzip", "br, gzip;q=0.5": "gzip", "identity": "", "gzip;q=0": "", "gzip; q=0": "", "": "", "xgzip": ""} {
		for _, path := range []string{"/", "/main"} {
			if a := s.get(s.client, s.base+path, "Accept-Encoding", accept); a.Header.Get("Content-Encoding") != want || a.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s for %q is %q", path, accept, a.Header.Get("Content-Encoding"))
			}
		}
	}
}
