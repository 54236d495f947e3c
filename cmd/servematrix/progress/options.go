package progress

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"servematrix/engine"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
)

// Mode says how progress is shown.
type Mode string

// The modes, as the --progress flag names them.
const (
	Auto  Mode = "auto"  // bar on a terminal, else plain
	Bar   Mode = "bar"   // history lines over a block that is redrawn
	Plain Mode = "plain" // one line per phase change and a heartbeat each minute
	JSON  Mode = "json"  // one event of the journal a line
	None  Mode = "none"
)

// Modes are the values that --progress takes.
const Modes = "auto, bar, plain, json, none"

// Options says what to show, where and how. W, Plan and Folder are needed.
type Options struct {
	W      io.Writer
	Mode   string // of the --progress flag; "": auto
	Color  string // of the --color flag: auto, always or never; "": auto
	Plan   *matrix.Plan
	Folder journal.Folder
	// Units are what the session is to measure; nil: every cell of the plan in every block.
	Units []orchestrator.Unit
	// Cells are those that a further block of a run that goes on by itself measures; nil: every cell of the plan.
	Cells map[string]bool
	// Past is what the journal said before, nil for nothing. It is taken in beside the run, before the
	// first drawing, and not shown.
	Past iter.Seq2[journal.Event, error]
	// Former is what former runs tell of this plan, nil for nothing. It is asked beside the run, too.
	Former func() *History
	// Catalog has the profiles that know how clients show their progress; nil: only tqdm's bars are known.
	Catalog *engine.Catalog
	// IsTerminal tells whether W is one, Size how many columns and rows it has now (nil
	// or 0: 80 and 24); it is asked for each drawing, so that a resized terminal is followed.
	IsTerminal bool
	Size       func() (width, height int)
	Getenv     func(string) (string, bool) // nil: no variable is set
	Zone       *time.Location              // of clock times; nil: the local one
}

// Choose settles a --progress and a --color value (auto, always, never) for a
// stream. Precedence of colour: the flag, NO_COLOR when not empty, FORCE_COLOR,
// then whether the stream is a terminal. CI or TERM=dumb count as no terminal.
func Choose(mode, color string, terminal bool, getenv func(string) (string, bool)) (Mode, bool, error) {
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	set := func(name string) bool { v, _ := getenv(name); return v != "" }
	if v, _ := getenv("TERM"); v == "dumb" || set("CI") {
		terminal = false
	}
	m := Mode(mode)
	switch m {
	case Auto, "":
		m = Plain
		if terminal {
			m = Bar
		}
	case Bar, Plain, JSON, None:
	default:
		return "", false, fmt.Errorf("--progress %s: want one of %s", mode, Modes)
	}
	switch strings.ToLower(color) {
	case "always":
		return m, true, nil
	case "never":
		return m, false, nil
	case "auto", "":
		return m, !set("NO_COLOR") && (set("FORCE_COLOR") || terminal), nil
	}
	return "", false, fmt.Errorf("--color %s: want one of auto, always, never", color)
}
