package sim

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
)

// becomeReady goes from the end of loading to the ready line, in the engine's order, with the
// readiness faults that were asked for. It gives an ending where the server must end.
func (s *server) becomeReady(ctx context.Context) *ending {
	if s.opt.Style == SGLang {
		if end := s.warmUp(ctx); end != nil {
			return end
		}
	}
	if s.faults.any("never-ready", "silent") {
		if s.opt.Style == VLLM {
			if end := s.listen(); end != nil {
				return end
			}
		}
		return nil
	}
	s.spoilLog()
	if end := s.printReady(ctx); end != nil {
		return end
	}
	if s.opt.Style == VLLM { // the line comes first, then the socket accepts
		if end := s.listen(); end != nil {
			return end
		}
	}
	if !s.faults.has("ready-503") {
		s.healthy.Store(true)
	}
	if rate := s.faults.rate("log-flood"); rate > 0 {
		go s.flood(s.hardStop, rate)
	}
	if s.faults.has("exit-after-ready") {
		end := s.faults.ending("exit-after-ready", ending{})
		return &end
	}
	return nil
}

// warmUp is the generation that SGLang asks of itself before it says that it is ready.
func (s *server) warmUp(ctx context.Context) *ending {
	s.log.access(`127.0.0.1:0 - "GET /model_info HTTP/1.1" 200 OK`)
	r := newRequest(tokenize("The capital city of France is"), min(8, s.opt.MaxTotalTokens/2), 0, true)
	if err := s.engine.submit(r); err == nil { // a KV cache too small for it is found out by the first user
		if _, err := r.stream.collect(ctx); err != nil {
			return s.waitUntil(ctx, time.Now()) // the context's end, or a signal that came with it
		}
	}
	if end := s.waitUntil(ctx, s.dueAt(1)); end != nil {
		return end
	}
	s.log.access(`127.0.0.1:0 - "POST /generate HTTP/1.1" 200 OK`)
	return nil
}

// spoilLog does to the log what faults ask for before the ready line.
func (s *server) spoilLog() {
	if n := s.faults.size("huge-line"); n > 0 {
		s.log.mu.Lock()
		chunk := bytes.Repeat([]byte("x"), 64<<10)
		for n > 0 {
			written := min(n, len(chunk))
			_, _ = s.stderr.Write(chunk[:written]) // as for all log writes, see logger.write
			n -= written
		}
		_, _ = s.stderr.Write([]byte("\n"))
		s.log.mu.Unlock()
	}
	for _, w := range []io.Writer{s.stdout, s.stderr} {
		f, ok := w.(*os.File)
		if !ok {
			continue
		}
		info, err := f.Stat()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if s.faults.has("log-truncate") {
			_ = f.Truncate(0) // a file that cannot be cut stays as it is
		}
		if s.faults.has("log-delete") {
			if path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); err == nil {
				_ = os.Remove(path)
			}
		}
	}
}

// printReady prints the ready line, or what a fault makes of it.
func (s *server) printReady(ctx context.Context) *ending {
	text := readyText(s.opt.Style)
	line := sglangStamp() + text
	if s.opt.Style == VLLM {
		line = "INFO:     " + text
	}
	half := len(line) - len(text)/2
	f := s.faults
	switch {
	case f.has("ready-no-newline"):
		s.log.raw(line)
		s.log.silence()
	case f.has("ready-after-cr"):
		s.log.raw("Capturing batches:  50%|█████     | 1/2 [00:00<00:00, 9.9it/s]\rCapturing batches: 100%|██████████| 2/2 [00:00<00:00, 9.9it/s]\r" + line + "\n")
	case f.has("ready-split"):
		pause := f.duration("ready-split")
		for i, part := range []string{line[:half-6], line[half-6 : half], line[half:] + "\n"} {
			if i > 0 {
				if end := s.waitUntil(ctx, time.Now().Add(pause)); end != nil {
					return end
				}
			}
			s.log.raw(part)
		}
	case f.has("ready-ansi"):
		s.log.raw("\x1b[32m" + line[:half] + "\x1b[1;36m" + line[half:] + "\x1b[0m\x1b[K\n")
	case f.has("ready-nul"):
		s.log.raw("\x00\x00" + line + "\n")
	case f.has("ready-invalid-utf8"):
		s.log.raw("\xff\xfe\xc3 " + line + "\n")
	default:
		s.log.raw(line + "\n")
	}
	if f.has("ready-twice") {
		s.log.raw(line + "\n")
	}
	return nil
}

// flood writes rate MB/s to the engine's log until ctx ends.
func (s *server) flood(ctx context.Context, rate float64) {
	const pace = 20 * time.Millisecond
	line := sglangStamp() + strings.Repeat("flood ", 40) + "\n"
	block := strings.Repeat(line, int(rate*1e6*pace.Seconds())/len(line)+1)
	for ticker := time.NewTicker(pace); ; {
		select {
		case <-ctx.Done():
			ticker.Stop()
			return
		case <-ticker.C:
			s.log.raw(block)
		}
	}
}

// wait lets the server live for d, or without limit where d is negative, and gives how it must
// end where something ends it before.
func (s *server) wait(ctx context.Context, d time.Duration) *ending {
	var due <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		due = timer.C
	}
	for {
		done := ctx.Done()
		if s.deaf {
			done = nil
		}
		select {
		case <-due:
			return nil
		case end := <-s.endings:
			return &end
		case <-s.tree.died:
			if s.faults.has("worker-dies") {
				continue
			}
			end := s.childDied()
			return &end
		case sig := <-s.signals:
			if end := s.signalled(sig.(syscall.Signal)); end != nil {
				return end
			}
			s.deaf = true
		case <-done:
			// Whoever cancelled may have been told by the same signal that is on its way to us.
			select {
			case sig := <-s.signals:
				if end := s.signalled(sig.(syscall.Signal)); end != nil {
					return end
				}
				s.deaf = true
			case <-time.After(20 * time.Millisecond):
				end := s.stopOrderly()
				return &end
			}
		}
	}
}

func (s *server) waitUntil(ctx context.Context, t time.Time) *ending {
	return s.wait(ctx, max(time.Until(t), 0))
}

// dueAt is the moment at which a share of the start-up time has gone by.
func (s *server) dueAt(share float64) time.Time {
	return s.began.Add(time.Duration(share * float64(s.opt.Startup)))
}
