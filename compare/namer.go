package compare

import (
	"strings"

	"servematrix/matrix"
)

// namer names pairs by the axes that have more than one value.
type namer struct {
	values   map[string]map[string]bool
	commands commands
}

func (b *book) newNamer() *namer { return &namer{map[string]map[string]bool{}, b.commands} }

func (n *namer) add(axes matrix.Axes) {
	for _, a := range axes {
		if n.values[a.Name] == nil {
			n.values[a.Name] = map[string]bool{}
		}
		n.values[a.Name][a.Value] = true
	}
}

func (n *namer) of(c keyed, how keying) string {
	var parts []string
	for _, a := range c.axes {
		if len(n.values[a.Name]) > 1 {
			parts = append(parts, a.Value)
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "/")
	case how.client == onLoad || how.client == onRequests:
		load, _ := n.commands.loadOf(c.cell, loads)
		return load
	case how.client == onNearest:
		return c.server.Name
	case how == keying{onName, onName}:
		return c.server.Name + "/" + c.client.Name
	}
	return c.client.Name
}
