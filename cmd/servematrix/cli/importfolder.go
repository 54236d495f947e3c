package cli

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"

	"servematrix/compare"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
	"servematrix/report"
	"servematrix/result"
)

// importing fills a run folder with samples that were measured elsewhere. Samples go to the disk
// one by one; what the plan and the journal say of them is kept until all are there.
type importing struct {
	folder  journal.Folder
	plan    *matrix.Plan
	servers map[string]bool // ids of those that the plan has
	clients map[string]bool
	highest map[string]int // cell → its highest block; a cell that the plan lacks has none
	taken   map[importPlace]bool
	ended   []journal.Event
	outcome []journal.Ended
	notes   []string // what could not be read
	line    []byte
}

// importPlace is an attempt at a cell: where in the folder a sample lies.
type importPlace struct {
	cell           string
	block, attempt int
}

func newImporting(folder journal.Folder, name string, files []string) *importing {
	return &importing{
		folder: folder,
		plan: &matrix.Plan{Schema: 1, Name: name, Cells: []matrix.Cell{}, Validity: "normal", Imported: &matrix.Imported{Files: files},
			Compare: matrix.Compare{Primary: "output_throughput", MinEffect: 0.02}},
		servers: map[string]bool{}, clients: map[string]bool{}, highest: map[string]int{}, taken: map[importPlace]bool{},
	}
}

// add keeps a sample as it was read; only its place in the folder is ours.
func (i *importing) add(s result.Sample) (err error) {
	cell := i.cellOf(&s)
	at := i.placeOf(cell, &s)
	if i.line, err = s.AppendJSON(i.line[:0]); err != nil {
		return err
	}
	path := i.folder.Path(journal.AttemptName(at.cell, at.block, at.attempt), journal.SampleFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path, i.line, 0o600); err != nil {
		return err
	}
	i.ended = append(i.ended, journal.Event{Type: journal.SampleEnded, Cell: at.cell, Block: at.block, Attempt: at.attempt})
	i.outcome = append(i.outcome, journal.Ended{Status: s.Status, Failure: s.Failure, Reasons: codesOf(s.Validity), SHA256: journal.Digest(i.line), Final: true})
	return nil
}

func codesOf(v *result.Validity) (codes []string) {
	if v == nil {
		return nil
	}
	for _, r := range v.Reasons {
		codes = append(codes, r.Reason)
	}
	return codes
}

// cellOf gives the sample's cell, which the plan has from now on.
func (i *importing) cellOf(s *result.Sample) string {
	server, client := compare.Identity(s)
	on, by := importedVariant(s.Server, server), importedVariant(s.Client, client)
	cell := matrix.CellID(on.ID, by.ID)
	if _, known := i.highest[cell]; known {
		return cell
	}
	i.highest[cell] = 0
	i.plan.Cells = append(i.plan.Cells, matrix.Cell{ID: cell, Server: on.ID, Client: by.ID})
	if !i.servers[on.ID] {
		i.servers[on.ID] = true
		i.plan.Servers = append(i.plan.Servers, &matrix.Server{Variant: on})
	}
	if !i.clients[by.ID] {
		i.clients[by.ID] = true
		i.plan.Clients = append(i.plan.Clients, &matrix.Client{Variant: by})
	}
	return cell
}

// importedVariant is what is known of one side.
func importedVariant(side *result.Side, identity string) matrix.Variant {
	if side == nil {
		side = &result.Side{}
	}
	name := cmp.Or(side.Name, matrix.Nameless)
	return matrix.Variant{ID: matrix.ImportedID(name, identity), Name: name, Axes: side.Axes, Argv: side.Argv, Env: side.Env}
}

// placeOf finds a place for a sample: its own block and attempt where it tells them and no other
// has them, else the next block. The sample itself goes on saying what it said.
func (i *importing) placeOf(cell string, s *result.Sample) importPlace {
	at := importPlace{cell, s.Block, max(s.Attempt, 1)}
	if at.block < 1 || i.taken[at] {
		at.block, at.attempt = i.highest[cell]+1, 1
	}
	i.taken[at] = true
	i.highest[cell] = max(i.highest[cell], at.block)
	return at
}

// finish writes plan and journal and draws the reports.
func (i *importing) finish(env Env) error {
	plan, err := os.OpenFile(i.folder.Path(journal.PlanFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := cmp.Or(i.plan.WriteJSON(plan), plan.Close()); err != nil {
		return err
	}
	if err := i.tell(env); err != nil {
		return err
	}
	live, err := report.Open(i.folder, i.plan, i.folder.Events())
	if err != nil {
		return err
	}
	return live.Close()
}

// tell writes the journal: one session that began and ended with the import.
func (i *importing) tell(env Env) error {
	if err := os.WriteFile(i.folder.Path(journal.EventsFile), nil, 0o600); err != nil {
		return err
	}
	w, err := i.folder.Append(journal.End{})
	if err != nil {
		return err
	}
	err = i.write(env, w)
	return cmp.Or(err, w.Close())
}

func (i *importing) write(env Env, w *journal.Writer) error {
	info := journal.Session{Version: versionString(), Argv: append([]string{"servematrix"}, env.Args...), Dir: env.Dir, Cells: len(i.plan.Cells), Plan: 1}
	info.Host, _ = os.Hostname() // where it was imported; nothing hangs on it
	for _, n := range i.highest {
		info.Blocks = max(info.Blocks, n)
	}
	var err error
	if info.PlanSHA256, err = digest(i.folder.Path(journal.PlanFile)); err != nil {
		return err
	}
	if _, err := w.Begin(info); err != nil {
		return err
	}
	for _, note := range i.notes {
		if _, err := w.Write(journal.Event{Type: journal.Warning}, journal.Note{Message: note}, false); err != nil {
			return err
		}
	}
	last := map[orchestrator.Unit]string{}
	for n, e := range i.ended {
		if _, err := w.Write(e, i.outcome[n], false); err != nil {
			return err
		}
		last[orchestrator.Unit{Cell: e.Cell, Block: e.Block}] = i.outcome[n].Status
	}
	_, err = w.Write(journal.Event{Type: journal.RunEnded}, verdictOf(last), true)
	return err
}

func verdictOf(last map[orchestrator.Unit]string) (v journal.Verdict) {
	for _, status := range last {
		switch status {
		case result.StatusOK:
			v.OK++
		case result.StatusInvalid:
			v.Invalid++
		case result.StatusSkipped:
			v.Skipped++
		default:
			v.Failed++
		}
	}
	if v.OK < len(last) {
		v.ExitCode = exitCellsFailed
	}
	return v
}

// makeImported makes the run folder dir whole or not at all: fill is given a folder of its name
// under a dot name beside its place.
func makeImported(dir string, fill func(journal.Folder) error) error {
	if _, err := os.Lstat(dir); err == nil {
		return fs.ErrExist
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return err
	}
	inner := filepath.Join(tmp, filepath.Base(dir)) // reports name the folder that they are drawn from
	err = os.Mkdir(inner, 0o700)
	if err == nil {
		err = fill(journal.Folder(inner))
	}
	if err == nil {
		err = os.Rename(inner, dir)
	}
	return cmp.Or(err, os.RemoveAll(tmp))
}
