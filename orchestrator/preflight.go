package orchestrator

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/go-multierror"
	"golang.org/x/sys/unix"

	"servematrix/engine"
	"servematrix/matrix"
	"servematrix/process"
)

// What a run needs on disk, at least, beside the reserve for its records: an
// engine's log of one start, and a client's output and result.
const (
	bytesPerLaunch = 2 << 20
	bytesPerUnit   = 256 << 10
)

// CommandError is a command of the sweep that cannot run on this host.
type CommandError struct {
	At  matrix.Pos
	Err error
}

// Error says where the command stands and why it cannot run.
func (e *CommandError) Error() string { return fmt.Sprintf("%s: %v", e.At, e.Err) }

// involved gives the variants and workloads of some units, and how many starts they need.
func involved(p *matrix.Plan, units []Unit) (servers []*matrix.Server, clients []*matrix.Client, launches int) {
	cells := make(map[string]matrix.Cell, len(p.Cells))
	for _, c := range p.Cells {
		cells[c.ID] = c
	}
	serves, blocks := map[string]int{}, map[Unit]bool{}
	measures := map[string]bool{}
	for _, u := range units {
		c := cells[u.Cell]
		serves[c.Server]++
		measures[c.Client] = true
		blocks[Unit{c.Server, u.Block}] = true
	}
	for _, s := range p.Servers {
		if serves[s.ID] == 0 {
			continue
		}
		servers = append(servers, s)
		if s.Isolation != "launch" {
			launches += serves[s.ID]
			continue
		}
		for b := range blocks {
			if b.Cell == s.ID {
				launches++
			}
		}
	}
	for _, c := range p.Clients {
		if measures[c.ID] {
			clients = append(clients, c)
		}
	}
	return servers, clients, launches
}

// Launches is how many starts some units need.
func Launches(p *matrix.Plan, units []Unit) int {
	_, _, n := involved(p, units)
	return n
}

// Commands checks before anything starts that every command which the units
// need can run: its program and working folder are there, and every value that
// is filled at run time is known. The error is a *multierror.Error of *CommandError.
func Commands(p *matrix.Plan, units []Unit, dir string, environ []string) error {
	var result *multierror.Error
	seen := map[string]bool{}
	fill := &runner{Options: Options{Plan: p, Environ: environ, Dir: dir}}
	check := func(v *matrix.Variant) {
		known := fill.trial()
		if _, err := fill.fill(v, known); err != nil {
			result = multierror.Append(result, &CommandError{v.At, fmt.Errorf("%w%s", err, unknownHint(v, known))})
			return
		}
		word, folder := v.Argv[0], workDir(v.Dir, dir)
		path := lookPath(v, environ)
		key := word + "\x00" + folder + "\x00" + path
		if word == self || strings.Contains(word, "${{") || seen[key] {
			return
		}
		seen[key] = true
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			result = multierror.Append(result, &CommandError{v.At, fmt.Errorf("the working folder %s is not there", folder)})
			return
		}
		if err := executable(word, folder, path); err != nil {
			result = multierror.Append(result, &CommandError{v.At, err})
		}
	}
	servers, clients, _ := involved(p, units)
	for _, s := range servers {
		check(&s.Variant)
	}
	for _, c := range clients {
		check(&c.Variant)
	}
	for _, moment := range slices.Sorted(maps.Keys(p.Hooks)) {
		if len(units) > 0 {
			check(&matrix.Variant{Argv: p.Hooks[moment].Argv, At: p.Hooks[moment].At})
		}
	}
	if result == nil {
		return nil
	}
	result.ErrorFormat = func(errs []error) string {
		lines := make([]string, len(errs))
		for i, err := range errs {
			lines[i] = err.Error()
		}
		return strings.Join(lines, "\n")
	}
	return result
}

// trial stands for the values that only a launch knows.
func (r *runner) trial() late {
	return late{port: "1", dir: "x", seed: "1", url: "x", serverPort: "1", devices: r.devices()}
}

// unknownHint says what to do when the devices are not known.
func unknownHint(v *matrix.Variant, known late) string {
	if known.devices == "" && uses(v, "late.devices") {
		return "; set CUDA_VISIBLE_DEVICES, ASCEND_RT_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES"
	}
	return ""
}

func workDir(dir, start string) string {
	if dir == "" {
		return start
	}
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(start, dir)
}

// lookPath is the PATH under which a variant's command is looked up.
func lookPath(v *matrix.Variant, environ []string) string {
	if path, ok := v.Env["PATH"]; ok && !strings.Contains(path, "${{") {
		return path
	}
	if slices.Contains(v.Unset, "PATH") {
		return ""
	}
	for _, kv := range environ {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			return path
		}
	}
	return ""
}

func executable(word, folder, path string) error {
	if strings.Contains(word, "/") {
		if !filepath.IsAbs(word) {
			word = filepath.Join(folder, word)
		}
		_, err := exec.LookPath(word)
		if err == nil {
			return nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the command %s is not there", word)
		}
		return fmt.Errorf("the command %s cannot be executed: %w", word, errors.Unwrap(err))
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(folder, dir)
		}
		if _, err := exec.LookPath(filepath.Join(dir, word)); err == nil {
			return nil
		}
	}
	return fmt.Errorf("the command %q is in no folder of PATH (%s)", word, path)
}

// HostError is what makes the host unfit for the run before anything started.
type HostError struct{ Err error }

// Error says what is in the way.
func (e *HostError) Error() string { return e.Err.Error() }

// Host checks before anything starts that the fixed ports of the units' servers are free
// and that the disk under folder has room. The error is a *HostError.
func Host(p *matrix.Plan, catalog *engine.Catalog, units []Unit, folder string) error {
	servers, _, launches := involved(p, units)
	for _, s := range servers {
		port, err := strconv.Atoi(s.Port)
		if err != nil {
			continue // chosen at run time
		}
		state, err := process.ProbePort(catalog.Server(s.Profile).Host(slices.Concat(s.Argv, s.Added.Argv)), port)
		if err == nil && !state.Free {
			return &HostError{errors.New(PortBusy(port, state))}
		}
	}
	var st unix.Statfs_t
	for errors.Is(unix.Statfs(folder, &st), unix.ENOENT) && folder != filepath.Dir(folder) {
		folder = filepath.Dir(folder) // it is made later; its disk is there already
	}
	if err := unix.Statfs(folder, &st); err != nil {
		return &HostError{fmt.Errorf("no run folder can be made in %s: %w; give another with --out", folder, err)}
	}
	if readOnly(st) {
		return &HostError{fmt.Errorf("the file system of %s is read-only: give another folder with --out", folder)}
	}
	need := reserve(len(units)) + int64(len(units)*bytesPerUnit+launches*bytesPerLaunch)
	if have := free(st); have < need && st.Blocks > 0 { // what has no blocks, such as /proc, says nothing of its room
		return &HostError{fmt.Errorf("%s has %d MiB free, and a run of %d launches and %d samples needs about %d MiB: make room, or give another --out",
			folder, have>>20, launches, len(units), need>>20)}
	}
	return nil
}
