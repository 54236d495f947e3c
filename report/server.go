package report

import (
	"fmt"
	"strings"

	"servematrix/journal"
)

// serverEvent writes the life of a server: its start, its readiness or failure, its end.
func (d *drawer) serverEvent(e happening) error {
	name := ""
	if l := d.launches[e.Launch]; l != nil {
		name = visible(l.name)
	}
	switch e.Type {
	case journal.LaunchStarted:
		return with(e, func(v launched) { d.serverStarts(e, v) })
	case journal.LaunchReady:
		return with(e, func(v journal.Ready) { d.serverReady(name, v) })
	case journal.LaunchConfigured:
		return with(e, func(v journal.Configured) { d.serverConfigured(name, v) })
	case journal.LaunchFailed:
		return with(e, func(v journal.Failure) {
			d.printf("[SERVER] "+d.words.serverFailed+"\n", name, d.because(v))
			d.where(v)
		})
	case journal.CacheFlushed:
		return with(e, func(v journal.Flushed) { d.flushed(name, v) })
	case journal.LaunchStopping:
		return with(e, func(v journal.Stopping) {
			d.printf("[SERVER] %s %s\n", d.words.Stop, name)
			if v.Why != "" {
				d.detail(d.words.why, visible(v.Why))
			}
		})
	case journal.LaunchEnded:
		return with(e, func(v stop) { d.serverGone(name, v) })
	}
	return nil
}

// serverStarts writes the start of a server; the banner first where the start is for one cell.
func (d *drawer) serverStarts(e happening, v launched) {
	if e.Cell != "" {
		d.starts[unit{e.Cell, e.Block}]++
		d.head(e, v.Simulated)
	} else {
		d.banner = section{}
		d.printf("\n")
	}
	d.printf("[SERVER] %s %s: %s\n", d.words.Start, visible(v.Name), d.command(journal.LaunchStarted, v.Unset, v.Env, v.Argv))
	if v.Simulated {
		d.detail("%s", d.words.simulated)
	}
	if len(v.Logs) > 0 {
		d.detail(d.words.logs, visible(strings.Join(v.Logs, ", ")))
	}
}

func (d *drawer) serverReady(name string, v journal.Ready) {
	line := strings.TrimSpace(v.Line)
	if line == "" {
		line = strings.Join(v.By, ", ")
	}
	d.printf("[SERVER] %s %s%s\n", name, d.words.Ready, visible(clip(line, lineMost)))
	at := ""
	if v.File != "" {
		at = "; " + place(journal.Failure{File: v.File, Line: v.LineNo})
	}
	d.detail(d.words.readyAfter+"%s", v.Seconds, visible(strings.Join(v.By, ", ")), at)
}

func (d *drawer) flushed(name string, v journal.Flushed) {
	verdict := d.words.flushOK
	if !v.OK {
		verdict = d.words.flushFailed
	}
	d.printf("[SERVER] "+verdict+"\n", name, visible(v.Request), v.Status, v.Seconds)
	if v.Error != "" {
		d.detail("%s", visible(v.Error))
	}
	if !v.OK && v.Body != "" {
		d.tail(strings.Split(v.Body, "\n"))
	}
}

func (d *drawer) serverGone(name string, v stop) {
	if len(v.Steps) == 0 && v.Code < 0 && v.Signal == "" && v.Note != "" { // there was nothing to stop
		d.printf("[SERVER] %s: %s\n", name, visible(v.Note))
		return
	}
	how := fmt.Sprintf(d.words.exitCode, v.Code)
	switch {
	case v.Signal != "":
		how = fmt.Sprintf(d.words.signal, visible(v.Signal))
	case v.Code < 0:
		how = d.words.exitUnknown
	}
	d.detail("%s", d.words.stopLine(v))
	if v.Note != "" {
		d.detail("%s", visible(v.Note))
	}
	switch {
	case v.Survivors > 0:
		d.printf("[SERVER] "+d.words.survived+"\n", name, v.Survivors)
	case v.Orderly:
		d.printf("[SERVER] %s %s\n", name, d.words.Stopped)
	case v.Killed:
		d.printf("[SERVER] %s %s\n", name, d.words.killed)
	default:
		d.printf("[SERVER] "+d.words.ended+"\n", name, how)
	}
}
