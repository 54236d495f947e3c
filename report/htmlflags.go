package report

import (
	"strings"

	"servematrix/engine"
	"servematrix/matrix"
	"servematrix/page"
)

// clientFlags gives each cell of the plan the flags of its client's command. They tell which
// workloads differ in more than their load.
func (p *paging) clientFlags() map[string][]page.Flag {
	read := map[*matrix.Client][]page.Flag{}
	for _, c := range p.plan.Clients {
		if len(c.Argv) > 0 {
			read[c] = flagsOf(c.Argv)
		}
	}
	flags := map[string][]page.Flag{}
	for _, c := range p.plan.Cells {
		flags[c.ID] = read[p.clients[c.Client]]
	}
	return flags
}

func flagsOf(argv []string) (flags []page.Flag) {
	command := engine.Embedded().Read(argv)
	for _, f := range command.Flags() {
		flags = append(flags, page.Flag{Name: visible(f.Name), Value: visible(strings.Join(f.Values, " "))})
	}
	if loose := command.Loose(); len(loose) > 0 {
		flags = append(flags, page.Flag{Value: visible(strings.Join(loose, " "))})
	}
	return flags
}
