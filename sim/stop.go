package sim

import (
	"os"
	"syscall"
	"time"
)

// signalled does what a SIGTERM or SIGINT does now, and gives the ending it leads to; nil where
// the server goes on.
func (s *server) signalled(sig syscall.Signal) *ending {
	var end ending
	switch {
	case s.faults.has("ignore-term"), !s.up() && s.faults.has("lost-term") && sig == syscall.SIGTERM:
		return nil
	case !s.up(): // no handler is there yet
		s.tree.stop()
		end = ending{signal: sig}
	case s.opt.Style == SGLang && sig == syscall.SIGTERM:
		end = s.stopSGLang()
	default:
		end = s.stopOrderly()
	}
	return &end
}

// up says whether the server got as far as listening.
func (s *server) up() bool { return s.listener != nil }

// stopSGLang is what SGLang does on SIGTERM: its watcher looks once per poll, goes on until no
// request is left, then kills the tree and itself.
func (s *server) stopSGLang() ending {
	s.beginStop()
	s.log.sglang("SIGTERM received. signum=None frame=None. Draining requests and shutting down...")
	for {
		time.Sleep(s.opt.StopPoll)
		running, waiting := s.engine.load()
		s.log.sglang("Gracefully exiting... Remaining number of requests %d. Remaining requests remaining_rids=[].", running+waiting)
		if running+waiting == 0 && s.answering.Load() == 0 && !s.faults.has("hang-on-streams") {
			break
		}
		if s.interrupted() {
			break
		}
	}
	return s.finishStop(ending{signal: syscall.SIGKILL})
}

// stopOrderly is SGLang's way on SIGINT and vLLM's on both signals: the port closes; SGLang's
// uvicorn waits for the answers in progress, vLLM has aborted them; exit code 0.
func (s *server) stopOrderly() ending {
	s.beginStop()
	if s.opt.Style == VLLM {
		s.log.api("launcher.py:254", "[shutdown] API server: shutdown triggered")
		s.log.api("launcher.py:270", "[shutdown] API server: stopping engine client mode=abort timeout=0s")
		s.log.api("utils.py:628", "[shutdown] Process manager: send sigterm to process EngineCore")
		s.engine.stall()
		s.tree.stop()
		if !s.faults.has("hang-on-streams") {
			s.cutOff()
		}
		s.log.api("launcher.py:304", "[shutdown] API server: shutting down FastAPI HTTP server")
	} else if s.faults.has("hang-on-streams") {
		s.engine.stall()
	}
	s.log.uvicorn("Shutting down")
	if s.http != nil {
		_ = s.listener.Close()
		s.awaitAnswers()
		s.cutOff()
	}
	s.log.uvicorn("Waiting for application shutdown.")
	s.log.uvicorn("Application shutdown complete.")
	s.log.uvicorn("Finished server process [%d]", os.Getpid())
	return s.finishStop(ending{})
}

// awaitAnswers waits until no answer is in progress, or for another signal.
func (s *server) awaitAnswers() {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for n := 0; s.answering.Load() > 0; n++ {
		if n == 20 {
			s.log.uvicorn("Waiting for connections to close. (CTRL+C to force quit)")
		}
		select {
		case <-ticker.C:
		case <-s.signals:
			return
		}
	}
}

// beginStop is what all ways of stopping begin with.
func (s *server) beginStop() {
	s.healthy.Store(false)
	if s.opt.endMain != nil {
		s.opt.endMain()
		time.Sleep(s.faults.duration("zombie-main"))
	}
	s.tree.announceStop()
}

// finishStop is what they end with. The children are killed only now, or left alone.
func (s *server) finishStop(natural ending) ending {
	time.Sleep(s.faults.duration("exit-late"))
	s.tree.stop()
	return s.faults.ending("exit-code", natural)
}

// interrupted reports whether another signal has come.
func (s *server) interrupted() bool {
	select {
	case sig := <-s.signals:
		return sig == syscall.SIGINT
	default:
		return false
	}
}

// childDied is how the engines react to the death of a process they need.
func (s *server) childDied() ending {
	s.healthy.Store(false)
	s.engine.stall()
	if s.opt.Style == SGLang {
		s.log.sglang("Received sigquit from a child process. It usually means the child failed.")
		s.tree.stop()
		return ending{signal: syscall.SIGKILL}
	}
	s.log.api("core_client.py:601", "[shutdown] MPClient: engine core exited unexpectedly; starting cleanup")
	s.log.raw("vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.\n")
	s.cutOff()
	time.Sleep(s.opt.StopPoll)
	s.tree.stop()
	return ending{} // exit code 0, as measured: the crash does not show in it
}

// killWorker ends the process that does the work, and with it all progress, for worker-dies.
func (s *server) killWorker() {
	s.healthy.Store(false)
	s.engine.stall()
	if core := s.tree.core; core != nil {
		_ = core.cmd.Process.Kill() // it may have died before
	}
	s.log.raw("a worker process has died\n")
}
