// Command leftovers runs many quick sweeps against servers whose children will
// not go, and looks from outside whether anything is left after each.
//
//	go build -o /tmp/servematrix ./cmd/servematrix
//	go run ./perf/leftovers -bin /tmp/servematrix -n 200
//
// It runs a copy of the binary, so that every process of a sweep (orchestrator,
// guards, simulated server and its workers) is known by the file it executes,
// whatever it did to its session, environment, title or parent.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

var (
	bin  = flag.String("bin", "", "servematrix binary")
	n    = flag.Int("n", 200, "sweeps to run")
	seed = flag.Uint64("seed", 1, "of the choice of faults")
)

// faults are ways in which a server leaves something behind.
var faults = []string{
	"ignore-term", "exit-late=100ms", "children-linger=300ms", "children-orphan", "children-setsid", "children-double-fork",
	"children-ignore-term", "children-clean-env", "children-devnull", "child-stopped", "child-holds-port", "fork-on-stop=20",
	"zombie-child", "zombie-main=200ms", "hang-on-streams",
}

func main() {
	flag.Parse()
	if *bin == "" {
		fmt.Fprintln(os.Stderr, "leftovers: give the binary with -bin")
		os.Exit(2)
	}
	dir, err := os.MkdirTemp("", "leftovers-")
	check(err)
	exe := filepath.Join(dir, "servematrix")
	check(copyFile(exe, *bin))
	rng := rand.New(rand.NewPCG(*seed, 0))
	bad := 0
	for i := range *n {
		chosen := []string{faults[i%len(faults)]}
		for _, f := range faults {
			if rng.IntN(4) == 0 && f != chosen[0] {
				chosen = append(chosen, f)
			}
		}
		out, code := sweep(dir, exe, i, chosen)
		left := alive(exe)
		if code != 0 || len(left) > 0 {
			bad++
			fmt.Printf("sweep %d %v: exit code %d, left %v\n%s\n", i, chosen, code, left, out)
		}
	}
	os.RemoveAll(dir)
	fmt.Printf("%d sweeps, %d with something wrong\n", *n, bad)
	if bad > 0 {
		os.Exit(1)
	}
}

// sweep runs one cell against a server with these faults.
func sweep(dir, exe string, i int, chosen []string) (string, int) {
	port := freePort()
	text := fmt.Sprintf(`version: 1
name: leftovers
server:
  command: servematrix sim serve --port %d --startup 20ms --workers 3 --fault %s
  stop: {grace: 300ms}
client:
  command: servematrix bench --base-url ${{ server.url }} --num-prompts 4 --random-input-len 16 --random-output-len 4
run: {retries: 0}
`, port, strings.Join(chosen, " --fault "))
	file := filepath.Join(dir, strconv.Itoa(i)+".yaml")
	check(os.WriteFile(file, []byte(text), 0o600))
	cmd := exec.Command(exe, "run", file, "--out", filepath.Join(dir, "runs"), "--progress", "plain")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		check(err)
	}
	if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err != nil {
		return string(out) + err.Error(), -1
	} else {
		check(l.Close())
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// alive gives the processes that execute the file, zombies left out.
func alive(exe string) []int {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	check(err)
	var out []int
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == exe {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			check(err)
			out = append(out, pid)
		}
	}
	return out
}

func freePort() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "leftovers:", err)
		os.Exit(1)
	}
}
