package live

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"servematrix/journal"
)

// Server serves the page of one run folder.
type Server struct {
	listener net.Listener
	key      key
	watch    watch
	artist   artist
	streams  atomic.Int32
	answers  atomic.Int32 // pages that are being drawn or sent
	pace     pace
}

// pace are the times that a server keeps.
type pace struct {
	header    time.Duration // for a request to arrive
	patience  time.Duration // for a reader to take what is written to it
	heartbeat time.Duration // between two signs of life
	idle      time.Duration // that a connection may stand without a request
	linger    time.Duration // that the journal is followed after the last page was closed
	breath    time.Duration // at least, between two looks at the journal
	between   time.Duration // at least, between two drawings
	parting   time.Duration // that a page has at the end of the run to ask, and to close its stream
}

var usual = pace{
	header: 5 * time.Second, patience: 30 * time.Second, heartbeat: 15 * time.Second, idle: time.Minute,
	linger: 5 * time.Second, breath: 500 * time.Millisecond, between: 3 * time.Second, parting: 3 * time.Second,
}

// Bounds of what browsers may have at a time.
const (
	connectionsMost = 64
	streamsMost     = 16
	headerMost      = 16 << 10
)

// New gives a server of the run folder for a listener that Listen made. Nobody is let in before
// Admit or Link.
func New(folder journal.Folder, l net.Listener) *Server { return newServer(folder, l, usual) }

func newServer(folder journal.Folder, l net.Listener, p pace) *Server {
	return &Server{
		listener: l, key: newKey(), pace: p,
		watch:  watch{folder: folder, pace: p, changed: make(chan struct{}), finished: make(chan struct{})},
		artist: artist{folder: folder, between: p.between},
	}
}

// Admit lets in the browser that brings the token, once. A token that was not used is void.
func (s *Server) Admit(token string) { s.key.admit(token) }

// Link gives a link that lets one browser in. The link before, if it was not used, is void.
func (s *Server) Link() string {
	token := NewToken()
	s.Admit(token)
	return Link(s.listener.Addr(), token)
}

// Serve answers browsers until ctx ends, and closes the listener.
func (s *Server) Serve(ctx context.Context) error {
	base, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &http.Server{
		Handler:     s.handler(),
		BaseContext: func(net.Listener) context.Context { return base },
		// A request's line can hold a token, and there is nobody to read of a browser's faults.
		ErrorLog:          log.New(io.Discard, "", 0),
		ReadHeaderTimeout: s.pace.header,
		ReadTimeout:       s.pace.header,
		IdleTimeout:       s.pace.idle,
		MaxHeaderBytes:    headerMost,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(&limited{Listener: s.listener, most: connectionsMost}) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	cancel() // the streams end with it
	late, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	if server.Shutdown(late) != nil {
		server.Close()
	}
	s.watch.end()
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Finish tells the pages, once, that the run is over and waits until they have its last state and
// have closed their streams: as long as something is drawn or sent for them, but not longer than
// FinishMost, nor than a drawing can take after what the last one took.
func (s *Server) Finish(ctx context.Context) {
	looked := func() bool { return s.streams.Load()+s.answers.Load() > 0 }
	if !looked() {
		return
	}
	s.watch.finish()
	ctx, cancel := context.WithTimeout(ctx, min(FinishMost, 10*(s.pace.parting+s.artist.took())))
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for quiet := time.Now(); looked() && time.Since(quiet) < s.pace.parting; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if known, _ := s.watch.look(); known.over == "" || s.answers.Load() > 0 {
			quiet = time.Now()
		}
	}
}

// FinishMost bounds how long Finish takes.
const FinishMost = 2 * time.Minute
