package wire

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"servematrix/bench/dataset"
)

// script is what a broken server does with a connection once a request has come whole.
type script func(t *testing.T, conn net.Conn)

// say writes text and closes the connection in order.
func say(text string) script {
	return func(_ *testing.T, conn net.Conn) { _, _ = io.WriteString(conn, text) }
}

// then writes text before it does more.
func then(text string, more script) script {
	return func(t *testing.T, conn net.Conn) { say(text)(t, conn); more(t, conn) }
}

// wait does nothing until the client has gone.
func wait(_ *testing.T, conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func reset(t *testing.T, conn net.Conn) {
	if err := conn.(*net.TCPConn).SetLinger(0); err != nil {
		t.Error(err)
	}
}

// half ends what the server says and waits for the client to go.
func half(t *testing.T, conn net.Conn) {
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Error(err)
	}
	wait(t, conn)
}

// again writes text for as long as somebody listens.
func again(text string) script {
	return func(_ *testing.T, conn net.Conn) {
		block := bytes.Repeat([]byte(text), max(1, 32<<10/len(text)))
		for {
			if _, err := conn.Write(block); err != nil {
				return
			}
		}
	}
}

// broken gives the address of a server that follows a script.
func broken(t *testing.T, do script) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				request, err := http.ReadRequest(bufio.NewReader(conn))
				if err == nil {
					_, _ = io.Copy(io.Discard, request.Body)
					do(t, conn)
				}
			}()
		}
	}()
	return "http://" + ln.Addr().String()
}

// The parts of answers. sized and chunked are the two ways in which HTTP/1.1 tells where a body
// ends; plain ends with the connection.
const (
	plain    = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	chunked  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	twoMore  = "data: {\"choices\":[{\"text\":\"a\"}]}\n\ndata: {\"choices\":[{\"text\":\"b\",\"finish_reason\":\"length\"}]}\n\n"
	ending   = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"
	textMore = "data: {\"choices\":[{\"text\":\"c\"}]}\n\n"
)

