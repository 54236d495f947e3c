package engine

import (
	"slices"
	"strings"

	"servematrix/command"
	"servematrix/matrix"
)

// Flags of the embedded client that are filled in where the sweep gives none.
const (
	backend = "--backend"
	baseURL = "--base-url"
)

// FilledIn are these flags without dashes: the names under which Origins has those that were.
var FilledIn = []string{"backend", "base-url"}

// serverURL is the address of the server that a client is paired with.
const serverURL = "${{ server.url }}"

// addressed tells whether arguments of a benchmark client name a server; whole gives the whole name
// of a flag.
func addressed(args []string, whole func(name string) string) bool {
	return slices.ContainsFunc(args, func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		return command.IsFlag(word) && slices.Contains([]string{baseURL, "--host", "--port", "--unix-socket"}, whole(name))
	})
}

// toServer lets the embedded client go to the server of its cell and not where it goes by default,
// where a stranger may answer. The address stands where bench: has it.
func toServer(args []string) []string {
	if out := command.Args(slices.Clone(args)); out.Has(baseURL) { // another client's default, written out
		out.Set(baseURL, serverURL)
		return out
	}
	return append(slices.Clip(args), baseURL, serverURL)
}

// fillIn notes a flag that was filled in, and from where.
func (k *completion) fillIn(cl *matrix.Client, flag, origin string) {
	from(&cl.Variant, strings.TrimLeft(flag, "-"), origin)
	k.filled[cl] = append(k.filled[cl], flag)
}
