package engine

import (
	"cmp"
	"errors"
	"fmt"
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

// Embedding is the embedded client in the place of another command.
type Embedding struct {
	Before []string // wrappers and variables that stay before it
	Args   []string // the flags of `servematrix bench`
	Notes  []string // which flags were left out, and why
	Saves  string   // the flag that asked for a file of the result, which a sweep adds; "" is none
	Own    bool     // it was the embedded client with its own flags already
	// Unaddressed: the command names no server, so that the client goes where it goes by default.
	Unaddressed bool
}

// UnknownClient says that a command is that of no client that the embedded one can stand in for.
type UnknownClient struct{}

// Error names those for which it can.
func (*UnknownClient) Error() string {
	return fmt.Sprintf("the embedded client can stand in for %s, not for this command", strings.Join(pasted.Names(), " and "))
}

// Argv is the whole command.
func (e Embedding) Argv() []string { return slices.Concat(e.Before, strings.Fields(own), e.Args) }

// Embed makes of the command of another benchmark client the command of the embedded one that
// puts the same load on a server. Of the embedded client's own it spells flags out, and what
// stands behind it as a whole command.
func (c *Catalog) Embed(argv []string) (Embedding, error) {
	if command.IsScript(argv) {
		return Embedding{}, fmt.Errorf("a client in a shell script cannot be replaced")
	}
	if r, is := ownReading(argv); is {
		return c.embedOwn(argv[:len(argv)-len(r.Words)], r.Words[2:])
	}
	p, r := recognise(command.Readings(argv), c.clients, func(p *ClientProfile) []Match { return p.Match })
	if p == nil || pasted.Lookup(p.Name) == nil {
		return Embedding{}, &UnknownClient{}
	}
	before, keep := r.Before(argv)
	if !keep {
		return Embedding{}, fmt.Errorf("what stands before the client (%s) cannot be kept; wrappers that can are %s", strings.Join(before, " "), strings.Join(command.Wrappers(), ", "))
	}
	if len(before) > 0 && strings.Contains(before[0], "=") {
		before = append([]string{"env"}, before...) // no program by itself
	}
	flags := slices.IndexFunc(r.Words, command.IsFlag)
	if flags < 0 {
		flags = len(r.Words)
	}
	made, err := bench.Replace(p.Name, r.Words[flags:])
	return Embedding{Before: slices.Clip(before), Args: made.Args, Notes: made.Notes, Saves: made.Saves,
		Unaddressed: !addressed(r.Words[flags:], pasted.Lookup(p.Name).Whole)}, err
}

// embedOwn reads what stands behind `servematrix bench`.
func (c *Catalog) embedOwn(before, args []string) (Embedding, error) {
	if len(args) == 0 || command.IsFlag(args[0]) {
		args = bench.Spell(args)
		return Embedding{Before: slices.Clip(before), Args: args, Own: true, Unaddressed: !addressed(args, command.Plain)}, nil
	}
	e, err := c.Embed(args)
	e.Before = slices.Concat(before, e.Before)
	return e, err
}

// embed puts the embedded client in the place of a workload's own, where the sweep asks for it, and
// writes its own command as other parts of servematrix read it. Where that cannot be, nothing else
// is looked for in that workload.
func (k *completion) embed(cl *matrix.Client) {
	v := &cl.Variant
	what := own
	if _, is := ownReading(v.Argv); !is {
		what = "profile: " + Replace
	}
	switch {
	case v.Profile == Replace:
		v.Profile = own
	case what != own || given(v, "bench"):
		return
	}
	e, err := k.catalog.Embed(v.Argv)
	if err != nil {
		v.Profile = cmp.Or(v.Profile, own)
		k.refused[cl] = true
		k.report(matrix.Error, v.At, "no-equivalent", otherwise(err, what), "%s: %v", what, err)
		return
	}
	if e.Unaddressed && k.reachable {
		e.Args = toServer(e.Args)
		k.fillIn(cl, baseURL, "the command names no address")
	}
	argv := e.Argv()
	if e.Own {
		copy(argv[len(e.Before):], v.Argv[len(e.Before):][:2]) // by its own path, where it has one
	}
	if slices.Equal(argv, v.Argv) {
		return
	}
	if !e.Own {
		v.Replaced, v.LeftOut = v.Argv, e.Notes
	}
	v.Argv = argv
	k.changed = append(k.changed, cl)
}

// Instead is what to write where Embed refuses a command; "" where its error says all.
func Instead(err error) string {
	if unknown, ok := errors.AsType[*pasted.UnknownFlag](err); ok {
		return spelling.DidYouMean(unknown.Name, pasted.Lookup(unknown.Program).Names())
	}
	if refused, ok := errors.AsType[*pasted.Refusal](err); ok {
		return cmp.Or(refused.Instead, "take the flag out")
	}
	return ""
}

// otherwise is what to do where a client cannot be replaced.
func otherwise(err error, what string) string {
	_, misspelt := errors.AsType[*pasted.UnknownFlag](err)
	instead, itself := Instead(err), "take profile: "+Replace+" out, and the client itself runs"
	switch {
	case what == own:
		return cmp.Or(instead, "see: servematrix bench --help")
	case misspelt:
		return instead
	case instead == "":
		return itself
	}
	return instead + "; or " + itself
}

// identities gives workloads whose command was changed the ids of what runs.
func (k *completion) identities(p *matrix.Plan) {
	if len(k.changed) == 0 {
		return
	}
	for _, twice := range p.Reidentify(k.changed) {
		k.report(matrix.Error, twice[1].At, "duplicate-cell", "take one of them out", "%s and %s are the same load once %s", twice[0].Name, twice[1].Name, k.became(twice))
	}
}

// became tells by what two commands that differ in the sweep have become the same.
func (k *completion) became(twice [2]*matrix.Client) string {
	a, b := twice[0], twice[1]
	if len(a.Replaced)+len(b.Replaced) > 0 {
		return "the embedded client runs them"
	}
	for _, flag := range []string{backend, baseURL} {
		if slices.Contains(k.filled[a], flag) != slices.Contains(k.filled[b], flag) {
			return flag + " is filled in"
		}
	}
	return "their flags are written out"
}
