package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// docShell is the shell of somebody who follows a document: one bash from the first
// command to the last, in a folder that holds the repository's examples.
type docShell struct {
	t     *testing.T
	dir   string
	in    io.WriteCloser
	out   *bufio.Reader
	proc  *os.Process
	runs  map[string]string // a run folder's name in the document → that of the folder here
	given map[string]bool
}

const docSentinel = "@@ended@@"

func newDocShell(t *testing.T) *docShell {
	t.Helper()
	dir := t.TempDir()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "--norc", "--noprofile")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "TZ=UTC", "NO_COLOR=1", "CI=1", "GITHUB_STEP_SUMMARY=", "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	return &docShell{t: t, dir: dir, in: in, out: bufio.NewReader(out), proc: cmd.Process, runs: map[string]string{}, given: map[string]bool{}}
}

// run types a command and gives what it printed, on stdout and stderr alike, and its exit code.
func (s *docShell) run(command string) (lines []string, code int) {
	s.t.Helper()
	command = runName.ReplaceAllStringFunc(command, s.folder)
	fmt.Fprintf(s.in, "{ %s\n} < /dev/null\nprintf '\\n%s %%d\\n' $?\n", command, docSentinel)
	giveUp := time.AfterFunc(8*time.Minute, func() { _ = syscall.Kill(-s.proc.Pid, syscall.SIGTERM) })
	defer giveUp.Stop()
	for {
		line, err := s.out.ReadString('\n')
		if err != nil {
			s.t.Fatalf("the shell ended in %q after %q: %v", command, lines, err)
		}
		line = strings.TrimRight(line, "\n ")
		if n, err := fmt.Sscanf(line, docSentinel+" %d", &code); n == 1 && err == nil {
			break
		}
		lines = append(lines, strings.ReplaceAll(line, s.dir, "/home/me"))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines, code
}

var runName = regexp.MustCompile(`[A-Za-z0-9._-]*[A-Za-z0-9]-\d{8}T\d{6}Z`)

// folder gives the run folder that a name in the document stands for: the oldest of that
// sweep that no other name stands for. A run that was begun beside is waited for.
func (s *docShell) folder(shown string) string {
	if real, ok := s.runs[shown]; ok {
		return real
	}
	sweep := shown[:len(shown)-len("-20060102T150405Z")]
	var found []string
	if !eventually(func() bool {
		found = nil
		_ = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && runName.FindString(d.Name()) == d.Name() &&
				d.Name()[:len(d.Name())-len("-20060102T150405Z")] == sweep && !s.given[d.Name()] {
				found = append(found, d.Name())
			}
			return nil
		})
		return len(found) > 0
	}) {
		s.t.Fatalf("no run folder of sweep %s came", sweep)
	}
	slices.Sort(found)
	s.runs[shown], s.given[found[0]] = found[0], true
	return found[0]
}
