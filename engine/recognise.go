package engine

import (
	"slices"
	"strings"

	"servematrix/command"
)

// fit tells whether the match recognises a reading and how specific it is; 0: it does not.
func (m Match) fit(r command.Reading) int {
	if !strings.HasPrefix(m.Command, r.Program()) {
		return 0
	}
	words := strings.Fields(m.Command)
	if len(words) == 0 || len(r.Words) < len(words) || r.Program() != words[0] || !slices.Equal(words[1:], r.Words[1:len(words)]) || !allHold(m.When, r.Args()[len(words)-1:]) {
		return 0
	}
	return 10*len(words) + len(m.When)
}

// best is the most specific fit of the matches to a reading.
func best(matches []Match, r command.Reading) int {
	most := 0
	for _, m := range matches {
		most = max(most, m.fit(r))
	}
	return most
}

// recogniseServer gives the profile that fits a command best, nil if none does.
func (c *Catalog) recogniseServer(argv []string) *ServerProfile {
	p, _ := recognise(command.Readings(argv), c.servers, func(p *ServerProfile) []Match { return p.Match })
	return p
}

// ClientOf gives the client profile that fits a command best, nil where none does.
func (c *Catalog) ClientOf(argv []string) *ClientProfile { return c.recogniseClient(argv) }

func (c *Catalog) recogniseClient(argv []string) *ClientProfile {
	p, _ := recognise(command.Readings(argv), c.clients, func(p *ClientProfile) []Match { return p.Match })
	return p
}

// recognise gives the profile that fits one of the readings of a command, and that reading.
func recognise[T any](readings []command.Reading, all []*T, matches func(*T) []Match) (*T, command.Reading) {
	for _, r := range readings {
		var found *T
		most := 0
		for _, p := range all {
			if fit := best(matches(p), r); fit > most {
				found, most = p, fit
			}
		}
		if found != nil {
			return found, r
		}
	}
	return nil, command.Reading{}
}

// reading reads a command as the matches recognise it; where they do not, as is most likely.
func reading(argv []string, matches []Match) command.Reading {
	for _, r := range command.Readings(argv) {
		if best(matches, r) > 0 {
			return r
		}
	}
	return command.Read(argv)
}

// arguments gives the arguments of the recognised program within argv.
func arguments(argv []string, matches []Match) command.Args { return reading(argv, matches).Args() }
