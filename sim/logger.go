package sim

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// logger writes the two output streams as the imitated engine does: SGLang's own log and
// uvicorn's on stderr, its access log on stdout; vLLM's own and its access log on stdout,
// uvicorn's on stderr. Each line is one write.
type logger struct {
	style          string
	mu             sync.Mutex
	stdout, stderr io.Writer
	mute           bool // fault silent, or a ready line without newline that nothing may complete
}

// engine writes a line of the engine's own log. component is vLLM's process name, source its
// file and line; SGLang shows neither.
func (l *logger) engine(component, source, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if l.style == VLLM {
		l.write(l.stdout, fmt.Sprintf("(%s pid=%d) INFO %s [%s] %s\n", component, os.Getpid(), time.Now().Format("01-02 15:04:05"), source, text))
		return
	}
	l.write(l.stderr, sglangStamp()+text+"\n")
}

// sglang writes a line of SGLang's log.
func (l *logger) sglang(format string, args ...any) { l.engine("", "", format, args...) }

// api writes a line of the log of vLLM's API server.
func (l *logger) api(source, format string, args ...any) {
	l.engine("APIServer", source, format, args...)
}

// uvicorn writes a line of the HTTP server's log.
func (l *logger) uvicorn(format string, args ...any) {
	l.write(l.stderr, l.uvicornLine(format, args...)+"\n")
}

func (l *logger) uvicornLine(format string, args ...any) string {
	line := "INFO:     " + fmt.Sprintf(format, args...)
	if l.style == SGLang {
		line = sglangStamp() + line
	}
	return line
}

// access writes a line of the access log.
func (l *logger) access(format string, args ...any) {
	l.write(l.stdout, l.uvicornLine(format, args...)+"\n")
}

// raw writes text as it is to the stream on which the ready line comes.
func (l *logger) raw(text string) { l.write(l.stderr, text) }

// write ignores errors: where nobody reads the log any more, an engine goes on serving.
func (l *logger) write(w io.Writer, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.mute {
		_, _ = io.WriteString(w, text)
	}
}

// silence drops everything from now on.
func (l *logger) silence() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mute = true
}

func sglangStamp() string { return time.Now().Format("[2006-01-02 15:04:05] ") }
