package matrix

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// builder makes variants of rows.
type builder struct {
	*recipe
	vault   *vault
	ids     identifier
	digests map[string]digest // of listed files, by path
}

// digest is what a listed file hashes to.
type digest struct {
	sum string
	err error
}

// build makes the variant of one row; nil after reporting what is wrong.
func (b *builder) build(r row) *draft {
	s := b.sd.nm.src
	before := s.errors
	in := rows{own: r.vals}
	d := b.copyBase()
	for _, set := range b.perRow {
		v, failed := set.tree.eval(in)
		if failed != nil {
			s.reportEval(failed, in, b.sd.describe)
			continue
		}
		b.apply(set, d, v, in)
	}
	if failed := b.program(d, in); failed != nil {
		s.reportEval(failed, in, b.sd.describe)
		return nil
	}
	if failed := b.environment(d, in); failed != nil {
		s.reportEval(failed, in, b.sd.describe)
	}
	if failed := b.listedFiles(d, in); failed != nil {
		s.reportEval(failed, in, b.sd.describe)
	}
	if s.errors > before {
		return nil
	}
	d.Axes = b.sd.axesOf(r.vals)
	d.Name = variantName(d.Axes)
	d.At = s.pos(b.node)
	d.Added = Added{Argv: []string{}, Env: map[string]string{}}
	return &d
}

func variantName(axes Axes) string {
	if len(axes) == 0 {
		return "default"
	}
	if len(axes) == 1 {
		return axes[0].Value
	}
	ids := make([]string, len(axes))
	for i, a := range axes {
		ids[i] = a.Value
	}
	return strings.Join(ids, "/")
}

// program resolves the command.
func (b *builder) program(d draft, in rows) *evalError {
	if b.script != nil {
		text, failed := b.script.render(in, b.vault.keep)
		if failed != nil {
			return failed
		}
		d.Argv, d.Shell = []string{"bash", "-c", b.vault.shown(text, b.node)}, true
		return nil
	}
	argv := make([]string, 0, len(b.words)+2*len(b.args)+2)
	for i := range b.words {
		var failed *evalError
		if argv, failed = b.words[i].words(argv, in); failed != nil {
			return failed
		}
	}
	for i := range b.args {
		var failed *evalError
		if argv, failed = b.args[i].words(argv, in); failed != nil {
			return failed
		}
	}
	wrong := func(message string) *evalError {
		return &evalError{node: b.node, n: 1, rule: "bad-value", message: message}
	}
	if len(argv) == 0 || argv[0] == "" {
		return wrong("the command has no program: its first word is empty")
	}
	for _, w := range argv {
		if strings.IndexByte(w, 0) >= 0 {
			return wrong("a word of the command holds a zero byte, which no program can be given")
		}
	}
	b.vault.argv(argv, b.node)
	d.Argv = argv
	return nil
}

// words appends what a word yields for a row: one word, or as many as a list has
// that stands there alone.
func (w *word) words(argv []string, in rows) ([]string, *evalError) {
	if len(w.parts) != 1 {
		text, failed := joinParts(w.node, w.parts, in)
		return append(argv, text), failed
	}
	p := w.parts[0]
	if p.ex == nil {
		return append(argv, p.text), nil
	}
	v, failed := p.ex.eval(in)
	if failed != nil {
		return nil, failed
	}
	wrong := func(format string, args ...any) ([]string, *evalError) {
		f := p.ex.failed(0, len([]rune(p.ex.src)), "wrong-type", fmt.Sprintf(format, args...))
		f.also = v.node
		return nil, f
	}
	switch v.kind {
	case scalar:
		return append(argv, v.text), nil
	case null:
		return wrong("this yields nothing (null), which is no word; a flag that can be left out belongs under args")
	case object:
		return wrong("this yields a mapping, which is no word; name a field of it, or give it to a flag under args as JSON")
	}
	for _, item := range v.items {
		if item.kind != scalar {
			return wrong("the list holds %s, which is no word", item.kind)
		}
		argv = append(argv, item.text)
	}
	return argv, nil
}

