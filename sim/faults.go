package sim

import (
	"fmt"
	"slices"
	"strings"
)

// Fault describes one way in which the server can be told to misbehave.
type Fault struct {
	// Name is what --fault takes.
	Name string
	// Arg names the kind of argument, "" where there is none: N, DURATION, SIZE (bytes, or with
	// KiB, MiB, GiB), EXIT (an exit code, or a signal's name such as KILL), N[:EXIT], MB/S, FILE.
	Arg string
	// Default is the argument used where none is given; a fault with Arg and no Default needs one.
	Default string
	// Phase is when it shows: start, ready, running or stop.
	Phase string
	// Description says what happens.
	Description string
}

// Usage gives the fault as it is written on the command line: stall[=N].
func (f Fault) Usage() string {
	switch {
	case f.Arg == "":
		return f.Name
	case f.Default == "":
		return f.Name + "=" + f.Arg
	}
	return fmt.Sprintf("%s[=%s] (default %s)", f.Name, f.Arg, f.Default)
}

// Faults lists every fault by phase. Faults can be combined.
func Faults() []Fault { return slices.Clone(faultTable) }

var faultTable = []Fault{
	{"exit-before-ready", "EXIT", "1", "start", "ends during start-up with this exit code, or by this signal"},
	{"exit-after-ready", "EXIT", "1", "start", "ends right after the ready line"},
	{"fail-once", "FILE", "", "start", "exits 1 during start-up unless FILE exists, which it then creates: the second start works"},
	{"fork-and-exit", "", "", "start", "starts the server in another process, which outlives this one, and exits 0"},
	{"oom", "", "", "start", "runs out of device memory while loading: the engine's messages, then its kind of exit"},
	{"kv-memory", "", "", "start", "has no memory left for the KV cache"},
	{"graph", "", "", "start", "fails to capture CUDA graphs"},
	{"model", "", "", "start", "does not find its model"},
	{"bad-flag", "", "", "start", "does not know one of its flags: usage and exit code 2"},
	{"host-oom", "", "", "start", "a scheduler is ended by the kernel for lack of host memory"},
	{"shm", "", "", "start", "a scheduler dies of a bus error in shared memory"},
	{"collective", "", "", "start", "a collective operation fails"},
	{"npu", "", "", "start", "an Ascend NPU reports an error"},

	{"never-ready", "", "", "ready", "logs and listens, but /health stays 503 and the ready line never comes"},
	{"silent", "", "", "ready", "writes nothing at all and is never ready"},
	{"no-listen", "", "", "ready", "prints its ready line but listens on no port"},
	{"ready-twice", "", "", "ready", "prints the ready line twice"},
	{"ready-in-config", "", "", "ready", "the configuration echo at the start holds the ready line's text"},
	{"ready-no-newline", "", "", "ready", "no newline after the ready line, and silence"},
	{"ready-after-cr", "", "", "ready", "the ready line follows a progress bar and a carriage return"},
	{"ready-split", "DURATION", "300ms", "ready", "the ready line comes in three writes, so far apart"},
	{"ready-ansi", "", "", "ready", "the ready line has colours in its midst"},
	{"ready-nul", "", "", "ready", "NUL bytes before the ready line"},
	{"ready-invalid-utf8", "", "", "ready", "bytes that are no UTF-8 before the ready line"},
	{"huge-line", "SIZE", "1MiB", "ready", "one line of this size before the ready line"},
	{"log-truncate", "", "", "ready", "empties its own log files before the ready line"},
	{"log-delete", "", "", "ready", "unlinks its own log files before the ready line"},
	{"ready-503", "", "", "ready", "prints the ready line, but /health stays 503"},
	{"http-hangs", "", "", "ready", "accepts connections and answers none"},

	{"die-after", "N[:EXIT]", "1:KILL", "running", "dies when it has received N requests"},
	{"worker-dies", "N", "1", "running", "after N requests a worker process dies; the main one lives on, unhealthy and without progress"},
	{"stall", "N", "1", "running", "after N requests no token comes any more, though /health says 200"},
	{"http-500", "N", "1", "running", "answers each N-th request with status 500"},
	{"error-chunk", "N", "1", "running", "each N-th stream has status 200, an error in its midst and an orderly end"},
	{"truncate", "N", "1", "running", "each N-th stream ends early without [DONE]"},
	{"reset", "N", "1", "running", "resets the connection of each N-th request in mid-answer"},
	{"wrong-usage", "N", "1", "running", "each N-th answer reports half its tokens"},
	{"log-flood", "MB/S", "50", "running", "writes so much to its log once it is ready"},

	{"ignore-term", "", "", "stop", "ignores SIGTERM and SIGINT"},
	{"lost-term", "", "", "stop", "loses a SIGTERM that comes during start-up, and goes on to be ready"},
	{"exit-late", "DURATION", "2s", "stop", "takes this much longer to stop"},
	{"exit-code", "EXIT", "1", "stop", "stops with this exit code or signal instead of the engine's own"},
	{"hang-on-streams", "", "", "stop", "told to stop, waits for open streams that nobody feeds any more"},
	{"children-linger", "DURATION", "1s", "stop", "worker processes go on for this long after the leader has gone"},
	{"children-orphan", "", "", "stop", "worker processes outlive the leader"},
	{"children-setsid", "", "", "stop", "they outlive it in sessions of their own"},
	{"children-double-fork", "", "", "stop", "they outlive it, and their parent ended before"},
	{"children-ignore-term", "", "", "stop", "they outlive it and ignore SIGTERM, SIGINT and SIGHUP"},
	{"children-clean-env", "", "", "stop", "they outlive it with an empty environment"},
	{"children-devnull", "", "", "stop", "they outlive it with none of the log files open"},
	{"child-stopped", "", "", "stop", "a child outlives it in state T, stopped"},
	{"child-holds-port", "", "", "stop", "a child outlives it and holds the listening socket"},
	{"hold-shm", "N", "1", "stop", "has N segments in /dev/shm, which an orderly end removes and SIGKILL leaves"},
	{"hold-socket", "", "", "stop", "has a unix socket in the folder for temporary files, likewise"},
	{"hold-port", "N", "1", "stop", "listens on N more ports; with child-holds-port the child holds them too"},
	{"fork-on-stop", "N", "50", "stop", "once the stop begins, a child starts N more processes, one by one"},
	{"zombie-child", "", "", "stop", "a child has ended and is never waited for"},
	{"zombie-main", "DURATION", "2s", "stop", "told to stop, its main thread ends and the rest goes on for this long: /proc shows a zombie that cannot be reaped"},
}

