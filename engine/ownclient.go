package engine

import (
	"strings"

	"servematrix/bench"
	"servematrix/command"
	"servematrix/matrix"
	"servematrix/spelling"
)

// ownFlags refuses a flag that the embedded client would refuse only when its server is up. It is
// the one client whose flags are all known here. What stands in a script is the shell's to read.
func (k *completion) ownFlags(v *matrix.Variant) {
	if v.Profile != own || command.IsScript(v.Argv) {
		return
	}
	for _, r := range command.Readings(v.Argv) {
		if len(r.Words) < 2 || r.Program() != "servematrix" || r.Words[1] != "bench" {
			continue
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
		return
	}
}
