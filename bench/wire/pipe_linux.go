package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pipe is one connection. While a request is under way the reading goroutine and the one that sends
// share it under mu.
type pipe struct {
	*pipes
	fd int

	mu       sync.Mutex
	closed   bool
	writing  bool    // whoever sends uses fd
	answer   *answer // nil while nothing is under way
	stop     func()
	head     []byte // of the answer, as far as it came
	hints    int    // informational answers before it
	response *http.Response
	body     unwrapper
	refusal  []byte // the body of an answer that is none of 200
	err      error  // why there was no answer
	ended    time.Time
	over     chan struct{}
	spent    bool // it cannot be used again
}

// maxHints is how many informational answers may come before the one that counts.
const maxHints = 5

// exchange sends a request and waits for the end of its answer. An error, a *tried, says that there was
// none.
func (p *pipe) exchange(ctx context.Context, stop func(), a *answer, body *bytes.Buffer, reused bool) error {
	request := slices.Concat(p.before, strconv.AppendInt(nil, int64(body.Len()), 10), []byte("\r\n\r\n"), body.Bytes())
	bodies.Put(body)
	p.mu.Lock()
	p.head = p.head[:0]
	if p.closed { // by the server, since it was taken
		p.mu.Unlock()
		return &tried{err: io.EOF, reused: reused}
	}
	p.answer, p.stop, p.response, p.refusal, p.err = a, stop, nil, nil, nil
	p.hints, p.spent, p.writing = 0, false, true
	p.body.came, p.body.end = nil, nil
	a.send()
	p.body.at = a.start
	began := time.Now()
	p.mu.Unlock()
	p.written(p.write(ctx, request))
	select {
	case <-p.over:
	case <-ctx.Done():
		p.mu.Lock()
		if p.answer != nil {
			p.giveUp(ctx.Err())
		}
		p.mu.Unlock()
		<-p.over
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spent || p.closed {
		p.drop()
	} else {
		p.pipes.mu.Lock()
		p.pipes.idle = append(p.pipes.idle, p)
		p.pipes.mu.Unlock()
	}
	if p.err == nil {
		return nil
	}
	t := &tried{err: p.err, reused: reused, took: p.ended.Sub(began)}
	t.answered.Store(len(p.head) > 0)
	return t
}

// write writes all of b, unless ctx ends before or the answer has come, and tells whether it did. It
// waits in a system call of its own where the socket is full, which only prompts of megabytes do. Where
// it fails it ends the connection, and what had come by then is read: it may be the answer that says why.
func (p *pipe) write(ctx context.Context, b []byte) bool {
	for first := true; len(b) > 0; first = false {
		if !first && p.answered() {
			return false
		}
		n, err := syscall.Write(p.fd, b)
		switch {
		case errors.Is(err, syscall.EAGAIN):
			if ctx.Err() != nil {
				return false
			}
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLOUT}}, 100)
			continue
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			_ = unix.Shutdown(p.fd, unix.SHUT_RDWR) // or it is down already
			return false
		}
		b = b[n:]
	}
	return true
}

// answered tells that nothing more is waited for.
func (p *pipe) answered() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.answer == nil
}

// written ends the writing, and closes a connection that was dropped meanwhile.
func (p *pipe) written(whole bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writing = false
	p.spent = p.spent || !whole
	if p.closed {
		unix.Close(p.fd)
	}
}

// drop closes the connection. The number of one that is being written to must stay its own: another
// connection would get it, and the rest of the request. The caller holds p.mu.
func (p *pipe) drop() {
	if p.closed {
		return
	}
	p.closed = true
	p.pipes.mu.Lock()
	delete(p.open, int32(p.fd))
	if i := slices.Index(p.idle, p); i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
	}
	p.pipes.mu.Unlock()
	_ = unix.EpollCtl(p.epoll, unix.EPOLL_CTL_DEL, p.fd, nil) // or close does it
	if p.writing {
		_ = unix.Shutdown(p.fd, unix.SHUT_RDWR) // so that the writing ends, which closes it
		return
	}
	unix.Close(p.fd)
}

