package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"servematrix/bench/dataset"
)

// tokens is the length of the answers here.
const tokens = 256

// gusts reads a text as a busy network brings it: some bytes at a time, events cut anywhere.
type gusts struct {
	text string
	at   int
}

func (g *gusts) Read(p []byte) (int, error) {
	if g.at == len(g.text) {
		return 0, io.EOF
	}
	end := min(len(g.text), g.at+1000)
	n := copy(p, g.text[g.at:end])
	g.at += n
	return n, nil
}

// measured measures a whole answer without a network.
func measured(c *Client, text string) (failed *Failure, chunks int) {
	p := dataset.Prompt{Output: tokens}
	r := newRecord(p)
	defer r.Release()
	a := answer{Record: r, client: c, exact: tokens, start: time.Now()}
	a.begin(&gusts{text: text})
	a.advance(func() {})
	a.end(nil)
	return r.Failed, r.Chunks
}

// TestStreamsMakeNoGarbage: an answer of hundreds of tokens allocates a few things as a whole, and
// nothing for a token. (With the race detector pools forget at random.)
func TestStreamsMakeNoGarbage(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // pools are emptied by collections
	c := client(t, "http://127.0.0.1:1", nil)
	text := engineStream(tokens)
	if failed, chunks := measured(c, text); failed != nil || chunks != tokens {
		t.Fatalf("%d chunks, %+v", chunks, failed)
	}
	if n := testing.AllocsPerRun(50, func() { measured(c, text) }); n > tokens/16 {
		t.Errorf("%v allocations for an answer of %d tokens", n, tokens)
	}
}

// BenchmarkStream is the work for an answer's events alone.
func BenchmarkStream(b *testing.B) {
	c := New(Options{Backend: "openai", BaseURL: "http://127.0.0.1:1", Timeout: time.Minute})
	text := engineStream(tokens)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		measured(c, text)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
}

// serveMany is a server of a process of its own: it answers each request on a connection with an
// event, and with the rest when a byte comes over its standard input. It says its address, and when
// it holds as many answers as it was told to.
func serveMany() {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(ln.Addr())
	text := engineStream(tokens)
	first, rest, _ := strings.Cut(text, "\n\n")
	first += "\n\n"
	hold, _ := strconv.Atoi(os.Getenv(serverRole)) // 0 holds none
	var held sync.WaitGroup
	held.Add(hold)
	free := make(chan struct{})
	go func() {
		held.Wait()
		fmt.Println("all are held")
		_, _ = os.Stdin.Read(make([]byte, 1))
		close(free)
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			in := bufio.NewReaderSize(conn, 512)
			for {
				length := 0
				for {
					line, err := in.ReadSlice('\n')
					if err != nil {
						return
					}
					if n, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
						length, _ = strconv.Atoi(string(bytes.TrimSpace(n))) // 0 shows as a broken request
					}
					if len(line) <= 2 {
						break
					}
				}
				if _, err := in.Discard(length); err != nil {
					return
				}
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"+chunk(first))
				if hold > 0 {
					held.Done()
					<-free
				}
				_, _ = io.WriteString(conn, chunk(rest)+"0\r\n\r\n")
			}
		}()
	}
}

const serverRole = "SERVEMATRIX_WIRE_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverRole) != "" {
		serveMany()
		return
	}
	os.Exit(m.Run())
}

// elsewhere starts the server in a process of its own, which holds as many answers as hold says.
// wait waits until it does, release lets it end them.
func elsewhere(b *testing.B, hold int) (base string, wait, release func()) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverRole+"="+strconv.Itoa(hold))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close() // the server ends with its input
		_ = cmd.Wait()
	})
	said := bufio.NewReader(out)
	line, err := said.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	wait = func() {
		if _, err := said.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
	}
	return "http://" + strings.TrimSpace(line), wait, func() { _, _ = in.Write([]byte{1}) }
}

// BenchmarkSend is a whole request over loopback, one after another, to a server in another process.
func BenchmarkSend(b *testing.B) {
	base, _, _ := elsewhere(b, 0)
	c := New(Options{Backend: "openai", BaseURL: base, Model: "m", Timeout: time.Minute})
	defer c.Close()
	p := dataset.Prompt{IDs: make([]int32, 1000), Input: 1000, Output: tokens}
	b.ReportAllocs()
	for b.Loop() {
		r := c.Send(b.Context(), p, time.Now())
		if r.Failed != nil {
			b.Fatal(r.Failed)
		}
		r.Release()
	}
}

// BenchmarkOpenStreams tells what a stream that is open takes of this process: all of resident memory
// that came with 2,000 of them.
func BenchmarkOpenStreams(b *testing.B) {
	const streams = 2000
	for b.Loop() {
		base, wait, release := elsewhere(b, streams)
		c := New(Options{Backend: "openai", BaseURL: base, Model: "m", Timeout: time.Minute})
		p := dataset.Prompt{IDs: make([]int32, 1000), Input: 1000, Output: tokens}
		debug.FreeOSMemory()
		before := resident(b)
		var sent sync.WaitGroup
		for range streams {
			sent.Go(func() {
				r := c.Send(b.Context(), p, time.Now())
				if r.Failed != nil {
					b.Error(r.Failed)
				}
				r.Release()
			})
		}
		wait()
		held := resident(b) - before
		runtime.GC()
		debug.FreeOSMemory()
		b.ReportMetric(float64(held)/streams, "bytes/stream")
		b.ReportMetric(float64(resident(b)-before)/streams, "live-bytes/stream")
		release()
		sent.Wait()
		c.Close()
	}
}

// resident is this process's resident memory in bytes.
func resident(b *testing.B) int {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	if err != nil {
		b.Fatal(err)
	}
	return pages * os.Getpagesize()
}
