package engine

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"servematrix/bench"
	"servematrix/bench/pasted"
	"servematrix/command"
	"servematrix/matrix"
	"servematrix/spelling"
)

// Replace is the name under which a sweep asks, as a client's profile, for the embedded client in
// the place of the one that its command names.
const Replace = "embedded"

// own is the profile of the embedded client, and its command.
const own = "servematrix bench"

// Embed makes of the command of another benchmark client the command of the embedded one that
// puts the same load on a server. It tells which flags were left out, and why.
func (c *Catalog) Embed(argv []string) (embedded []string, notes []string, err error) {
	if command.IsScript(argv) {
		return nil, nil, fmt.Errorf("a client in a shell script cannot be replaced")
	}
	p, r := recognise(command.Readings(argv), c.clients, func(p *ClientProfile) []Match { return p.Match })
	switch {
	case p == nil || pasted.Lookup(p.Name) == nil && p.Name != own:
		return nil, nil, fmt.Errorf("the embedded client can stand in for %s, not for this command", strings.Join(pasted.Names(), " and "))
	case len(r.Env) > 0 || !onlyInterpreter(r.Around):
		return nil, nil, fmt.Errorf("what stands before the client (%s) cannot be kept; write variables under env", strings.Join(r.Around, " "))
	case p.Name == own:
		return argv, nil, nil
	}
	flags := slices.IndexFunc(r.Words, command.IsFlag)
	if flags < 0 {
		flags = len(r.Words)
	}
	made, err := bench.Replace(p.Name, r.Words[flags:])
	if err != nil {
		return nil, nil, err
	}
	return append(strings.Fields(own), made.Args...), made.Notes, nil
}

// onlyInterpreter tells words that only start a Python program: python3 -m.
func onlyInterpreter(around []string) bool {
	return len(around) == 0 || len(around) <= 3 && strings.HasPrefix(path.Base(around[0]), "python") &&
		!slices.ContainsFunc(around[1:], func(w string) bool { return w != "-m" && w != "-u" })
}

// embed puts the embedded client in the place of a workload's own, where the sweep asks for it.
func (k *completion) embed(cl *matrix.Client) {
	v := &cl.Variant
	if v.Profile != Replace {
		return
	}
	v.Profile = own
	argv, notes, err := k.catalog.Embed(v.Argv)
	if err != nil {
		v.Profile = Generic // of which nothing else can be wrong
		k.report(matrix.Error, v.At, "no-equivalent", otherwise(err), "profile: embedded: %v", err)
		return
	}
	if slices.Equal(argv, v.Argv) {
		return
	}
	v.Replaced, v.LeftOut, v.Argv = v.Argv, notes, argv
	k.replaced = append(k.replaced, cl)
}

// otherwise is what to do where a client cannot be replaced.
func otherwise(err error) string {
	if unknown, ok := errors.AsType[*pasted.UnknownFlag](err); ok {
		return spelling.DidYouMean(unknown.Name, pasted.Lookup(unknown.Program).Names())
	}
	return "take the flag out; or take profile: embedded out, and the client itself runs"
}

// identities gives workloads whose client was replaced the ids of what runs.
func (k *completion) identities(p *matrix.Plan) {
	if len(k.replaced) == 0 {
		return
	}
	for _, twice := range p.Reidentify(k.replaced) {
		k.report(matrix.Error, twice[1].At, "duplicate-cell", "take one of them out",
			"%s and %s are the same load once the embedded client runs them", twice[0].Name, twice[1].Name)
	}
}
