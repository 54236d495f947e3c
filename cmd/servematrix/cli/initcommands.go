package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"servematrix/cmd/servematrix/draft"
	"servematrix/command"
	"servematrix/engine"
	"servematrix/matrix"
)

// gathered fills a draft's input from commands, by what the profiles know of each.
type gathered struct {
	catalog *engine.Catalog
	in      *draft.Input
	secrets *draft.Secrets
}

// note keeps a note once.
func (g gathered) note(texts ...string) {
	for _, text := range texts {
		if !slices.Contains(g.in.Notes, text) {
			g.in.Notes = append(g.in.Notes, text)
		}
	}
}

// server and client take a command in; from is where it is from.
func (g gathered) server(c draft.Command, from string) {
	g.secrets.TakeOut(&c)
	g.told(c, from)
	g.in.Servers = append(g.in.Servers, c)
}

func (g gathered) client(c draft.Command, from string) {
	_, profile := g.recognised(c.Argv)
	rest, left := g.catalog.Client(profile).WithoutResult(c.Argv)
	for _, flag := range left {
		g.note(fmt.Sprintf("%s%s of %s is left out: each measurement gets a result file of its own, in its folder of the run", from, strings.ReplaceAll(flag, "|", " or "), profile))
	}
	c.Argv = rest
	g.secrets.TakeOut(&c)
	g.told(c, from)
	g.in.Clients = append(g.in.Clients, c)
}

func (g gathered) told(c draft.Command, from string) {
	for _, n := range c.Told() {
		g.note(from + n)
	}
}

// worth looks up what could be swept, where a half has one command.
func (g gathered) worth() {
	if len(g.in.Servers) == 1 {
		server, _ := g.recognised(g.in.Servers[0].Argv)
		g.in.ServerWorth = g.catalog.Server(server).Worth
	}
	if len(g.in.Clients) == 1 {
		_, client := g.recognised(g.in.Clients[0].Argv)
		g.in.ClientWorth = g.catalog.Client(client).Worth
	}
}

// reordered notes that the plan has commands whose flags stand in another order than they were given:
// what differs between several commands goes to one place.
func (g gathered) reordered(plan *matrix.Plan) {
	planned := map[string]bool{}
	for _, s := range plan.Servers {
		planned[fmt.Sprintf("%q", s.Argv)] = true
	}
	for _, c := range plan.Clients {
		planned[fmt.Sprintf("%q", c.Argv)] = true
		argv := command.Args(c.Argv)
		for _, flag := range engine.FilledIn {
			if c.Origins[flag] != "" {
				argv = argv.Without("--" + flag)
			}
		}
		planned[fmt.Sprintf("%q", argv)] = true
	}
	for _, c := range slices.Concat(g.in.Servers, g.in.Clients) {
		key := fmt.Sprintf("%q", c.Argv)
		if !planned[key] && !strings.Contains(key, "${{") {
			g.note("the flags of some commands stand in another order here: those that differ come together")
		}
	}
}

// pasted takes in commands given as flags: one command each. Where a text has more, it
// is the one that a profile recognises, and the others are named.
func (g gathered) pasted(flag string, texts []string, take func(draft.Command, string)) error {
	for _, text := range texts {
		found, notes, err := draft.Pasted(text)
		if err != nil {
			return usageError("%s %q: %w", flag, text, err)
		}
		which := slices.DeleteFunc(slices.Clone(found), func(c draft.Command) bool { return c.Piped })
		for i := range which {
			which[i].Uncontain()
		}
		if len(which) > 1 {
			which = slices.DeleteFunc(which, func(c draft.Command) bool {
				server, client := g.recognised(c.Argv)
				return server == engine.Generic && client == engine.Generic
			})
		}
		if len(which) != 1 {
			return &exitError{code: exitUsage, err: fmt.Errorf("%s %q holds %s, want one", flag, text, count(len(found), "command")),
				hint: "for more than a command, such as $(…), write it to a file and use --from-script, or shell: in the sweep"}
		}
		from := flag + ", "
		for _, c := range found {
			if !c.Piped && c.Line <= which[0].Line && len(found) > 1 && !same(c, which[0]) {
				g.note(fmt.Sprintf("%sline %d: left out, and what it sets is not known: %s; do it before servematrix run, or put all into shell:", from, c.Line, strings.Join(c.Argv, " ")))
			}
		}
		for _, n := range notes {
			g.note(from + n)
		}
		take(which[0], from)
	}
	return nil
}

func same(a, b draft.Command) bool { return a.Line == b.Line && slices.Equal(a.Argv, b.Argv) }

// script takes in the servers and clients of a script.
func (g gathered) script(env Env, name string) error {
	script, err := os.ReadFile(env.path(name))
	if err != nil {
		return noSource("script", name, err)
	}
	found, notes, err := draft.Commands(string(script))
	if err != nil {
		return usageError("%s, %w", name, err)
	}
	from := filepath.Base(name) + " "
	for _, n := range notes {
		g.note(from + n)
	}
	alone := len(g.in.Servers)+len(g.in.Clients) == 0
	servers, clients := 0, 0
	for _, c := range found {
		c.Uncontain()
		switch server, client := g.recognised(c.Argv); {
		case server != engine.Generic:
			g.server(c, from)
			servers++
		case client != engine.Generic:
			g.client(c, from)
			clients++
			if alone && servers > 0 {
				g.in.Pairs = append(g.in.Pairs, [2]int{servers - 1, clients - 1})
			}
		}
	}
	if servers+clients == 0 {
		return &exitError{code: exitUsage, err: fmt.Errorf("%s: no command of a known server or client among %s", name, count(len(found), "command")),
			hint: "give the commands with --server and --client"}
	}
	fmt.Fprintf(env.Stderr, "%s: %s, %s\n", name, count(servers, "server command"), count(clients, "client command"))
	return nil
}

// recognised asks the profiles what a command is, by completing a plan of it alone.
func (g gathered) recognised(argv []string) (server, client string) {
	s, c := &matrix.Server{Variant: matrix.Variant{Argv: argv}}, &matrix.Client{Variant: matrix.Variant{Argv: argv}}
	g.catalog.Complete(&matrix.Plan{Servers: []*matrix.Server{s}, Clients: []*matrix.Client{c}}) // its problems are those of a plan nobody asked for
	return s.Profile, c.Profile
}
