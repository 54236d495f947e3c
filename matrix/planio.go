package matrix

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// WriteJSON writes plan.json: one line for each server, client, cell and dropped
// row, so that the files of two plans can be compared line by line. The same plan
// always gives the same bytes. Secret literals are not part of it.
func (p *Plan) WriteJSON(w io.Writer) error {
	b := &planWriter{w: bufio.NewWriterSize(w, 1<<16)}
	b.enc = json.NewEncoder(&b.one)
	b.enc.SetEscapeHTML(false)
	b.text("{\n")
	b.field("schema", p.Schema)
	b.field("name", p.Name)
	writeList(b, "servers", p.Servers)
	writeList(b, "clients", p.Clients)
	writeList(b, "cells", p.Cells)
	writeList(b, "dropped", p.Dropped)
	b.field("launches", p.Launches)
	b.field("run", p.Run)
	b.field("compare", p.Compare)
	b.field("validity", p.Validity)
	b.field("secrets", notNil(p.Secrets))
	b.field("profiles", notNil(p.Profiles))
	b.field("hooks", p.Hooks)
	if p.Imported != nil {
		b.field("imported", p.Imported)
	}
	if p.Smoke != nil {
		b.field("smoke", p.Smoke)
	}
	if len(p.Hints) > 0 {
		b.field("hints", p.Hints)
	}
	b.text("\"lang\": ")
	b.value(p.Lang)
	b.text("\n}\n")
	if b.err == nil {
		b.err = b.w.Flush()
	}
	if b.err != nil {
		return fmt.Errorf("writing the plan: %w", b.err)
	}
	return nil
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// planWriter writes the parts of a plan one after the other, so that a plan of a
// million cells is never held as text; the first error stays.
type planWriter struct {
	w   *bufio.Writer
	one bytes.Buffer // the value that is being written
	enc *json.Encoder
	err error
}

func (b *planWriter) text(s string) {
	if b.err == nil {
		_, b.err = b.w.WriteString(s)
	}
}

func (b *planWriter) value(v any) {
	b.one.Reset()
	if b.err == nil {
		b.err = b.enc.Encode(v)
	}
	if b.err == nil {
		_, b.err = b.w.Write(bytes.TrimSuffix(b.one.Bytes(), []byte("\n")))
	}
}

func (b *planWriter) field(name string, v any) {
	b.text("\"" + name + "\": ")
	b.value(v)
	b.text(",\n")
}

func writeList[T any](b *planWriter, name string, list []T) {
	b.text("\"" + name + "\": [")
	for i := range list {
		if i > 0 {
			b.text(",")
		}
		b.text("\n  ")
		b.value(list[i])
	}
	if len(list) > 0 {
		b.text("\n")
	}
	b.text("],\n")
}

// PlanSchema is the layout of plan.json that this version writes and reads.
const PlanSchema = 1

// ErrNewerPlan says that a plan is of a newer version: what that added cannot be known.
var ErrNewerPlan = errors.New("it is of a newer version of servematrix")

// ReadPlan reads what WriteJSON wrote. Its Literals are empty: who needs them
// parses the sweep again. With ErrNewerPlan comes what this version knows of it, to be shown and not to be run.
func ReadPlan(r io.Reader) (*Plan, error) {
	p := &Plan{}
	if err := json.NewDecoder(r).Decode(p); err != nil {
		return nil, fmt.Errorf("reading the plan: %w", err)
	}
	switch {
	case p.Schema > PlanSchema:
		return p, fmt.Errorf("%w: its schema is %d, this servematrix reads %d", ErrNewerPlan, p.Schema, PlanSchema)
	case p.Schema != PlanSchema:
		return nil, fmt.Errorf("reading the plan: its schema is %d, this servematrix reads %d", p.Schema, PlanSchema)
	}
	return p, nil
}