// read reads once.
func (p *pipe) read() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	n, at, err := receive(p.fd, p.buf, p.stamp, latest(p.body.at, p.since))
	p.body.at = at
	switch {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EINTR):
		return
	case err != nil:
		n, err = 0, os.NewSyscallError("recvmsg", err)
	case n == 0:
		err = io.EOF
	}
	if p.answer == nil { // the server closes a connection that is kept, or speaks unasked
		p.drop()
		return
	}
	p.came(p.buf[:n], err)
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// came takes what came of an answer.
func (p *pipe) came(b []byte, err error) {
	for p.response == nil {
		rest, failed := p.begin(b, err)
		if failed != nil {
			p.finish(failed)
			return
		}
		if p.response == nil && len(rest) == 0 {
			return
		}
		b = rest
	}
	if p.answer == nil { // it is one that is not read
		return
	}
	p.body.came, p.body.end = b, err
	if p.response.StatusCode != http.StatusOK {
		p.refused()
		return
	}
	if p.answer.advance(p.stop) {
		p.spent = p.answer.Failed != nil || p.body.part != bodyDone || len(p.body.came) > 0 || p.response.Close || err != nil
		p.answer.end(p.response.Header)
		p.finish(nil)
	}
}

// begin reads the head of an answer, and gives what came behind it.
func (p *pipe) begin(b []byte, err error) (rest []byte, failed error) {
	had := len(p.head)
	p.head = append(p.head, b...)
	end := bytes.Index(p.head, []byte("\r\n\r\n"))
	switch {
	case !bytes.HasPrefix([]byte("HTTP/1."), p.head[:min(7, len(p.head))]):
		return nil, fmt.Errorf("malformed HTTP response %.50q", p.head)
	case end < 0 && err != nil:
		return nil, err
	case end < 0 && len(p.head) > maxHeader:
		return nil, fmt.Errorf("malformed HTTP response: its head exceeded %d KiB", maxHeader>>10)
	case end < 0:
		return nil, nil
	}
	end += len("\r\n\r\n")
	response, failed := p.heads.parse(p.head[:end])
	if failed != nil {
		return nil, failed
	}
	rest = b[end-had:]
	if response.StatusCode < 200 && response.StatusCode != http.StatusSwitchingProtocols { // not the answer yet
		if p.hints++; p.hints > maxHints {
			return nil, errors.New("malformed HTTP response: too many informational ones before it")
		}
		p.head = p.head[:0]
		return rest, nil
	}
	p.response = response
	p.body.open(response)
	if response.StatusCode == http.StatusSwitchingProtocols {
		p.body.part, p.spent = bodyDone, true
	}
	if response.Header.Get(simulatedHeader) != "" {
		p.client.simulated.Store(true)
	}
	if response.StatusCode == http.StatusOK {
		p.answer.begin(&p.body)
		if f := compressed(response); f != nil {
			p.answer.Failed, p.spent = f, true
			p.answer.end(response.Header)
			p.finish(nil)
		}
	}
	return rest, nil
}

// refused reads the explanation of an answer that is none of 200.
func (p *pipe) refused() {
	const enough = 512
	text := make([]byte, enough)
	for {
		n, err := p.body.Read(text)
		p.refusal = append(p.refusal, text[:n]...)
		if err == errLater && len(p.refusal) < enough {
			return
		}
		if err != nil || len(p.refusal) >= enough {
			break
		}
	}
	told := *p.response
	told.Body = io.NopCloser(bytes.NewReader(p.refusal))
	p.answer.Failed = p.client.statusFailure(&told)
	p.spent = p.spent || p.body.part != bodyDone || p.response.Close || unread(p.response)
	p.finish(nil)
}

// giveUp ends an answer that has not come whole.
func (p *pipe) giveUp(err error) {
	p.spent = true
	if p.response == nil {
		p.finish(err)
		return
	}
	if p.response.StatusCode == http.StatusOK {
		p.answer.close(err)
		p.answer.end(p.response.Header)
	} else {
		p.answer.Failed = classify(err, true)
	}
	p.finish(nil)
}

// finish tells the sender that nothing more comes; err is why no answer came.
func (p *pipe) finish(err error) {
	p.err, p.answer, p.stop, p.ended = err, nil, nil, time.Now()
	p.spent = p.spent || err != nil
	p.body.came = nil
	p.over <- struct{}{}
}

// heads reads the heads of answers. A server says the same again and again.
type heads struct {
	last     []byte
	response *http.Response
}

func (h *heads) parse(head []byte) (*http.Response, error) {
	if bytes.Equal(head, h.last) {
		return h.response, nil
	}
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(head)), &http.Request{Method: http.MethodPost})
	if err != nil {
		return nil, err
	}
	h.last, h.response = append(h.last[:0], head...), response
	return response, nil
}
