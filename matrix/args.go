package matrix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// arg is one key of an args (or bench) map: a flag with its value.
//
//	true            --flag
//	false, null     left out, like an empty list
//	[a, b]          --flag a b
//	{repeat: [a,b]} --flag a --flag b
//	{k: v}          --flag '{"k":v}', one compact JSON argument
//	anything else   --flag value
type arg struct {
	key    *yaml.Node
	flag   string
	value  *tree
	repeat bool
	on     bool // it is on by itself, so that false is to be said; a test of package engine holds which are
}

// loadArgs reads an args map; false after reporting what is wrong. A key without
// dashes gets two.
func (nm *names) loadArgs(n *yaml.Node, what string) ([]arg, bool) {
	m := nm.src.keyed(n, what)
	if m == nil {
		return nil, false
	}
	ok := m.ok
	var out []arg
	for _, e := range m.entries {
		a := arg{key: e.key, flag: e.name}
		if strings.TrimLeft(e.name, "-") == "" || strings.ContainsAny(e.name, " \t\n=") || strings.Contains(e.name, opener) {
			nm.src.fail(e.key, "bad-name", "write the flag alone, its value after the colon", "%q is no flag", e.name)
			ok = false
			continue
		}
		if !strings.HasPrefix(a.flag, "-") {
			a.flag = "--" + a.flag
		}
		val := e.value
		if inner := repeated(val); inner != nil {
			a.repeat, val = true, inner
		}
		a.value = nm.compileTree(val)
		ok = ok && a.value != nil
		out = append(out, a)
	}
	return out, ok
}

// repeated gives the list of {repeat: list}, nil for anything else.
func repeated(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == "repeat" {
		return deref(n.Content[1])
	}
	return nil
}

// words gives the words of a flag for a row.
func (a *arg) words(argv []string, in rows) ([]string, *evalError) {
	v, failed := a.value.eval(in)
	if failed != nil {
		return nil, failed
	}
	wrong := func(message string) ([]string, *evalError) {
		return nil, &evalError{node: a.key, n: len([]rune(a.key.Value)), rule: "wrong-type", message: message}
	}
	switch v.kind {
	case null:
		return argv, nil
	case scalar:
		if on, isBool := v.typed.(bool); isBool && !v.late {
			if on {
				argv = append(argv, a.flag)
			} else if a.on {
				argv = append(argv, a.flag+"=false")
			}
			return argv, nil
		}
		return append(argv, a.flag, v.text), nil
	case object:
		text, err := compactJSON(v)
		if err != nil {
			return wrong(a.flag + ": " + err.Error())
		}
		return append(argv, a.flag, text), nil
	}
	for i, item := range v.items {
		text := item.text
		switch {
		case item.kind == object:
			var err error
			if text, err = compactJSON(item); err != nil {
				return wrong(a.flag + ": " + err.Error())
			}
		case item.kind != scalar:
			return wrong(fmt.Sprintf("a value of %s is %s; only single values can be words", a.flag, item.kind))
		}
		if i == 0 || a.repeat {
			argv = append(argv, a.flag)
		}
		argv = append(argv, text)
	}
	return argv, nil
}

// compactJSON writes a value as JSON with its keys in order and its numbers as they
// are written, where JSON can say them so. Run-time placeholders stay inside of strings.
func compactJSON(v *value) (string, error) {
	var b bytes.Buffer
	err := appendJSON(&b, v)
	return b.String(), err
}

func appendJSON(b *bytes.Buffer, v *value) error {
	switch v.kind {
	case null:
		b.WriteString("null")
	case list:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := appendJSON(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case object:
		b.WriteByte('{')
		for i, k := range v.keys {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := jsonText(b, escape(k)); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := appendJSON(b, v.field[k]); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	default:
		if _, isText := v.typed.(string); isText || v.late {
			return jsonText(b, v.text)
		}
		if json.Valid([]byte(v.text)) {
			b.WriteString(v.text)
			return nil
		}
		text, err := json.Marshal(v.typed)
		if err != nil {
			return fmt.Errorf("%s cannot be written as JSON", v.text)
		}
		b.Write(text)
	}
	return nil
}

func jsonText(b *bytes.Buffer, s string) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line end that Encode adds
	return nil
}

// loadBench reads bench:, the flags of the embedded client; underscores are dashes.
// The server's address is added unless one is given.
func (nm *names) loadBench(n *yaml.Node) ([]word, []arg, bool) {
	args, ok := nm.loadArgs(n, "bench")
	addressed := false
	seen := map[string]*yaml.Node{}
	for i := range args {
		args[i].flag = strings.ReplaceAll(args[i].flag, "_", "-")
		if first := seen[args[i].flag]; first != nil {
			s, key := nm.src, args[i].key
			s.report(Problem{Pos: s.pos(key), Len: s.width(key), Rule: "duplicate-key", Message: fmt.Sprintf("the keys %q and %q are the same flag", first.Value, key.Value),
				Suggestion: "keep one of them", Also: []Pos{s.pos(first)}})
			ok = false
		}
		seen[args[i].flag] = args[i].key
		switch args[i].flag {
		case "--base-url", "--host", "--port":
			addressed = true
		case "--ignore-eos", "--use-trace-timestamps":
			args[i].on = true
		}
	}
	if !addressed {
		url := &tree{node: textNode(n), fixed: lateValue("server.url")}
		args = append(args, arg{key: n, flag: "--base-url", value: url})
	}
	words := []word{{n, []part{{text: "servematrix"}}}, {n, []part{{text: "bench"}}}}
	return words, args, ok
}
