package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func newStream(r io.Reader) *stream {
	s := &stream{hoard: newHoard()}
	s.reset(r)
	return s
}

// seen is what a stream gives, in short: an event's data, then how it ended.
func seen(s *stream) (got []string) {
	for {
		e, done, err := s.next()
		switch {
		case err != nil:
			return append(got, err.Error())
		case done:
			got = append(got, "DONE")
		default:
			kind := ""
			if e.failed {
				kind = "failed "
			}
			got = append(got, kind+string(s.data))
		}
	}
}

var streams = map[string]struct {
	stream string
	want   []string
}{
	"as engines write":          {"data: {\"a\":1}\n\ndata: {\"a\":2}\n\ndata: [DONE]\n\n", []string{`{"a":1}`, `{"a":2}`, "DONE", "EOF"}},
	"CRLF":                      {"data: {\"a\":1}\r\n\r\ndata: [DONE]\r\n\r\n", []string{`{"a":1}`, "DONE", "EOF"}},
	"no space":                  {"data:{\"a\":1}\n\ndata:[DONE]\n\n", []string{`{"a":1}`, "DONE", "EOF"}},
	"more spaces":               {"data:  {\"a\":1}\n\ndata:  [DONE] \n\n", []string{` {"a":1}`, "DONE", "EOF"}},
	"no blank lines":            {"data: {\"a\":1}\ndata: [DONE]\n", []string{`{"a":1}`, "DONE", "EOF"}},
	"no last newline":           {"data: {\"a\":1}\n\ndata: [DONE]", []string{`{"a":1}`, "DONE", "EOF"}},
	"several lines":             {"data: {\ndata: \"a\":1\ndata: }\n\ndata: {\"a\":2}\n\n", []string{"{\n\"a\":1\n}", `{"a":2}`, "EOF"}},
	"comments, pings, fields":   {": ping\n\nretry: 10\nid: 7\nid\nx-trace: 1\ndata: {\"a\":1}\n\n:\n\ndata:\n\n: ping - 2026-11-22 04:00:00\r\n\r\n", []string{`{"a":1}`, "EOF"}},
	"an event of a name":        {"event: message\ndata: {\"a\":1}\n\n", []string{`{"a":1}`, "EOF"}},
	"an error of a name":        {"event: error\ndata: {\"message\":\"x\"}\n\ndata: {\"a\":1}\n\n", []string{`failed {"message":"x"}`, `{"a":1}`, "EOF"}},
	"an error that is text":     {"event: error\ndata: out of\ndata: memory\n\ndata: {\"a\":1}\n\n", []string{"failed out of\nmemory", `{"a":1}`, "EOF"}},
	"cut within an event":       {"data: {\"a\":1}\n\ndata: {\"choi", []string{`{"a":1}`, "EOF"}},
	"an event that is no JSON":  {"data: hello\n\n", []string{errNoJSON.Error()}},
	"a whole answer":            {"{\"choices\":[]}", []string{errNoEvents.Error()}},
	"a page":                    {"\n<html>\n<p>data: x</p>", []string{errNoEvents.Error()}},
	"text":                      {"not found", []string{errNoEvents.Error()}},
	"bytes":                     {"\x00\xff\xfe:\n", []string{errNoEvents.Error()}},
	"one in parts":              {"data: {\"b\":\"" + strings.Repeat("z", large) + "\"}\r\n\r\ndata: {\"a\":2}", []string{`{"b":"` + strings.Repeat("z", large) + `"}`, `{"a":2}`, "EOF"}},
	"a long event among others": {"data: {\"a\":1}\n\ndata: {\"b\":\"" + strings.Repeat("y", 3*usual) + "\"}\n\ndata: {\"a\":2}\n\n", []string{`{"a":1}`, `{"b":"` + strings.Repeat("y", 3*usual) + `"}`, `{"a":2}`, "EOF"}},
}

func TestStream(t *testing.T) {
	for name, c := range streams {
		for way, r := range map[string]io.Reader{
			"at once": strings.NewReader(c.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(c.stream)),
			"the end with the data": iotest.DataErrReader(strings.NewReader(c.stream)),
		} {
			if got := seen(newStream(r)); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s:\ngot  %.200q\nwant %.200q", name, way, got, c.want)
			}
		}
	}
	if got := seen(newStream(io.MultiReader(strings.NewReader("data: {}\n"), iotest.ErrReader(io.ErrUnexpectedEOF)))); !slices.Equal(got, []string{"{}", io.ErrUnexpectedEOF.Error()}) {
		t.Errorf("a broken stream gives %q", got)
	}
}

// pieces reads a text cut at given places.
type pieces struct {
	text string
	cuts []int
	at   int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.at == len(p.text) {
		return 0, io.EOF
	}
	end := len(p.text)
	for _, cut := range p.cuts {
		if cut > p.at {
			end = min(end, cut)
		}
	}
	n := copy(b, p.text[p.at:end])
	p.at += n
	return n, nil
}

// FuzzStream checks that it does not matter where the network cuts a stream.
func FuzzStream(f *testing.F) {
	for _, c := range streams {
		f.Add([]byte(c.stream), uint64(len(c.stream)))
	}
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		want := seen(newStream(bytes.NewReader(text)))
		rng := rand.New(rand.NewPCG(seed, 0))
		cuts := make([]int, rng.IntN(8))
		for i := range cuts {
			cuts[i] = rng.IntN(len(text) + 1)
		}
		for _, r := range []io.Reader{iotest.OneByteReader(bytes.NewReader(text)), &pieces{text: string(text), cuts: cuts}} {
			if got := seen(newStream(r)); !slices.Equal(got, want) {
				t.Fatalf("cut %v\ngot  %q\nwant %q", cuts, got, want)
			}
		}
	})
}

