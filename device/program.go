package device

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// outputLimit is far more than any tool prints for any host.
const outputLimit = 4 << 20

// Find gives the tools that are on the PATH of an environment in the form of
// os.Environ. Nothing is started.
func Find(environ []string) []Tool {
	var tools []Tool
	if p, ok := lookUp("nvidia-smi", environ); ok {
		tools = append(tools, &nvidia{program: p})
	}
	var amd alternatives
	if p, ok := lookUp("amd-smi", environ); ok {
		amd = append(amd, &amdSMI{program: p})
	}
	if p, ok := lookUp("rocm-smi", environ); ok {
		amd = append(amd, &rocmSMI{program: p})
	}
	switch len(amd) {
	case 0:
	case 1:
		tools = append(tools, amd[0])
	default:
		tools = append(tools, &amd)
	}
	if p, ok := lookUp("npu-smi", environ); ok {
		tools = append(tools, &npuSMI{program: p})
	}
	return tools
}

// program is an executable of this host and the environment to run it in.
type program struct {
	name, path string
	environ    []string
}

func lookUp(name string, environ []string) (program, bool) {
	for _, dir := range filepath.SplitList(variable(environ, "PATH")) {
		path := filepath.Join(dir, name)
		if !filepath.IsAbs(path) {
			continue // what the working folder holds is no tool of the host
		}
		if _, err := exec.LookPath(path); err == nil {
			return program{name, path, environ}, true
		}
	}
	return program{}, false
}

// variable gives the value of an environment variable; the last entry counts.
func variable(environ []string, name string) string {
	value, _ := lookupVariable(environ, name)
	return value
}

func lookupVariable(environ []string, name string) (value string, ok bool) {
	for _, kv := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

func (p program) Name() string { return p.name }

// output is what a call of a tool left.
type output struct {
	text string // stdout
	said string // stderr
	code int
}

// call runs the tool to its end. The error says that it could not be run, did not
// answer before ctx ended, or printed without end; an exit code is no error here.
func (p program) call(ctx context.Context, args ...string) (output, error) {
	what := strings.Join(append([]string{p.name}, args...), " ")
	out, said := &bounded{limit: outputLimit}, &bounded{limit: 64 << 10}
	cmd := exec.Command(p.path, args...)
	cmd.Env = append(slices.Clone(p.environ), "LC_ALL=C")
	cmd.Dir, cmd.Stdout, cmd.Stderr = os.TempDir(), out, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return output{}, fmt.Errorf("%s cannot be run: %w", p.name, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		// The group, for a tool can be a script. One that hangs in its driver cannot even
		// be killed: it is not waited for.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		select {
		case <-ended:
		case <-time.After(2 * time.Second):
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return output{}, fmt.Errorf("%s gave no answer in time", what)
		}
		return output{}, fmt.Errorf("%s: %w", what, ctx.Err())
	}
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case out.over:
		return output{}, fmt.Errorf("%s printed more than %d MiB", what, outputLimit>>20)
	case exited:
		return output{out.String(), said.String(), exit.ExitCode()}, nil
	case err != nil:
		return output{}, fmt.Errorf("%s: %w", what, err)
	}
	return output{out.String(), said.String(), 0}, nil
}

// failure says that a tool ended without an answer, in its own words.
func (p program) failure(o output) error {
	words := firstLine(o.said)
	if words == "" {
		words = firstLine(o.text)
	}
	switch {
	case words == "" && o.code == 0:
		return fmt.Errorf("%s printed nothing", p.name)
	case o.code == 0:
		return fmt.Errorf("%s printed nothing that can be read, but: %s", p.name, words)
	}
	if words == "" {
		words = "it said nothing"
	}
	return fmt.Errorf("%s ended with %d: %s", p.name, o.code, words)
}

// firstLine gives the first line that says something, cut to what a message can hold.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.Trim(line, "+-=| ") != "" {
			if len(line) > 200 {
				line = strings.ToValidUTF8(line[:200], "") + "…"
			}
			return strings.ToValidUTF8(line, "\uFFFD")
		}
	}
	return ""
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	bytes.Buffer
	limit int
	over  bool
}

// Write takes everything, so that the writer is not stopped.
func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - b.Len()
	if len(p) > room {
		b.over = true
		b.Buffer.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// alternatives are tools for the same devices: the first that answers is asked.
type alternatives []Tool

// Name is that of the tool in charge.
func (a *alternatives) Name() string { return (*a)[0].Name() }

// Read goes on to the next tool when one does not answer, and stays with the one that did.
func (a *alternatives) Read(ctx context.Context) (Snapshot, error) {
	var first error
	for i, t := range *a {
		s, err := t.Read(ctx)
		if err == nil {
			*a = (*a)[i:]
			return s, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return Snapshot{}, first
}
