package cli

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"servematrix/orchestrator"
	"servematrix/process"
)

// diagnosis is what doctor finds; its JSON is for scripts.
type diagnosis struct {
	Host      hostReport         `json:"host"`
	Disk      *space             `json:"disk,omitempty"` // of the working folder
	Engines   map[string]string  `json:"engines"`        // executable → path; "" is not on PATH
	Ports     []portFinding      `json:"ports"`
	Leftovers []process.Survivor `json:"leftovers"`
	Ended     []process.Survivor `json:"ended"`   // by --clean
	Remains   []string           `json:"remains"` // shared memory, sockets, ports of former runs
	Removed   []string           `json:"removed"` // by --clean
	Hidden    []string           `json:"hidden"`  // files out of which --clean took secrets
	Problems  []string           `json:"problems"`
}

type portFinding struct {
	Port int `json:"port"`
	process.PortState
}

// enginePorts are the default ports of SGLang and vLLM.
var enginePorts = []int{30000, 8000}

var engineCommands = []string{"vllm", "sglang", "python3"}

func newDoctor(env Env) *cobra.Command {
	var format string
	var clean bool
	cmd := &cobra.Command{
		Use:   "doctor [RUN…]",
		Short: "Say what this host has, and what former runs left on it",
		Long: `Prints what matters for serving on this host: CPUs, memory, limits, /dev/shm, disk,
devices and who uses them, engines on PATH, who holds the engines' default ports, and what former runs left behind:
processes (found by the run marker and by the journals under ./runs), shared memory and sockets
of their servers, ports that are held on. --clean ends the processes and removes what of the
rest nobody uses, and hides secrets in what runs that were killed had logged. With RUN only what these runs left counts.

Exit codes: 0 nothing in the way · 2 usage · 6 a default port is held or leftovers are left`,
		Example: "  servematrix doctor --clean",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneFormat(format, "text", "json"); err != nil {
				return err
			}
			return doctor(cmd.Context(), env, args, format, clean)
		},
	}
	cmd.Flags().BoolVar(&clean, "clean", false, "end the leftovers and remove what they left")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func doctor(ctx context.Context, env Env, runs []string, format string, clean bool) error {
	d := diagnosis{Host: lookAtHost(ctx, orchestrator.LookAtDevices(env.Env)), Engines: map[string]string{}, Leftovers: []process.Survivor{}, Ended: []process.Survivor{}, Remains: []string{}, Removed: []string{}, Hidden: []string{}, Problems: []string{}}
	if s, err := spaceOf(env.Dir); err == nil {
		d.Disk = &s
	}
	for _, name := range engineCommands {
		path, err := exec.LookPath(name)
		if err != nil {
			path = ""
		}
		d.Engines[name] = path
	}
	if err := d.findLeftovers(ctx, env, runs, clean); err != nil {
		return err
	}
	for _, port := range enginePorts { // after the cleaning: a leftover may have held one
		state, err := process.ProbePort("", port)
		if err != nil {
			return err
		}
		d.Ports = append(d.Ports, portFinding{port, state})
		if !state.Free {
			d.Problems = append(d.Problems, fmt.Sprintf("port %d is held", port))
		}
	}
	if n := len(d.Leftovers); n > 0 {
		d.Problems = append(d.Problems, fmt.Sprintf("%s of former runs left", plural(n, "process", "processes")))
	}
	if n := len(d.Remains); n > 0 {
		d.Problems = append(d.Problems, fmt.Sprintf("%s of former servers left", plural(n, "thing", "things")))
	}
	var err error
	if format == "json" {
		err = writeJSON(env.Stdout, d)
	} else {
		err = d.write(env.Stdout, clean)
	}
	if err == nil && len(d.Problems) > 0 {
		err = exitWith(exitPreflight)
	}
	return err
}

func (d *diagnosis) write(w io.Writer, clean bool) error {
	var b strings.Builder
	line := func(key, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", key, fmt.Sprintf(format, args...))
	}
	h := d.Host
	line("host", "%s, %s, kernel %s, %s", h.Hostname, h.OS, h.Kernel, h.Arch)
	line("cpu", "%s, %d of %d cores usable", h.CPU, h.Usable, h.Cores)
	line("memory", "%s, %s available; swap %s", bytesText(int64(h.Memory)), bytesText(int64(h.Free)), bytesText(int64(h.Swap)))
	line("limits", "%s", h.limits())
	line("contain", "%s", h.contain())
	line("cgroup", "%s", h.Cgroup)
	for _, a := range h.advice() {
		line("advice", "%s", a)
	}
	if h.Shm != nil {
		line("/dev/shm", "%s", h.Shm)
	}
	if d.Disk != nil {
		line("disk", "%s of %s", d.Disk, d.Disk.Path)
	}
	if len(h.Devices) == 0 {
		line("devices", "none: nvidia-smi, amd-smi, rocm-smi and npu-smi are not on PATH")
	}
	for _, v := range h.Devices {
		v.write(line)
	}
	for _, name := range engineCommands {
		path := d.Engines[name]
		if path == "" {
			path = "not on PATH"
		}
		line("engine", "%s: %s", name, path)
	}
	for _, p := range d.Ports {
		line("port", "%d %s", p.Port, p.text())
	}
	for _, s := range d.Ended {
		line("ended", "%s", s)
	}
	for _, s := range d.Leftovers {
		hint := "; doctor --clean ends it"
		if clean {
			hint = "; it outlived SIGKILL or is another user's"
		}
		line("leftover", "%s%s", s, hint)
	}
	for _, path := range d.Removed {
		line("removed", "%s", path)
	}
	for _, path := range d.Hidden {
		line("hidden", "secrets in %s", path)
	}
	for _, what := range d.Remains {
		line("remains", "%s", what)
	}
	if len(d.Problems) == 0 {
		line("verdict", "nothing is in the way of a run")
	} else {
		line("verdict", "%s", strings.Join(d.Problems, "; "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p portFinding) text() string {
	switch {
	case p.Free:
		return "free"
	case p.Holder != nil:
		return "held by " + p.Holder.String()
	}
	return "held: " + p.Reason
}

func (h hostReport) limits() string {
	names := make([]string, 0, len(h.Limits))
	for name := range h.Limits {
		names = append(names, name)
	}
	slices.Sort(names)
	text := func(v *uint64) string {
		if v == nil {
			return "unlimited"
		}
		return fmt.Sprint(*v)
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %s (hard %s)", name, text(h.Limits[name].Soft), text(h.Limits[name].Hard))
	}
	return strings.Join(names, ", ")
}

// String writes "12.0 GiB free of 64.0 GiB".
func (s space) String() string {
	return fmt.Sprintf("%s free of %s", bytesText(int64(s.Free)), bytesText(int64(s.Total)))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
