package effective

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Difference is one thing in which two servers differ. What is such as "version",
// "args.attention_backend", "env.NCCL_DEBUG", "host.drivers" or "/server_info.dtype"; A and B are
// the values, "" where one has none.
type Difference struct {
	What string `json:"what"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Spread is one thing in which some of several servers differ; Values are in the order of the
// servers, "" for one that has none.
type Spread struct {
	What   string
	Values []string
}

// Diff lists in what two servers differ, sorted by name, less what differs between any two
// starts. What only one of them was asked over HTTP, or has told, is no difference.
func Diff(a, b *Config) []Difference {
	var out []Difference
	for _, s := range Across([]*Config{a, b}) {
		out = append(out, Difference{s.What, s.Values[0], s.Values[1]})
	}
	return out
}

// Across lists in what servers differ, as Diff does.
func Across(servers []*Config) []Spread {
	flat := make([]map[string]string, len(servers))
	names := map[string]bool{}
	for i, c := range servers {
		flat[i] = c.flat()
		for name := range flat[i] {
			names[name] = true
		}
	}
	silent := silent(servers)
	var out []Spread
	for _, name := range sorted(names) {
		if slices.ContainsFunc(silent, func(path string) bool { return strings.HasPrefix(name, path+".") }) {
			continue
		}
		values := make([]string, len(flat))
		var told []string
		for i := range flat {
			value, ok := flat[i][name]
			if ok {
				told = append(told, value)
			}
			values[i] = value
		}
		untold := len(told) < len(flat) && name != "version" && !strings.HasPrefix(name, "host.") // of these, not known is not different
		if untold || slices.ContainsFunc(told, func(v string) bool { return v != told[0] }) {
			out = append(out, Spread{name, values})
		}
	}
	return out
}

// silent gives the paths that not all of them answered, and "args" where one printed none.
func silent(servers []*Config) (paths []string) {
	answered := map[string]int{}
	for _, c := range servers {
		if len(c.Args) > 0 {
			answered["args"]++
		}
		for path := range c.Info {
			answered[path]++
		}
	}
	for path, n := range answered {
		if n < len(servers) {
			paths = append(paths, path)
		}
	}
	return paths
}

// AnotherServer tells whether numbers of the two must not be averaged: another engine, version,
// argument, processor or device. The rest (host name, kernel, driver, environment) is to be
// known, and may be without effect.
func (d Difference) AnotherServer() bool {
	top, _, _ := strings.Cut(d.What, ".")
	return top == "engine" || top == "version" || top == "args" || strings.HasPrefix(top, "/") || d.What == "host.devices" || d.What == "host.cpu"
}

// String is such as `args.attention_backend: fa3 → triton`.
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s → %s", d.What, orNone(d.A), orNone(d.B))
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// flat is everything that counts, by its dotted name.
func (c *Config) flat() map[string]string {
	out := map[string]string{}
	set := func(name, value string) {
		if value != "" {
			out[name] = value
		}
	}
	set("engine", c.Engine)
	set("version", c.Version)
	set("host.name", c.Host.Name)
	set("host.kernel", c.Host.Kernel)
	set("host.cpu", c.Host.CPU)
	set("host.devices", strings.Join(c.Host.Devices, ", "))
	set("host.drivers", strings.Join(c.Host.Drivers, ", "))
	for name, value := range c.Env {
		set("env."+name, value)
	}
	c.spread(out, "args", "", c.Args)
	for path, answer := range c.Info {
		c.spread(out, path, "", answer)
	}
	return out
}

// spread puts the members of a value under their dotted names; what varies is left out, and a UUID
// is as good as any other.
func (c *Config) spread(out map[string]string, prefix, name string, value any) {
	if name != "" && c.varies(name) {
		return
	}
	if members, ok := value.(map[string]any); ok && (len(members) > 0 || name == "") {
		for key, inner := range members {
			inside := key
			if name != "" {
				inside = name + "." + key
			}
			c.spread(out, prefix, inside, inner)
		}
		return
	}
	text := written(value)
	if anyUUID.MatchString(text) {
		text = "(a UUID)"
	}
	out[prefix+"."+name] = text
}

// anyUUID is an identity that an engine gave itself, such as vLLM's engine_id, with the rank that it
// adds where there are several. Two starts of one command never have the same, so that it is there
// counts and not which it is.
var anyUUID = regexp.MustCompile(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?:_dp\d+)?$`)

func (c *Config) varies(name string) bool {
	return slices.ContainsFunc(c.Varies, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return err == nil && ok
	})
}

// written is a value as people and comparisons read it: 0.9 is 0.9 whether it came as a Python
// literal or as JSON.
func written(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case string:
		return v
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSpace(out.String())
}
