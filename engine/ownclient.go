package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"servematrix/bench"
	"servematrix/command"
	"servematrix/matrix"
	"servematrix/spelling"
)

// ownReading reads a command as the embedded client's, whatever profile the sweep gives it; false
// where it is another program's, or stands in a script, which is the shell's to read.
func ownReading(argv []string) (command.Reading, bool) {
	if !command.IsScript(argv) {
		for _, r := range command.Readings(argv) {
			if (Match{Command: own}).fit(r) > 0 {
				return r, true
			}
		}
	}
	return command.Reading{}, false
}

// ownFlags refuses a flag that the embedded client would refuse only when its server is up. It is
// the one client whose flags are all known here.
func (k *completion) ownFlags(v *matrix.Variant) {
	r, is := ownReading(v.Argv)
	if !is {
		return
	}
	err := bench.Check(r.Words[2:])
	if err == nil {
		k.ownFiles(v, r.Words[2:])
		return
	}
	suggestion := "see: servematrix bench --help"
	if name, ok := bench.UnknownFlag(err); ok {
		suggestion = strings.Replace(spelling.DidYouMean(name, bench.FlagNames()), `"`, `"--`, 1)
	}
	k.report(matrix.Error, v.At, "client-flag", suggestion, "servematrix bench: %v", err)
}

// ownFiles refuses a file that bench: names and that is not there. What another command names lies
// where run is started.
func (k *completion) ownFiles(v *matrix.Variant, args []string) {
	if !given(v, "bench") || !filepath.IsAbs(v.Dir) || isLate(v.Dir) {
		return
	}
	getenv := func(name string) string {
		value, set := v.Env[name]
		if set || slices.Contains(v.Unset, name) {
			return value
		}
		return os.Getenv(name)
	}
	if err := bench.CheckFiles(args, v.Dir, getenv); err != nil {
		k.report(matrix.Error, v.At, "file", "paths under bench: count from the sweep file, or from dir where that is given", "servematrix bench: %v", err)
	}
}
