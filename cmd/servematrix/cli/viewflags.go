package cli

import (
	"os"

	"github.com/mattn/go-isatty"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"servematrix/cmd/servematrix/progress"
)

// addViewFlags adds what says how a run is shown while it lives.
func addViewFlags(f *pflag.FlagSet, mode, color *string) {
	f.StringVar(mode, "progress", "auto", "how to show the run on stderr: "+progress.Modes)
	f.StringVar(color, "color", "auto", "colours: auto, always, never (NO_COLOR and FORCE_COLOR count too)")
}

// checkViewFlags refuses values that there are not, before anything starts.
func checkViewFlags(mode, color string) error {
	if _, _, err := progress.Choose(mode, color, false, nil); err != nil {
		return usageError("%w", err)
	}
	return nil
}

// terminal tells whether w is a terminal, and how to ask for its columns and rows.
func terminal(w any) (bool, func() (width, height int)) {
	f, ok := w.(*os.File)
	if !ok || !isatty.IsTerminal(f.Fd()) {
		return false, nil
	}
	return true, func() (int, int) {
		width, height, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 0, 0
		}
		return width, height
	}
}
