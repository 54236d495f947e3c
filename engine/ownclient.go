package engine

import (
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
		return
	}
	suggestion := "see: servematrix bench --help"
	if name, ok := bench.UnknownFlag(err); ok {
		suggestion = strings.Replace(spelling.DidYouMean(name, bench.FlagNames()), `"`, `"--`, 1)
	}
	k.report(matrix.Error, v.At, "client-flag", suggestion, "servematrix bench: %v", err)
}
