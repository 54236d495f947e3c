package result

import (
	"path/filepath"
	"strconv"
)

// emitter makes samples of the measurements of one client's output as they come. It holds one
// back, because how the client ended belongs to the last.
type emitter struct {
	client *Side
	server *Side
	each   func(Sample) error
	held   *Measurement
	n      int
}

// take is given the next measurement.
func (e *emitter) take(m *Measurement) error {
	last := e.held
	e.held = m
	if last == nil {
		return nil
	}
	return e.emit(last, nil)
}

// finish emits the last measurement, with how the client ended.
func (e *emitter) finish(end *Failure) error {
	if e.held == nil {
		return nil
	}
	last := e.held
	e.held = nil
	return e.emit(last, end)
}

func (e *emitter) emit(m *Measurement, end *Failure) error {
	var s Sample
	client := *e.client
	if e.n++; e.n > 1 {
		client.Name = client.Name + "#" + strconv.Itoa(e.n)
	}
	s.Client = &client
	if e.server != nil {
		server := *e.server
		s.Server = &server
	}
	s.settle(m, end)
	return e.each(s)
}

// sideOf names the client by its file, where its name is not known otherwise.
func (i *importer) sideOf(path string) *Side { return &Side{Name: i.names.of(placeOf(path))} }

// placeOf is the path by which a file's samples are named: that without its ending, or the folder
// where the file's name says nothing.
func placeOf(path string) string {
	stem, _ := roleOf(filepath.Base(path))
	return filepath.Join(filepath.Dir(path), stem)
}
