package effective

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
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

// Diff lists in what two servers differ, sorted by name, less what differs between any two
// starts. An answer over HTTP that only one of them has given is no difference.
func Diff(a, b *Config) []Difference {
	x, y := a.flat(), b.flat()
	for _, path := range silent(a, b) {
		for name := range x {
			if strings.HasPrefix(name, path+".") {
				delete(x, name)
			}
		}
		for name := range y {
			if strings.HasPrefix(name, path+".") {
				delete(y, name)
			}
		}
	}
	if a.Version == "" || b.Version == "" { // not known is not different
		delete(x, "version")
		delete(y, "version")
	}
	var out []Difference
	for name, v := range x {
		if w, ok := y[name]; !ok || w != v {
			out = append(out, Difference{name, v, w})
		}
	}
	for name, w := range y {
		if _, ok := x[name]; !ok {
			out = append(out, Difference{name, "", w})
		}
	}
	slices.SortFunc(out, func(a, b Difference) int { return strings.Compare(a.What, b.What) })
	return out
}

// silent gives the paths that only one of the two answered.
func silent(a, b *Config) (paths []string) {
	for path := range a.Info {
		if b.Info[path] == nil {
			paths = append(paths, path)
		}
	}
	for path := range b.Info {
		if a.Info[path] == nil {
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

// spread puts the members of a value under their dotted names; what varies is left out.
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
	out[prefix+"."+name] = written(value)
}

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
