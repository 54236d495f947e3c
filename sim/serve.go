package sim

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// server is one run of Serve.
type server struct {
	opt    Options
	faults faultSet
	log    *logger
	engine *engine
	began  time.Time

	stdout, stderr io.Writer // as given, for worker processes

	bound    *boundSocket
	listener net.Listener
	http     *http.Server
	tree     *tree
	holdings holdings
	hardStop context.Context // ends the answers in progress
	cutOff   context.CancelFunc

	endings chan ending    // what ends the server from within
	signals chan os.Signal // SIGTERM and SIGINT

	deaf bool // a signal was lost: the context's end, which came of it, is lost too

	healthy   atomic.Bool  // /health says 200
	requests  atomic.Int64 // generation requests received
	answering atomic.Int64 // generation requests in progress
}

// Serve runs the simulated server until ctx ends, a SIGTERM or SIGINT comes, or a fault ends it,
// and gives the exit code; 2 for options that make no sense. The engine's own log and the access
// log go to stdout and stderr as the imitated engine sends them.
//
// A signal stops it as the engine does, which for SGLang's SIGTERM means: finish what runs,
// kill the tree and this process by SIGKILL; Serve does not return then. The end of ctx alone
// stops it in the orderly way of an interrupt.
func Serve(ctx context.Context, opt Options, stdout, stderr io.Writer) int {
	asked := opt
	opt, err := asked.resolved()
	if err != nil {
		fmt.Fprintf(stderr, "servematrix sim: %v\n", err)
		return 2
	}
	faults, err := parseFaults(opt.Faults)
	if err != nil {
		fmt.Fprintf(stderr, "servematrix sim: %v\n", err)
		return 2
	}
	if !opt.InProcess {
		switch {
		case faults.has("fork-and-exit"):
			err = daemonize(asked, opt.FaultTTL, stdout, stderr)
		case faults.has("zombie-main") && opt.endMain == nil:
			err = reexec(asked)
		}
		if err != nil {
			fmt.Fprintf(stderr, "servematrix sim: %v\n", err)
			return 1
		}
		if faults.has("fork-and-exit") {
			return 0
		}
	}
	s := &server{
		opt: opt, faults: faults, began: time.Now(), engine: opt.newEngine(), stdout: stdout, stderr: stderr,
		log:     &logger{style: opt.Style, stdout: stdout, stderr: stderr},
		endings: make(chan ending, 1), signals: make(chan os.Signal, 8),
		tree: &tree{},
	}
	if !opt.InProcess {
		signal.Notify(s.signals, syscall.SIGTERM, syscall.SIGINT)
		defer signal.Stop(s.signals)
	}
	return s.leave(s.run(ctx))
}

// run is the server's life up to its last moment.
func (s *server) run(ctx context.Context) ending {
	engineCtx, stopEngine := context.WithCancel(context.WithoutCancel(ctx))
	defer stopEngine()
	s.hardStop, s.cutOff = context.WithCancel(engineCtx)
	defer s.cutOff()

	s.engine.onPass = s.logPasses()
	if s.faults.has("silent") {
		s.log.silence()
	}
	s.log.raw(fmt.Sprintf("servematrix sim: this is servematrix's simulated server in the style of %s, no real engine: no number of it says anything about real hardware\n", s.opt.Style))
	if end := s.boot(ctx); end != nil {
		return *end
	}
	go s.engine.run(engineCtx)
	if end := s.becomeReady(ctx); end != nil {
		return *end
	}
	end := s.wait(ctx, -1)
	return *end
}

// boot plays the start-up up to the point at which the HTTP server listens.
func (s *server) boot(ctx context.Context) *ending {
	if s.opt.Style == VLLM && !s.faults.has("no-listen") { // vLLM binds first, and listens when it has loaded
		if err := s.bind(); err != nil {
			s.log.raw(fmt.Sprintf("Traceback (most recent call last):\n  File \"simulated.py\", line 1, in <module>\nOSError: [Errno 98] Address already in use (%v)\n", err))
			return &ending{code: 1}
		}
	}
	for _, step := range s.bootSteps() {
		if end := s.waitUntil(ctx, s.dueAt(step.due)); end != nil {
			return end
		}
		step.do()
	}
	select {
	case end := <-s.endings:
		return &end
	default:
	}
	if s.opt.Style == SGLang {
		if end := s.listen(); end != nil {
			return end
		}
		s.log.uvicorn("Uvicorn running on http://%s:%d (Press CTRL+C to quit)", s.opt.Host, s.opt.Port)
	}
	return nil
}

// listen opens the port and starts answering.
func (s *server) listen() *ending {
	if s.faults.has("no-listen") {
		return nil
	}
	if s.bound == nil {
		if err := s.bind(); err != nil {
			s.log.raw(s.log.uvicornLine("[Errno 98] error while attempting to bind on address ('%s', %d): address already in use (%v)", s.opt.Host, s.opt.Port, err) + "\n")
			return &ending{code: 1}
		}
	}
	if err := s.startListening(); err != nil {
		s.log.raw(fmt.Sprintf("OSError: cannot listen: %v\n", err))
		return &ending{code: 1}
	}
	if s.faults.has("child-holds-port") {
		if err := s.tree.hold(s.opt, s.listener, s.stdout, s.stderr); err != nil {
			s.log.raw(fmt.Sprintf("servematrix sim: %v\n", err))
		}
	}
	if err := s.hold(); err != nil {
		s.log.raw(fmt.Sprintf("servematrix sim: %v\n", err))
	}
	if s.opt.OnListen != nil {
		s.opt.OnListen(s.listener.Addr())
	}
	if s.faults.has("http-hangs") {
		return nil // connections wait in the kernel's queue
	}
	s.http = &http.Server{Handler: s.handler(), BaseContext: func(net.Listener) context.Context { return s.hardStop }}
	go func() {
		_ = s.http.Serve(s.listener) // returns when the server stops, which is no error
	}()
	return nil
}

// startTree starts the worker processes.
func (s *server) startTree() {
	t, err := startTree(s.opt, s.faults, s.stdout, s.stderr)
	if err != nil {
		s.log.raw(fmt.Sprintf("servematrix sim: %v\n", err))
		s.end(ending{code: 1})
		return
	}
	s.tree = t
}

// end ends the server from within; the first reason counts.
func (s *server) end(e ending) {
	select {
	case s.endings <- e:
	default:
	}
}

// leave is the very end: the exit code for the caller, or the signal.
func (s *server) leave(e ending) int {
	s.tree.release()
	s.holdings.release()
	if s.listener != nil {
		_ = s.listener.Close() // it may be closed already
	}
	if s.http != nil {
		_ = s.http.Close()
	}
	if e.signal == 0 || s.opt.InProcess {
		return e.exitCode()
	}
	dieBy(e.signal)
	return e.exitCode()
}