// faultSet holds the faults asked for, by name, with their arguments.
type faultSet map[string]string

func (f faultSet) has(name string) bool { _, ok := f[name]; return ok }

// any reports whether one of names was asked for.
func (f faultSet) any(names ...string) bool { return slices.ContainsFunc(names, f.has) }

// parseFaults reads NAME and NAME=ARG, and checks the arguments.
func parseFaults(specs []string) (faultSet, error) {
	set := faultSet{}
	for _, spec := range specs {
		name, arg, given := strings.Cut(spec, "=")
		i := slices.IndexFunc(faultTable, func(f Fault) bool { return f.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("--fault %s: there is no fault %q%s", spec, name, nearest(name))
		}
		f := faultTable[i]
		switch {
		case f.Arg == "" && given:
			return nil, fmt.Errorf("--fault %s: %s takes no argument", spec, name)
		case !given && f.Arg != "" && f.Default == "":
			return nil, fmt.Errorf("--fault %s: write --fault %s", spec, f.Usage())
		case !given:
			arg = f.Default
		}
		if err := checkArg(f.Arg, arg); err != nil {
			return nil, fmt.Errorf("--fault %s: %w", spec, err)
		}
		set[name] = arg
	}
	return set, nil
}

// nearest suggests the faults that share the beginning or a part of name.
func nearest(name string) string {
	var close []string
	for _, f := range faultTable {
		if strings.Contains(f.Name, name) || (len(name) > 3 && strings.HasPrefix(f.Name, name[:4])) {
			close = append(close, f.Name)
		}
	}
	if len(close) == 0 || name == "" {
		return "; --help lists them"
	}
	return "; did you mean " + strings.Join(close, " or ") + "?"
}
