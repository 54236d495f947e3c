package report

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/page"
	"servematrix/result"
)

// importedMost is how many files are named where a report says what was imported.
const importedMost = 5

// importedFrom names the files of an import, and how many more there are.
func (t *tally) importedFrom() (named string, more int) {
	files := t.plan.Imported.Files
	first := files[:min(len(files), importedMost)]
	return strings.Join(first, ", "), len(files) - len(first)
}

// importedLine says in one line when the samples were imported, and from which files.
func (t *tally) importedLine(words words) string {
	named, more := t.importedFrom()
	if more > 0 {
		named += fmt.Sprintf(words.moreFiles, more)
	}
	return fmt.Sprintf(words.imported, stamp(t.began), visible(named))
}

func (p *paging) importedPage() *page.Import {
	if p.plan.Imported == nil {
		return nil
	}
	named, more := p.importedFrom()
	return &page.Import{Files: visible(named), More: more}
}

// sourceOf says where a sample was read; "" of one that was not imported.
func sourceOf(s *result.Source) string {
	switch {
	case s == nil:
		return ""
	case s.Line > 0:
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return s.File
}

// readAt is where an imported sample was read. One that a run measured tells its place in that run.
func readAt(s *result.Sample) *result.Source {
	switch {
	case s.Source != nil:
		return s.Source
	case s.Run != "" && s.Cell != "":
		return &result.Source{File: filepath.Join(s.Run, journal.AttemptName(s.Cell, s.Block, s.Attempt))}
	}
	return &result.Source{}
}

// importedSection is what stands below the banner of an imported sample in place of what its client
// printed: where it was read, and the commands, where it tells them.
func (d *drawer) importedSection(e happening, s *result.Sample) {
	c := d.cells[e.Cell]
	if at := sourceOf(readAt(s)); at != "" {
		d.printf("[%s] %s\n", d.words.source, visible(at))
	}
	if v := d.servers[c.Server]; v != nil && len(v.Argv) > 0 {
		d.printf("[SERVER] %s\n", commandLine(nil, v.Env, v.Argv))
	}
	if v := d.clients[c.Client]; v != nil && len(v.Argv) > 0 {
		d.printf("[CLIENT] %s\n", commandLine(nil, v.Env, v.Argv))
	}
}

// attemptPlace is where what is known of an attempt lies: its folder in the run, or where it was read.
func attemptPlace(row Row) string {
	if row.Source != nil {
		return sourceOf(row.Source)
	}
	return journal.AttemptName(row.Cell, row.Block, row.Attempt)
}

// imported tells of the rows of an import: each was read somewhere, and none has a block or attempt
// of its own.
func imported(rows []Row) bool { return len(rows) > 0 && rows[0].Source != nil }

// byName tells which sides of an import go by their names in place of axes, because no variant has
// any. compare knows them by the same word (server=NAME).
func (t *tally) byName() (servers, clients bool) {
	if t.plan.Imported == nil {
		return false, false
	}
	servers = !slices.ContainsFunc(t.plan.Servers, func(s *matrix.Server) bool { return len(s.Axes) > 0 })
	clients = !slices.ContainsFunc(t.plan.Clients, func(c *matrix.Client) bool { return len(c.Axes) > 0 })
	return servers, clients
}

// serverAxes and clientAxes are those of a variant as the page has them.
func (p *paging) serverAxes(s *matrix.Server) matrix.Axes {
	if servers, _ := p.byName(); servers {
		return matrix.Axes{{Name: "server", Value: s.Name}}
	}
	return s.Axes
}

func (p *paging) clientAxes(c *matrix.Client) matrix.Axes {
	if _, clients := p.byName(); clients {
		return matrix.Axes{{Name: "client", Value: c.Name}}
	}
	return c.Axes
}

// unloaded takes the load from cells that make no curve: those of a server that nobody names, and
// those of one that several workloads asked for the same, which are then of more kinds than their load tells.
func unloaded(cells []page.Cell) {
	seen, mixed := map[string]bool{}, map[string]bool{matrix.Nameless: true}
	for _, c := range cells {
		at := fmt.Sprintf("%v %q", c.Load, c.Server) // as text, because a load that nobody knows equals none
		mixed[c.Server] = mixed[c.Server] || seen[at]
		seen[at] = true
	}
	for i := range cells {
		if mixed[cells[i].Server] {
			cells[i].Load = page.Load{Concurrency: math.NaN(), Rate: math.NaN()}
		}
	}
}

// ending is a path without its first folders, where it is long.
func ending(path string) string {
	const most = 40
	for utf8.RuneCountInString(path) > most {
		_, rest, ok := strings.Cut(strings.TrimPrefix(path, "…/"), "/")
		if !ok {
			break
		}
		path = "…/" + rest
	}
	return path
}

// sourceNote puts where the samples of a cell were read behind its note.
func sourceNote(n page.Text, rows []Row) page.Text {
	first := ending(sourceOf(rows[0].Source))
	if first == "" {
		return n
	}
	add := func(note, text string) string {
		if note != "" {
			note += ", "
		}
		return note + visible(text)
	}
	if more := len(rows) - 1; more > 0 {
		first += " …"
	}
	return page.Text{EN: add(n.EN, first), ZH: add(n.ZH, first)}
}
