package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"servematrix/effective"
	"servematrix/matrix"
	"servematrix/result"
)

// Source is what one run folder, or one import, holds.
type Source struct {
	// Name is the source as the user named it; with several sources it names an arm.
	Name string
	// Samples are all samples, oldest first. Their commands can hold ${{ late.port }} and the
	// like: what differs from start to start of the same variant is no difference of arms.
	Samples []*result.Sample
	// Cells are the ids of the plan's cells in its order; nil where there is no plan. It orders
	// the result and nothing else.
	Cells []string
	// Around gives what is known around a sample besides its commands: host, driver, versions,
	// the server's effective configuration. It can be nil, and what it gives is shared: the
	// same pointer means the same facts.
	Around func(*result.Sample) *Facts
	// Settings are what the sweep says under compare; nil where there is no sweep.
	Settings *matrix.Compare
	// Smoke is true of a rehearsal, whose numbers are no measurement.
	Smoke bool
}

// Fact is one thing that is known: Kind is the group that it belongs to ("host", "driver",
// "effective" …), Name the thing ("kernel"), Value its value as text.
type Fact struct{ Kind, Name, Value string }

// Facts are what is known around a server start.
type Facts struct {
	// List are facts, each Kind and Name once.
	List []Fact
	// Host are facts of the machine, for starts of which no Server is known: that tells its host itself.
	Host []Fact
	// Server is what the server really ran with; nil where nobody knows.
	Server *effective.Config
}

// cell is one server variant under one workload in one source.
type cell struct {
	source         int
	place          int // in the order of the result
	server, client *result.Side
	samples        []measured
}

// measured is a sample with its place in time: its number among those of its source.
type measured struct {
	*result.Sample
	at int
}

var nobody = &result.Side{}

// cellsOf sorts samples by what was measured. Where a sample tells no cell, its names and
// commands stand for it, and where the client's command is not known either, what its output
// reveals of the configuration and the load.
func cellsOf(sources []Source) []*cell {
	var all []*cell
	for i, src := range sources {
		byID := make(map[string]*cell, len(src.Cells))
		order := make(map[string]int, len(src.Cells))
		for n, id := range src.Cells {
			order[id] = n
		}
		base := len(all)
		for at, s := range src.Samples {
			server, client := sidesOf(s)
			id := s.Cell
			if id == "" {
				server, client := Identity(s)
				id = "\x00" + server + "\x00" + client
			}
			c := byID[id]
			if c == nil {
				c = &cell{source: i, server: server, client: client, place: len(src.Cells) + len(byID)}
				if n, ok := order[id]; ok {
					c.place = n
				}
				byID[id] = c
				all = append(all, c)
			}
			c.samples = append(c.samples, measured{s, at})
		}
		sortByPlace(all[base:])
	}
	return all
}

func sidesOf(s *result.Sample) (server, client *result.Side) {
	server, client = nobody, nobody
	if s.Server != nil {
		server = s.Server
	}
	if s.Client != nil {
		client = s.Client
	}
	return server, client
}

// Identity gives what tells the server variant and the workload of a sample without a cell from
// those of others: samples that are equal in both measured the same.
func Identity(s *result.Sample) (server, client string) {
	on, by := sidesOf(s)
	server, client = identity(on), identity(by)
	if by.ID == "" && len(by.Argv) == 0 {
		client += "\x00" + revealed(s, by)
	}
	return server, client
}

// revealed is what an output tells of its client's configuration and load.
func revealed(s *result.Sample, client *result.Side) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(client.Config)) {
		if !passing[name] {
			fmt.Fprintf(&b, "%s=%v\x00", name, client.Config[name])
		}
	}
	for _, l := range loads {
		if v, ok := s.Metrics.Get(l.metric); ok {
			fmt.Fprintf(&b, "\x01%s=%v", l.word, v)
		}
	}
	return b.String()
}
