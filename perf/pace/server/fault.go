package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// faulty answers requests for text wrongly. It returns when it is done with the connection.
type faulty struct {
	opt    Options
	every  int64
	served atomic.Int64
	play   func(*faulty, *net.TCPConn, asked, kind)
}

// before is how many tokens come before a fault in the midst of an answer.
const before = 3

// faults are the ways to answer wrongly.
var faults = map[string]func(f *faulty, c *net.TCPConn, a asked, k kind){
	// die: the process ends, with all streams.
	"die": func(f *faulty, c *net.TCPConn, a asked, k kind) { f.begin(c, a, k); os.Exit(3) },
	// reset: the connection is reset in the midst.
	"reset": func(f *faulty, c *net.TCPConn, a asked, k kind) { f.begin(c, a, k); _ = c.SetLinger(0) },
	// close: it is closed in the midst, in order.
	"close": func(f *faulty, c *net.TCPConn, a asked, k kind) { f.begin(c, a, k) },
	// stall: after some tokens nothing comes any more.
	"stall": func(f *faulty, c *net.TCPConn, a asked, k kind) { f.begin(c, a, k); untilGone(c) },
	// silent: nothing comes at all.
	"silent": func(_ *faulty, c *net.TCPConn, _ asked, _ kind) { untilGone(c) },
	// trickle: the right answer, a byte a second.
	"trickle": func(f *faulty, c *net.TCPConn, a asked, k kind) {
		answer := []byte(streamHead)
		for i := range a.tokens {
			answer = a.appendToken(answer, k, i)
		}
		for i := range answer {
			if _, err := c.Write(answer[i : i+1]); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	},
	// garbage: events that are no JSON.
	"garbage": func(_ *faulty, c *net.TCPConn, a asked, _ kind) {
		_, _ = io.WriteString(c, streamHead)
		for range a.tokens {
			_, _ = c.Write(piece("data: " + noise(100) + "\n\n"))
		}
		_, _ = c.Write(append(piece(done), noMore...))
	},
	// noise: no HTTP.
	"noise": func(_ *faulty, c *net.TCPConn, _ asked, _ kind) { _, _ = io.WriteString(c, noise(10000)) },
	// huge: one chunk of 2 GB without a line's end.
	"huge": func(_ *faulty, c *net.TCPConn, _ asked, _ kind) {
		_, _ = fmt.Fprintf(c, "%s%x\r\ndata: {\"choices\":[{\"text\":\"", streamHead, 2<<30)
		x := []byte(strings.Repeat("x", 1<<20))
		for range 2 << 10 {
			if _, err := c.Write(x); err != nil {
				return
			}
		}
	},
	// usage: the count of tokens is not that of what came.
	"usage": func(_ *faulty, c *net.TCPConn, a asked, k kind) {
		wrong := a
		wrong.tokens, wrong.usage = a.tokens+7, true
		answer := []byte(streamHead)
		for range a.tokens - 1 {
			answer = append(answer, tokenChunk[k]...)
		}
		_, _ = c.Write(wrong.appendToken(answer, k, wrong.tokens-1))
	},
	// error: status 500 with an explanation of 1 MB.
	"error": func(_ *faulty, c *net.TCPConn, _ asked, _ kind) {
		_, _ = fmt.Fprintf(c, "HTTP/1.1 500 Internal Server Error\r\ncontent-length: %d\r\n\r\n%s", 1<<20, strings.Repeat("out of order ", 1<<20/13+1)[:1<<20])
	},
}

// Faults are the names of the faults that ServeFaults can play.
func Faults() []string { return slices.Sorted(maps.Keys(faults)) }

// ServeFaults answers each every-th request for text on l with a fault, and the others at the pace
// of opt. It is not made for many streams, and keeps no truth.
func ServeFaults(l net.Listener, opt Options, fault string, every int) error {
	play, ok := faults[fault]
	if !ok {
		return fmt.Errorf("no fault is called %q: want one of %s", fault, strings.Join(Faults(), ", "))
	}
	f := &faulty{opt: opt, every: int64(max(every, 1)), play: play}
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		go f.serve(c.(*net.TCPConn))
	}
}

func (f *faulty) serve(c *net.TCPConn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		k, generates := kinds[r.URL.Path]
		if !generates {
			if _, err := c.Write(small(r.URL.Path)); err != nil {
				return
			}
			continue
		}
		a := ask(body)
		if f.served.Add(1)%f.every == 0 {
			f.play(f, c, a, k)
			return
		}
		if _, err := io.WriteString(c, streamHead); err != nil {
			return
		}
		if f.tokens(c, a, k, 0, a.tokens) != nil {
			return
		}
	}
}

// begin answers with the first few tokens.
func (f *faulty) begin(c *net.TCPConn, a asked, k kind) {
	_, _ = io.WriteString(c, streamHead)
	_ = f.tokens(c, a, k, 0, min(before, a.tokens-1)) // who has gone away hears no fault
}

func (f *faulty) tokens(c net.Conn, a asked, k kind, from, to int) error {
	for i := from; i < to; i++ {
		if i == 0 {
			time.Sleep(f.opt.First)
		} else {
			time.Sleep(f.opt.Token)
		}
		if _, err := c.Write(a.appendToken(nil, k, i)); err != nil {
			return err
		}
	}
	return nil
}

// untilGone waits for the client to give up.
func untilGone(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func noise(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.IntN(256))
	}
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(string(b))
}
