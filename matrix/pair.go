package matrix

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// filtered is how many times max_cells the product may be when rules take rows
// out of it: what they leave is known only when they have been asked.
const filtered = 100

// tooMany reports a product that is too large, before a row of it is made.
func (sw *sweep) tooMany(server, client *loadedSide, pair *pairRule) bool {
	limit := sw.plan.Run.MaxCells
	n := multiply(server.size(), client.size())
	allowed := limit
	if pair != nil || len(server.excludes)+len(client.excludes) > 0 {
		allowed = multiply(limit, filtered)
	}
	// A side alone is bounded too: the other may turn out empty.
	if n <= allowed && server.size() <= allowed && client.size() <= allowed {
		return false
	}
	at := server.node
	if client.size() > server.size() {
		at = client.node
	}
	sw.reportTooMany(at, n, server.size(), client.size(), "")
	return true
}

func (sw *sweep) reportTooMany(at *yaml.Node, n, servers, clients int, when string) {
	sw.fail(at, "too-many-cells", "take values out, or raise it with run: {max_cells: …}",
		"%s server variants × %s workloads are %s cells%s, more than max_cells (%s)", count(servers), count(clients), count(n), when, count(sw.plan.Run.MaxCells))
}

// count writes a number with its thousands apart; the largest stands for "too many to count".
func count(n int) string {
	s := fmt.Sprint(n)
	if n > 1e15 {
		return "more than 1e15"
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// expandAll makes variants and cells.
func (sw *sweep) expandAll(server, client *loadedSide, pair *pairRule) {
	if sw.tooMany(server, client, pair) {
		return
	}
	vault := newVault(sw.source)
	vault.literals = sw.literals()
	digests := map[string]digest{}
	variants := map[string][]*draft{}
	for _, sd := range []*loadedSide{server, client} {
		if !sd.ok || !sd.expand() || sd.recipe == nil {
			continue
		}
		b := &builder{recipe: sd.recipe, vault: vault, digests: digests, ids: identifier{src: sw.source, parts: map[string]string{}}}
		variants[sd.name] = b.buildAll()
	}
	p := sw.plan
	for _, d := range variants["server"] {
		p.Servers = append(p.Servers, d.server)
	}
	for _, d := range variants["client"] {
		p.Clients = append(p.Clients, d.client)
	}
	if sw.errors > 0 {
		return
	}
	sw.pairUp(server, client, pair)
	p.Dropped = append(append(excludedRows(server), excludedRows(client)...), p.Dropped...)
}

func excludedRows(sd *loadedSide) []Dropped {
	out := make([]Dropped, 0, len(sd.dropped))
	for _, d := range sd.dropped {
		out = append(out, Dropped{Axes: sd.axesOf(d.vals), Rule: sd.name + ".exclude: " + d.rule.String(), At: sd.nm.src.pos(d.rule.node)})
	}
	return out
}

// pairUp makes the cells: by server, then by client.
func (sw *sweep) pairUp(server, client *loadedSide, pair *pairRule) {
	p := sw.plan
	slugs, hexes := make([]string, len(p.Clients)), make([]string, len(p.Clients))
	for i, c := range p.Clients {
		slugs[i], hexes[i] = slugOf(c.ID), Hex(c.ID)
	}
	if pair == nil {
		p.Cells = make([]Cell, 0, len(p.Servers)*len(p.Clients))
	}
	rule := ""
	if pair != nil {
		reason := pair.why
		if reason == "" {
			reason = "not " + strings.TrimSpace(pair.when.src)
		}
		rule = "pair.when: " + reason
	}
	for i, s := range p.Servers {
		sSlug, sHex := slugOf(s.ID), Hex(s.ID)
		before := len(p.Cells)
		for k, c := range p.Clients {
			if pair != nil {
				in := rows{server.rows[i].vals, client.rows[k].vals}
				keep, failed := pair.when.truth(in)
				if failed != nil {
					sw.reportEval(failed, in, func(in rows) string {
						return strings.TrimSpace(server.describe(in) + " " + client.describe(rows{own: in.other}))
					})
					return
				}
				if !keep {
					axes := append(append(make(Axes, 0, len(s.Axes)+len(c.Axes)), s.Axes...), c.Axes...)
					p.Dropped = append(p.Dropped, Dropped{Axes: axes, Rule: rule, At: sw.pos(pair.node)})
					continue
				}
			}
			p.Cells = append(p.Cells, Cell{cellID(sSlug, sHex, slugs[k], hexes[k]), s.ID, c.ID})
		}
		switch cells := len(p.Cells) - before; {
		case s.Isolation != "launch":
			p.Launches += cells * p.Run.Blocks
		case cells > 0:
			p.Launches += p.Run.Blocks
		}
	}
	sw.checkPairs(server, pair)
	sw.checkOrder()
}

// checkOrder warns of blocks that do not protect a comparison from drift: their order is
// the default, which was made for one block.
func (sw *sweep) checkOrder() {
	if sw.unordered == nil || len(sw.plan.Servers) < 2 {
		return
	}
	sw.warn(sw.unordered, "blocks-grouped", "write order: blocked (or order: grouped, if that is meant)",
		"%d blocks in grouped order: all starts of one server come before those of the next, so what drifts meanwhile looks like a difference between them", sw.plan.Run.Blocks)
}

// checkPairs reports a plan without cells, with too many, and a pair.when that does nothing.
func (sw *sweep) checkPairs(server *loadedSide, pair *pairRule) {
	p := sw.plan
	switch {
	case len(p.Cells) == 0:
		sw.fail(pair.node, "empty", "", "no cell is left: pair.when holds for no pair of server and client")
	case len(p.Cells) > p.Run.MaxCells:
		sw.reportTooMany(server.node, len(p.Cells), len(p.Servers), len(p.Clients), " after all rules")
	case pair != nil && len(p.Cells) == len(p.Servers)*len(p.Clients):
		at := pair.when
		sw.report(Problem{Pos: sw.at(at.node, at.off), Len: utf8.RuneCountInString(at.src), Severity: Warning, Rule: "rule-matches-nothing",
			Message: "pair.when holds for every pair, so it takes nothing out"})
	}
}
