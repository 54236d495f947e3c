package engine

import (
	"strings"
)

// Asked gives the flags of a command: by name, less the hyphens before it and with underscores
// within, the words that follow up to the next flag. Of one that is given twice the last counts.
func (p *ServerProfile) Asked(argv []string) map[string][]string {
	asked := map[string][]string{}
	for _, f := range p.Read(argv).Flags() {
		asked[strings.ReplaceAll(strings.TrimLeft(f.Name, "-"), "-", "_")] = f.Values
	}
	return asked
}