func chunk(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		do          script
		class, says string // class "" is no failure
		patience    time.Duration
	}{
		"whole":                          {do: say(plain + twoMore + ending)},
		"chunks cut anywhere":            {do: say(chunked + chunk(twoMore[:7]) + chunk(twoMore[7:]+ending[:70]) + chunk(ending[70:]) + "0\r\n\r\n")},
		"closed before an answer":        {do: say(""), class: Reset, says: "before an answer"},
		"reset before an answer":         {do: reset, class: Reset},
		"half closed before an answer":   {do: half, class: Reset, says: "before an answer"},
		"closed in the headers":          {do: say("HTTP/1.1 200 OK\r\nContent-Type: te"), class: Truncated, says: "in the midst"},
		"reset in the midst":             {do: then(chunked+chunk(twoMore), reset), class: Reset},
		"closed in the midst":            {do: say(chunked + chunk(twoMore)), class: Truncated, says: "in the midst"},
		"half closed in the midst":       {do: then(chunked+chunk(twoMore), half), class: Truncated, says: "in the midst"},
		"ended in the midst of an event": {do: say(plain + twoMore[:50]), class: Truncated, says: "after 1 chunks without [DONE]"},
		"shorter than promised":          {do: say("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + twoMore), class: Truncated},
		"a clean end without usage":      {do: say(chunked + chunk(twoMore) + "0\r\n\r\n"), class: Truncated, says: "without [DONE]"},
		"stalls before an answer":        {do: wait, class: TimedOut, patience: 50 * time.Millisecond},
		"stalls in the headers":          {do: then("HTTP/1.1 200 OK\r\n", wait), class: TimedOut, patience: 50 * time.Millisecond},
		"stalls in the midst":            {do: then(chunked+chunk(twoMore), wait), class: TimedOut, says: "2 chunks came, the last after", patience: 100 * time.Millisecond},
		"trickles": {do: then(plain, func(_ *testing.T, conn net.Conn) {
			for _, b := range []byte(twoMore) {
				if _, err := conn.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}), class: TimedOut, says: "chunks came", patience: 100 * time.Millisecond},
		"garbage instead of HTTP":        {do: say("\x16\x03\x01garbage\r\n\r\n"), class: Malformed},
		"garbage without end":            {do: again("\x16\x03\x01garbage"), class: Malformed},
		"a status that is none":          {do: say("HTTP/1.1 nine\r\n\r\n"), class: Malformed},
		"headers without end":            {do: then("HTTP/1.1 200 OK\r\n", again("X-Y: z\r\n")), class: Malformed, says: "exceeded"},
		"one header without end":         {do: then("HTTP/1.1 200 OK\r\nX-Y: ", again("z")), class: Malformed, says: "exceeded"},
		"1xx without end":                {do: again("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"), class: Malformed},
		"some 1xx":                       {do: say(strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 3) + plain + twoMore + ending)},
		"switched protocols":             {do: say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), class: Other, says: "101"},
		"a redirect":                     {do: say("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://192.0.2.1/v1/completions\r\nContent-Length: 0\r\n\r\n"), class: HTTP3xx, says: "to http://192.0.2.1/v1/completions, which is not followed"},
		"a page":                         {do: say("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"), class: Malformed, says: "no server-sent event: <html> (Content-Type text/html)"},
		"a whole answer":                 {do: say("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"choices\":[{\"text\":\"a\"}]}"), class: Malformed, says: "application/json"},
		"a compressed answer":            {do: say("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b"), class: Malformed, says: "compressed (Content-Encoding gzip)"},
		"a line of gigabytes":            {do: then(plain+"data: ", again("x")), class: Malformed, says: "longer than 16 MiB"},
		"a chunk of 2 GB":                {do: then(chunked+"80000000\r\ndata: ", again("y")), class: Malformed, says: "longer than 16 MiB"},
		"events without end":             {do: then(plain, again("data: {}\n\n")), class: TimedOut, says: "0 chunks", patience: 300 * time.Millisecond},
		"a chunk's length that is none":  {do: say(chunked + "xyz\r\n" + twoMore), class: Malformed},
		"a chunk without its end":        {do: say(chunked + "5\r\ndata:data: \r\n"), class: Malformed},
		"a chunk's length without end":   {do: then(chunked, again("0")), class: Malformed},
		"an error by name":               {do: say(plain + "event: error\ndata: {\"message\":\"CUDA\\u001b error\"}\n\n"), class: StreamError, says: "CUDA"},
		"an error that moves the cursor": {do: say(plain + "data: {\"error\":\"\x1b[2J\"}\n\n"), class: StreamError, says: `\x1b`},
		"aborted":                        {do: say(plain + "data: {\"choices\":[{\"text\":\"\",\"finish_reason\":\"abort\"}]}\n\ndata: [DONE]\n\n"), class: StreamError, says: "abort"},
		"text after [DONE]":              {do: say(plain + twoMore + ending + textMore), class: Malformed, says: "text comes after [DONE]"},
		"garbage after [DONE]":           {do: say(plain + twoMore + ending + "garbage")},
		"reset after [DONE]":             {do: then(chunked+chunk(twoMore+ending), reset)},
		"open after [DONE]":              {do: then(chunked+chunk(twoMore+ending), wait)},
		"pings without end after [DONE]": {do: then(plain+twoMore+ending, again(": ping\n\n"))},
		"usage of fewer tokens":          {do: say(plain + twoMore + "data: {\"usage\":{\"completion_tokens\":1}}\n\ndata: [DONE]\n\n"), class: WrongTokens, says: "usage says 1 tokens, but 2 chunks"},
		"usage of more tokens":           {do: say(plain + twoMore + "data: {\"usage\":{\"completion_tokens\":99999999999999999999}}\n\ndata: [DONE]\n\n"), class: WrongTokens, says: "asked for 2"},
		"usage of no number":             {do: say(plain + twoMore + "data: {\"usage\":{\"completion_tokens\":\"2\"}}\n\ndata: [DONE]\n\n"), class: WrongTokens},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := client(t, broken(t, c.do), func(o *Options) {
				if c.patience > 0 {
					o.Timeout = c.patience
				}
			})
			r := s.Send(t.Context(), dataset.Prompt{IDs: []int32{1, 2, 3}, Input: 3, Output: 2}, time.Now())
			switch {
			case r.Failed == nil:
				if c.class != "" {
					t.Errorf("no failure, want %s: %+v", c.class, r)
				}
			case r.Failed.Class != c.class || !strings.Contains(r.Failed.Message, c.says):
				t.Errorf("%+v, want %s %q", *r.Failed, c.class, c.says)
			case len(r.Failed.Message) > 2000:
				t.Errorf("a message of %d bytes", len(r.Failed.Message))
			}
			if long, parts := s.hoard.long.held.Load(), s.hoard.parts.held.Load(); long != 0 || parts != 0 {
				t.Errorf("%d and %d bytes are held", long, parts)
			}
		})
	}
}

