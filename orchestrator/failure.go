package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"

	"servematrix/engine"
	"servematrix/journal"
	"servematrix/process"
	"servematrix/readiness"
	"servematrix/secret"
)

const mask = secret.Mask

func isSecret(name string, extra []string) bool { return secret.IsSecretName(name, extra) }

// interrupted is the failure of what the end of the run cut short.
func interrupted(ctx context.Context, phase string) *journal.Failure {
	cause := context.Cause(ctx)
	class := "interrupted"
	if AsDiskError(cause) != nil {
		class = "disk_full"
	}
	return &journal.Failure{Class: class, Phase: phase, Message: cause.Error()}
}

// startFailure says why a process did not come up at all.
func (r *runner) startFailure(err error) *journal.Failure {
	class := "start_failed"
	if start, ok := errors.AsType[*process.StartError](err); ok {
		class = start.Class
	} else if AsDiskError(err) != nil {
		class = "disk_full"
	}
	return &journal.Failure{Class: class, Phase: "start", Message: r.Redactor.String(err.Error())}
}

// notReady turns what ended the wait for a server into a failure.
func (l *launch) notReady(ctx context.Context, err error) *journal.Failure {
	if ctx.Err() != nil {
		return interrupted(ctx, "start")
	}
	out := &journal.Failure{Class: "start_failed", Phase: "start", Message: l.Redactor.String(err.Error())}
	var f *readiness.Failure
	if errors.As(err, &f) {
		out.Class, out.Line = f.Class, f.Line
		out.Message = l.Redactor.String(f.Message)
		out.File = l.Folder.Rel(cmp.Or(f.File, l.logs[1]))
		out.Lines, out.Tail = l.lines(f.Lines), l.tail(f.Tail)
	}
	select {
	case <-l.proc.Exited():
		out.Message = fmt.Sprintf("%s (the server ended with %s)", out.Message, l.proc.Exit())
	default:
	}
	if out.Line == 0 { // no pattern knows what it says
		out.Message = lastLine(out.Message, out.Tail)
	}
	return out
}

// serverDied says why the server ended or failed, in its own words where it left
// any; when is what it did so during.
func (l *launch) serverDied(when string) *journal.Failure {
	l.deathTold = true
	readiness.Settle(l.logs)
	f := &journal.Failure{Class: "server_died", Phase: "client", Message: l.Redactor.String(l.death(when))}
	patterns, err := engine.Patterns(l.server)
	if err != nil {
		l.warn(err.Error())
	}
	if d, ok := readiness.Diagnose(l.logs, patterns); ok {
		if d.Class != "start_failed" {
			f.Class = d.Class
		}
		f.Message = fmt.Sprintf("%s: %s", f.Message, l.Redactor.String(d.Message))
		f.File, f.Line, f.Lines, f.Tail = l.Folder.Rel(d.File), d.Line, l.lines(d.Lines), l.tail(d.Tail)
	} else {
		f.File, f.Tail = l.Folder.Rel(l.logs[1]), l.tail(readiness.Tail(l.logs[1], tailLines))
	}
	return f
}

// death says what of the server ended.
func (l *launch) death(when string) string {
	switch {
	case !l.crippled():
		return fmt.Sprintf("the server ended with %s %s", l.proc.Exit(), when)
	case l.proc.Alive():
		return fmt.Sprintf("the server failed %s: %s, though its main process lives", when, l.vitals.what)
	}
	return fmt.Sprintf("the server failed %s: %s, then the server with %s", when, l.vitals.what, l.proc.Exit())
}

// pointer matches a line that only says where to read more, such as "see: PROGRAM --help" or
// "Try 'PROGRAM --help' for more information.": what went wrong stands before it.
var pointer = regexp.MustCompile(`(?i)^\s*(?:see|try|run|use|for more)\b.*(?:--help|\s-h)\b`)

// lastLine adds the last line of a log that is no mere pointer to a message that the log does not
// explain.
func lastLine(message string, tail []string) string {
	what := "its last line"
	for len(tail) > 1 && pointer.MatchString(tail[len(tail)-1]) && tail[len(tail)-2] != "" {
		what, tail = "it says", tail[:len(tail)-1]
	}
	if len(tail) == 0 || tail[len(tail)-1] == "" {
		return message
	}
	return fmt.Sprintf("%s; %s: %s", message, what, tail[len(tail)-1])
}

// tailLines is how many of a log's last lines a failure keeps.
const tailLines = 40

func (r *runner) tail(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = r.Redactor.String(line)
	}
	return out
}

// lines are log lines as they may be written.
func (r *runner) lines(lines []readiness.Line) (out []journal.LogLine) {
	for _, l := range lines {
		out = append(out, journal.LogLine{File: r.Folder.Rel(l.File), Line: l.No, Text: r.Redactor.String(l.Text)})
	}
	return out
}