// TestEverySplit cuts a stream of all kinds of lines at every byte.
func TestEverySplit(t *testing.T) {
	text := ": ping\r\n\r\ndata: {\"a\":1}\r\n\r\nevent: error\ndata:{\ndata: \"b\": \"\\\"\"}\n\ndata: [DONE]\n\n"
	want := seen(newStream(strings.NewReader(text)))
	for cut := range len(text) {
		if got := seen(newStream(&pieces{text: text, cuts: []int{cut}})); !slices.Equal(got, want) {
			t.Errorf("cut at %d: %q, want %q", cut, got, want)
		}
	}
}

type endless struct{ with string }

func (e endless) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		n += copy(p[n:], e.with)
	}
	return len(p), nil
}

func TestStreamsAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		r    io.Reader
		want error
	}{
		"a line without end":  {io.MultiReader(strings.NewReader("data: "), endless{"x"}), errTooLong},
		"data without end":    {endless{"data: x\n"}, errTooWide},
		"a field without end": {endless{"x"}, errTooLong},
	} {
		s := newStream(c.r)
		if _, _, err := s.next(); !errors.Is(err, c.want) {
			t.Errorf("%s gives %v", name, err)
		}
		if room := cap(s.buf) + len(s.parts)*large; room > maxEvent || cap(s.several) > 2*roomy {
			t.Errorf("%s: room for %d and %d bytes", name, room, cap(s.several))
		}
		if s.release(); s.hoard.long.held.Load() != 0 || s.hoard.parts.held.Load() != 0 || cap(s.buf) > roomy || s.parts != nil || cap(s.several) > roomy {
			t.Errorf("%s: %d and %d bytes are held, room for %d, %d and %d", name, s.hoard.long.held.Load(), s.hoard.parts.held.Load(), cap(s.buf), len(s.parts), cap(s.several))
		}
	}
	for _, l := range []func(*hoard) *limit{func(h *hoard) *limit { return &h.long }, func(h *hoard) *limit { return &h.parts }} {
		full := newStream(endless{"x"})
		l(full.hoard).held.Store(l(full.hoard).most - roomy/2)
		want := fmt.Sprintf("events longer than %s hold more than %d MiB together", l(full.hoard).what, l(full.hoard).most>>20)
		if _, _, err := full.next(); err == nil || err.Error() != want {
			t.Errorf("many long events give %v, want %s", err, want)
		}
		if full.release(); l(full.hoard).held.Load() != l(full.hoard).most-roomy/2 {
			t.Errorf("what is held of %s is another's", l(full.hoard).what)
		}
	}
	whole := newStream(endless{"x"})
	if _, err := whole.all(); !errors.Is(err, errTooLong) {
		t.Errorf("a whole answer without end gives %v", err)
	}
}

// TestEventsOfMegabytes: they come whole, and what they needed is another stream's at once.
func TestEventsOfMegabytes(t *testing.T) {
	long := `{"b":"` + strings.Repeat("0123456789", maxEvent/10-10) + `"}`
	s := newStream(strings.NewReader("data: {\"a\":1}\n\ndata: " + long + "\n\ndata: {\"a\":2}\n\ndata: " + long[:3*large] + "\"}\n\n"))
	for i, want := range []string{`{"a":1}`, long, `{"a":2}`, long[:3*large] + `"}`} {
		if _, _, err := s.next(); err != nil || string(s.data) != want {
			t.Fatalf("event %d: %d bytes, want %d, %v", i, len(s.data), len(want), err)
		}
		if held := s.hoard.parts.held.Load(); held != 0 {
			t.Errorf("behind event %d %d bytes are held", i, held)
		}
	}
	whole := newStream(strings.NewReader(long))
	if data, err := whole.all(); err != nil || string(data) != long {
		t.Errorf("a whole answer of %d bytes, want %d, %v", len(data), len(long), err)
	}
}

// TestManyEventsWithoutEnd: eight streams that come at the same time take little more than what long
// events may hold together, and leave little for the garbage collector.
func TestManyEventsWithoutEnd(t *testing.T) {
	const streams = 8
	shared := newHoard()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var open []*stream
	for range streams {
		s := &stream{hoard: shared}
		s.reset(endless{"x"})
		open = append(open, s)
	}
	for failed := 0; failed < streams; {
		failed = 0
		for _, s := range open {
			if s.full = len(s.buf); s.makeRoom() != nil {
				failed++
			}
		}
	}
	runtime.ReadMemStats(&after)
	if allocated, most := after.TotalAlloc-before.TotalAlloc, uint64(shared.parts.most+3*streams*large); allocated > most {
		t.Errorf("%d MiB for %d streams, want at most %d", allocated>>20, streams, most>>20)
	}
}

// An engine's stream of n tokens, cut as the network of a busy server would.
func engineStream(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "data: {\"id\":\"cmpl-9a2b\",\"object\":\"text_completion\",\"created\":1763800000,\"model\":\"m\",\"choices\":[{\"index\":0,\"text\":\" token%d\",\"logprobs\":null,\"finish_reason\":null,\"matched_stop\":null}],\"usage\":null}\n\n", i)
	}
	b.WriteString("data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"length\"}]}\n\n")
	fmt.Fprintf(&b, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"total_tokens\":%d,\"completion_tokens\":%d}}\n\ndata: [DONE]\n\n", n+9, n)
	return b.String()
}