// TestInterrupted: who ends ctx need not wait for a server that says nothing.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s := client(t, broken(t, func(t *testing.T, conn net.Conn) { stop(); wait(t, conn) }), nil)
	if r := s.Send(ctx, dataset.Prompt{IDs: []int32{1}, Output: 1}, time.Now()); r.Failed == nil || r.Failed.Class != Other {
		t.Errorf("%+v", r)
	}
}

// viaNetHTTP makes plain HTTP go as TLS does.
func viaNetHTTP(c *Client) {
	if c.pipes != nil {
		c.pipes.close()
		c.pipes = nil
	}
}

func eachTransport(t *testing.T, do func(t *testing.T, prepare func(*Client))) {
	t.Run("pipes", func(t *testing.T) { do(t, func(*Client) {}) })
	t.Run("net/http", func(t *testing.T) { do(t, viaNetHTTP) })
}

// TestRetries: a kept connection that the server closes under the next request is told of, once and
// with the lost time in the request's.
func TestRetries(t *testing.T) {
	eachTransport(t, func(t *testing.T, prepare func(*Client)) {
		answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(twoMore+ending), twoMore+ending)
		begun := make(chan time.Time, 1)
		s := client(t, broken(t, then(answer, func(_ *testing.T, conn net.Conn) {
			if n, _ := conn.Read(make([]byte, 1)); n > 0 { // the next request has begun
				begun <- time.Now()
			}
		})), nil)
		s.atOnce = time.Hour
		prepare(s)
		began := time.Now()
		for i, retries := range []int{0, 1, 1} {
			r := s.Send(t.Context(), dataset.Prompt{IDs: []int32{1, 2, 3}, Input: 3, Output: 2}, began)
			if r.Failed != nil || r.Retries != retries {
				t.Errorf("request %d: %+v, %+v", i, r, r.Failed)
			}
			if retries > 0 {
				if first := (<-begun).Sub(began); r.Start > first {
					t.Errorf("request %d starts %v after its first try had come", i, r.Start-first)
				}
			}
		}
	})
}

// TestLateResetIsAFailure: a kept connection that the server closes long after the request came was
// closed upon that request.
func TestLateResetIsAFailure(t *testing.T) {
	eachTransport(t, func(t *testing.T, prepare func(*Client)) {
		answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(twoMore+ending), twoMore+ending)
		s := client(t, broken(t, then(answer, func(_ *testing.T, conn net.Conn) {
			_, _ = conn.Read(make([]byte, 1))
		})), nil)
		s.atOnce = -1 // anything is late
		prepare(s)
		for i, class := range []string{"", Reset, "", Reset} {
			if r := send(t, s); classOf(r) != class || r.Retries != 0 {
				t.Errorf("request %d: %+v, %+v", i, r, r.Failed)
			}
		}
	})
}

// TestUnreadRequests: a server that refuses a request by its length may keep the connection and never
// look at it again; the next request goes elsewhere.
func TestUnreadRequests(t *testing.T) {
	eachTransport(t, func(t *testing.T, prepare func(*Client)) {
		for name, refusal := range map[string]string{
			"without a word": "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n",
			"with a word":    "HTTP/1.1 413 Too Large\r\nContent-Length: 8\r\n\r\ntoo long",
			"of another":     "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbusy",
		} {
			t.Run(name, func(t *testing.T) {
				requests := 0
				s := client(t, broken(t, func(t *testing.T, conn net.Conn) {
					if requests++; requests == 2 {
						say(plain+twoMore+ending)(t, conn)
						return
					}
					then(refusal, func(t *testing.T, _ net.Conn) { <-t.Context().Done() })(t, conn)
				}), func(o *Options) { o.Timeout = 5 * time.Second })
				prepare(s)
				for i, failed := range []bool{true, false} {
					if r := send(t, s); (r.Failed != nil) != failed || failed && classOf(r) == TimedOut {
						t.Errorf("request %d: %+v", i, r.Failed)
					}
				}
			})
		}
	})
}
