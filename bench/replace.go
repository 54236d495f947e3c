package bench

import (
	"fmt"
	"sync"

	"github.com/spf13/pflag"

	"servematrix/bench/pasted"
)

// Spell writes the arguments of `bench` as its flags are read, where the argument parser of
// sglang.bench_serving reads more: a flag by the beginning of its name, several words behind one.
// From the name of another client on they stay as they are.
func Spell(args []string) []string { return pasted.Spell(ownFlags(), args, pasted.Begun) }

// Replace makes of the arguments of another benchmark client, by its name in package pasted, those
// of `bench` that put the same load on a server. The error says what has no equivalent.
func Replace(program string, args []string) (pasted.Command, error) {
	p := pasted.Lookup(program)
	if p == nil {
		return pasted.Command{}, fmt.Errorf("%s cannot be replaced by the embedded client", program)
	}
	c, err := p.Translate(args, Own)
	if err != nil {
		return c, err
	}
	return c, Check(c.Args)
}

// Own tells of a flag of the client, by its name without dashes.
func Own(name string) (pasted.Own, bool) {
	f := ownFlags().Lookup(name)
	if f == nil || f.Hidden {
		return pasted.Own{}, false
	}
	return pasted.Own{Default: f.DefValue, Switch: f.NoOptDefVal != ""}, true
}

// ownFlags are all of the client's, bound to nothing.
var ownFlags = sync.OnceValue(func() *pflag.FlagSet {
	fs := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	AddFlags(fs, new(Options))
	return fs
})