// environment resolves env and unset.
func (b *builder) environment(d draft, in rows) *evalError {
	d.Env = make(map[string]string, len(b.env))
	d.Unset = b.unset[:len(b.unset):len(b.unset)]
	for _, a := range b.env {
		v, failed := a.value.eval(in)
		switch {
		case failed != nil:
			return failed
		case v.kind == null:
			d.Unset = append(d.Unset, a.name)
		case v.kind != scalar:
			return &evalError{node: a.value.node, n: 1, rule: "wrong-type", message: fmt.Sprintf("%s must be a single value, this is %s", a.name, v.kind)}
		case strings.IndexByte(v.text, 0) >= 0:
			return &evalError{node: a.value.node, n: 1, rule: "bad-value", message: a.name + " holds a zero byte, which no program can be given"}
		default:
			d.Env[a.name] = b.vault.env(a.name, v.text, a.value.node)
		}
	}
	return nil
}

// listedFiles resolves files, and those that bench names, and asks for their digests, once for
// each path.
func (b *builder) listedFiles(d draft, in rows) *evalError {
	for i, t := range slices.Concat(b.files, b.datasets) {
		v, failed := t.eval(in)
		if failed != nil {
			return failed
		}
		if i >= len(b.files) && (v.kind == null || v.late) {
			continue // left out in this row, or known to the run alone
		}
		path, wrong := plainText(v)
		if wrong != "" {
			return &evalError{node: t.node, n: 1, rule: "wrong-type", message: "a file " + wrong}
		}
		got, known := b.digests[path]
		if opt := b.sd.nm.src.opt; !known && opt.Digest != nil {
			got.sum, got.err = opt.Digest(path)
			b.digests[path] = got
		}
		if got.err != nil {
			return &evalError{node: t.node, n: len([]rune(t.node.Value)), rule: "file", message: fmt.Sprintf("cannot read the listed file: %v", got.err)}
		}
		d.Files = append(d.Files, File{path, got.sum})
	}
	return nil
}

// buildAll makes the variants of a side's rows, reports those that are the same
// command twice, and gives them with their places in sd.rows.
func (b *builder) buildAll() []*draft {
	s := b.sd.nm.src
	out := make([]*draft, len(b.sd.rows))
	first := make(map[[32]byte]int, len(b.sd.rows))
	for i, r := range b.sd.rows {
		d := b.build(r)
		if d == nil {
			continue
		}
		out[i] = d
		sum := b.ids.identify(d, b.sd.name)
		if j, twice := first[sum]; twice {
			b.reportTwice(j, i)
			continue
		}
		first[sum] = i
	}
	if s.errors > 0 {
		return nil
	}
	return out
}

// reportTwice reports two rows that yield the same command and environment.
func (b *builder) reportTwice(j, i int) {
	s := b.sd.nm.src
	x, y := b.sd.rows[j], b.sd.rows[i]
	p := Problem{Pos: s.pos(b.node), Len: s.width(b.node), Rule: "duplicate-cell",
		Message: fmt.Sprintf("%s and %s are the same command twice", b.sd.describe(rows{own: x.vals}), b.sd.describe(rows{own: y.vals}))}
	var differ []string
	for k, a := range b.sd.cols.axes {
		if a != nil && x.vals[k].id != y.vals[k].id {
			differ = append(differ, a.name)
			p.Also = append(p.Also, s.pos(a.key))
		}
	}
	p.Suggestion = "take one of the rows out"
	if len(differ) > 0 {
		p.Suggestion = "use " + strings.Join(differ, ", ") + " in the command, in args or in env, or take the axis out"
	}
	if y.added != nil {
		p.Pos, p.Len = s.pos(y.added), 1
	}
	s.reportRow(p)
}

// identifier computes ids; its buffers are reused for every variant.
type identifier struct {
	src                   *source
	argv, env, files, all bytes.Buffer
	parts                 map[string]string // digests of components seen before
}
