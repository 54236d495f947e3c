package orchestrator

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	words "servematrix/command"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/process"
)

// self is the first word of a command that runs this very binary.
const self = "servematrix"

// MarkerEnv is the environment variable that marks the processes of a run.
const MarkerEnv = process.RunMarkerEnv

// late is what fills the placeholders of a variant at run time.
type late struct {
	port, dir, devices, seed string
	url, serverPort          string // of the server, for its clients
}

// command is a variant made ready to run.
type command struct {
	argv  []string          // filled; the first word as the user wrote it
	env   map[string]string // explicit and added, filled
	unset []string
	dir   string
}

// fill puts the late values into a variant's command and environment.
func (r *runner) fill(v *matrix.Variant, l late) (command, error) {
	values := map[string]string{"late.port": l.port, "late.dir": l.dir, "late.devices": l.devices, "late.seed": l.seed, "server.url": l.url, "server.port": l.serverPort}
	lookup := func(name string) (string, bool) { return r.lookup(name, values) }
	c := command{env: map[string]string{}, unset: v.Unset, dir: workDir(v.Dir, r.Dir)}
	for _, word := range slices.Concat(v.Argv, v.Added.Argv) {
		filled, err := matrix.Fill(word, lookup)
		if err != nil {
			return c, fmt.Errorf("%s: %w", v.At, err)
		}
		c.argv = append(c.argv, filled)
	}
	for _, env := range []map[string]string{v.Added.Env, v.Env} { // the user's own come last and win
		for _, name := range slices.Sorted(maps.Keys(env)) {
			filled, err := matrix.Fill(env[name], lookup)
			if err != nil {
				return c, fmt.Errorf("%s: environment %s: %w", v.At, name, err)
			}
			c.env[name] = filled
		}
	}
	return c, nil
}

// lookup gives the value of a placeholder: a late value, a secret variable of
// the environment, or a secret that the sweep spells out.
func (r *runner) lookup(name string, late map[string]string) (string, bool) {
	if key, ok := strings.CutPrefix(name, "env."); ok {
		return r.getenv(key)
	}
	if key, ok := strings.CutPrefix(name, "secret."); ok {
		value, ok := r.Plan.Literals[key]
		return value, ok
	}
	value := late[name]
	return value, value != ""
}

// executed is the command with this binary's path where the word servematrix stands, behind
// wrappers as well.
func (r *runner) executed(c command) []string {
	reading := words.Read(c.argv)
	before, direct := reading.Before(c.argv)
	if !direct || len(reading.Words) == 0 || reading.Words[0] != self || len(before)+len(reading.Words) != len(c.argv) {
		return c.argv
	}
	return slices.Concat(before, []string{r.Exe}, reading.Words[1:])
}

// environ is the environment of a command: that of run, plus the sweep's, less
// unset, plus ours.
func (r *runner) environ(c command) []string {
	env := map[string]string{}
	for _, kv := range r.Environ {
		if name, value, ok := strings.Cut(kv, "="); ok {
			env[name] = value
		}
	}
	maps.Copy(env, c.env)
	for _, name := range c.unset {
		delete(env, name)
	}
	// setproctitle would overwrite the environment by which leftovers are found,
	// and buffered output would hide the ready line.
	env["SPT_NOENV"], env["PYTHONUNBUFFERED"] = "1", "1"
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		env[name] = withLoopback(env[name])
	}
	env[MarkerEnv] = Marker(r.Folder)
	out := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

// withLoopback adds the loopback names to a no_proxy list.
func withLoopback(list string) string {
	const loopback = "127.0.0.1,localhost,::1"
	switch list {
	case "*": // no proxy for anybody
		return list
	case "":
		return loopback
	}
	return list + "," + loopback
}

// Marker names a run in the environment of its processes: by its folder, so that
// whoever finds one can look whether the run lives.
func Marker(folder journal.Folder) string { return string(folder) }

func (r *runner) getenv(name string) (string, bool) {
	for i := len(r.Environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(r.Environ[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// devices is what late.devices stands for: the accelerators that the run was given.
func (r *runner) devices() string {
	for _, name := range []string{"CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"} {
		if v, ok := r.getenv(name); ok && v != "" {
			return v
		}
	}
	return ""
}

// hidden is a command's environment as it may be written.
func (r *runner) hidden(env map[string]string) map[string]string {
	out := make(map[string]string, len(env))
	for name, value := range env {
		out[name] = r.Redactor.String(value)
		if isSecret(name, r.Plan.Secrets) {
			out[name] = mask
		}
	}
	return out
}

// ports decides where a server listens, 0 where nobody knows, and what late.port
// is: a port that is free now, chosen only where the command asks for one. It is
// the server's own unless the sweep, a flag or the profile names another.
func (r *runner) ports(s *matrix.Server) (port, late int, err error) {
	if uses(&s.Variant, "late.port") || strings.Contains(s.Port, "late.port") {
		if late, err = process.FreePort(); err != nil {
			return 0, 0, err
		}
	}
	if s.Port == "" || strings.Contains(s.Port, "late.port") {
		return late, late, nil
	}
	port, err = strconv.Atoi(s.Port)
	if err != nil || port < 1 || port > 65535 {
		return 0, 0, fmt.Errorf("%s: port %q is no port number", s.At, s.Port)
	}
	return port, late, nil
}

// uses tells whether a command or its environment has a placeholder.
func uses(v *matrix.Variant, name string) bool {
	has := func(word string) bool { return strings.Contains(word, "${{ "+name+" }}") }
	return slices.ContainsFunc(slices.Concat(v.Argv, v.Added.Argv), has) || slices.ContainsFunc(slices.Collect(maps.Values(v.Env)), has)
}

// otherThan gives a port that is not the server's own, else 0.
func otherThan(own, port int) int {
	if port == own {
		return 0
	}
	return port
}
