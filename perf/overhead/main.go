// Command overhead measures what servematrix itself costs between the steps of
// a sweep and while a benchmark runs.
//
//	go build -o /tmp/servematrix ./cmd/servematrix
//	go run ./perf/overhead -bin /tmp/servematrix
//
// It plays server and client itself: both write the time of each of their steps
// into one file, so that the times are those of the processes, not of servematrix.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"servematrix/perf/program"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var (
	bin    = flag.String("bin", "", "servematrix binary")
	cells  = flag.Int("cells", 100, "cells of the sweep that measures the steps")
	watch  = flag.Duration("watch", 20*time.Second, "how long the client runs in the sweep that measures CPU and memory")
	flood  = flag.Int("flood", 50, "MB/s that the server logs meanwhile")
	capped = flag.String("log-limit", "2GiB", "run.log_limit of the sweeps")
	plans  = flag.Int("plans", 50, "starts of servematrix plan")
	limits = flag.Bool("check", false, "end with 1 when a limit of docs/performance.md is passed")
)

// What the played server and client take: short beside real ones (minutes), and
// long enough that each step of ours is measured alone, not in a queue behind
// what is prepared beside it.
const (
	serverTakes = 300 * time.Millisecond // to be ready
	clientTakes = 200 * time.Millisecond
	stopTakes   = 100 * time.Millisecond // from SIGTERM to the exit
)

func main() {
	if role := os.Getenv("OVERHEAD_ROLE"); role != "" {
		play(role)
		return
	}
	program.Main(bin, func(dir string) bool {
		ok := steps(dir)
		ok = plan(dir) && ok
		ok = resources(dir) && ok
		return ok || !*limits
	})
}

// steps runs many quick cells and measures the stretches that are ours.
func steps(dir string) bool {
	times := filepath.Join(dir, "times")
	run(dir, "steps", sweep(*cells, times, clientTakes, 0))
	stamps := read(times)
	var toClient, toStop, toNext, exec []time.Duration
	for i, s := range stamps {
		switch s.event {
		case "client-start":
			toClient = append(toClient, s.at.Sub(last(stamps[:i], "ready")))
		case "server-term":
			toStop = append(toStop, s.at.Sub(last(stamps[:i], "client-exit")))
		case "server-start":
			if prev := last(stamps[:i], "server-exit"); !prev.IsZero() {
				toNext = append(toNext, s.at.Sub(prev))
			}
		}
	}
	// What the operating system alone takes to start the client's program.
	for range 30 {
		began := time.Now()
		cmd := self("client", times)
		program.Check(cmd.Run())
		after := read(times)
		exec = append(exec, last(after, "client-start").Sub(began))
	}
	bare := median(exec)
	fmt.Printf("a bare start of the client's program           %s\n", show(exec))
	ok := row("ready line in the log → client's process start", toClient, bare, 5*time.Millisecond)
	ok = row("client's exit → stop signal at the server", toStop, 0, 5*time.Millisecond) && ok
	return row("nothing left → next server's process start", toNext, bare, 10*time.Millisecond) && ok
}

// row prints one stretch. A stretch that ends in a program's first line holds
// that program's own start, which is not ours; bare is 0 for one that does not.
func row(name string, d []time.Duration, bare, limit time.Duration) bool {
	ours := median(d) - bare
	fmt.Printf("%-46s %s  ours %.2f ms  (limit %s)\n", name, show(d), ms(ours), limit)
	return ours <= limit
}

func show(d []time.Duration) string {
	return fmt.Sprintf("n %d  p50 %.2f ms  p99 %.2f ms", len(d), ms(median(d)), ms(quantile(d, 0.99)))
}

// plan measures how long a small servematrix plan takes from start to end.
func plan(dir string) bool {
	file := filepath.Join(dir, "plan.yaml")
	program.Check(os.WriteFile(file, []byte(sweep(2, filepath.Join(dir, "none"), 0, 0)), 0o600))
	var d []time.Duration
	for range *plans {
		began := time.Now()
		program.Check(exec.Command(*bin, "plan", file).Run())
		d = append(d, time.Since(began))
	}
	fmt.Printf("%-46s %s  (limit of the median 30ms)\n", "servematrix plan, a small sweep, start to end", show(d))
	return median(d) <= 30*time.Millisecond
}

// resources runs one long cell beside a server that floods its log and looks at
// the CPU time and memory of orchestrator and guards from outside.
func resources(dir string) bool {
	file := filepath.Join(dir, "long.yaml")
	program.Check(os.WriteFile(file, []byte(sweep(1, filepath.Join(dir, "long-times"), *watch, *flood)), 0o600))
	cmd := exec.Command(*bin, "run", file, "--out", filepath.Join(dir, "long"), "--progress", "none")
	cmd.Stderr = os.Stderr
	program.Check(cmd.Start())
	for last(read(filepath.Join(dir, "long-times")), "client-start").IsZero() {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(time.Second) // the start is over
	cpu0, _ := usage(cmd.Process.Pid)
	began := time.Now()
	time.Sleep(*watch - 3*time.Second)
	cpu1, rss := usage(cmd.Process.Pid)
	share := 100 * (cpu1 - cpu0).Seconds() / time.Since(began).Seconds()
	program.Check(cmd.Wait())
	fmt.Printf("orchestrator and guards while a client runs, server logs %d MB/s: %.2f %% of a core, %.1f MB resident  (limits 0.5 %%, 60 MB)\n", *flood, share, float64(rss)/1e6)
	return share <= 0.5 && rss <= 60e6
}

// usage adds up CPU time and resident memory of servematrix and its guards: the
// descendants of pid that run its binary.
func usage(pid int) (cpu time.Duration, rss int64) {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	program.Check(err)
	for _, p := range tree(pid) {
		if e, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p)); err != nil || e != exe {
			continue
		}
		f := stat(p)
		if f == nil {
			continue
		}
		ticks := atoi(f[11]) + atoi(f[12])
		cpu += time.Duration(ticks) * 10 * time.Millisecond
		rss += int64(atoi(f[21])) * int64(os.Getpagesize())
	}
	return cpu, rss
}

// tree gives pid and its descendants.
func tree(pid int) []int {
	out := []int{pid}
	dirs, err := filepath.Glob("/proc/[0-9]*")
	program.Check(err)
	for i := 0; i < len(out); i++ {
		for _, d := range dirs {
			p := atoi(filepath.Base(d))
			if f := stat(p); f != nil && atoi(f[1]) == out[i] {
				out = append(out, p)
			}
		}
	}
	return out
}

// stat gives the fields of /proc/PID/stat from the state on: field 3 has index 0.
func stat(pid int) []string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return strings.Fields(rest)
}

// sweep writes a sweep whose server and client are this program.
func sweep(n int, times string, length time.Duration, flood int) string {
	me, err := os.Executable()
	program.Check(err)
	ids := make([]string, n)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	return fmt.Sprintf(`version: 1
name: overhead
server:
  command: [%s, "${{ late.port }}"]
  env: {OVERHEAD_ROLE: server, OVERHEAD_TIMES: %s, OVERHEAD_FLOOD: "%d"}
  ready: {log: ^READY$}
  stop: {grace: 5s}
client:
  axes: {n: [%s]}
  command: [%s, "${{ n }}"]
  env: {OVERHEAD_ROLE: client, OVERHEAD_TIMES: %s, OVERHEAD_LENGTH: %s}
run: {retries: 0, log_limit: %s}
`, me, times, flood, strings.Join(ids, ", "), me, times, length, *capped)
}

func run(dir, name, text string) {
	file := filepath.Join(dir, name+".yaml")
	program.Check(os.WriteFile(file, []byte(text), 0o600))
	cmd := exec.Command(*bin, "run", file, "--out", filepath.Join(dir, name), "--progress", "none")
	cmd.Stderr = os.Stderr
	program.Check(cmd.Run())
}

func self(role, times string) *exec.Cmd {
	me, err := os.Executable()
	program.Check(err)
	cmd := exec.Command(me, "x")
	cmd.Env = append(os.Environ(), "OVERHEAD_ROLE="+role, "OVERHEAD_TIMES="+times, "OVERHEAD_LENGTH=0s")
	return cmd
}

// play is the server or the client of the sweep.
func play(role string) {
	stamp(role + "-start")
	if role == "client" {
		length, err := time.ParseDuration(os.Getenv("OVERHEAD_LENGTH"))
		program.Check(err)
		time.Sleep(length)
		fmt.Println(`{"duration": 1.0, "completed": 1, "total_output_tokens": 1}`)
		stamp("client-exit")
		return
	}
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	l, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	program.Check(err)
	go http.Serve(l, nil)
	time.Sleep(serverTakes)
	stamp("ready")
	fmt.Println("READY")
	if rate := atoi(os.Getenv("OVERHEAD_FLOOD")); rate > 0 {
		go pour(rate)
	}
	<-term
	stamp("server-term")
	time.Sleep(stopTakes)
	stamp("server-exit")
}

// pour logs rate MB a second; log_limit keeps the disk from filling.
func pour(rate int) {
	line := []byte(strings.Repeat("x", 999) + "\n")
	for tick := range time.Tick(10 * time.Millisecond) {
		_ = tick
		w := bufio.NewWriterSize(os.Stdout, 1<<16)
		for range rate * 10 {
			w.Write(line)
		}
		w.Flush()
	}
}

type entry struct {
	event string
	at    time.Time
}

func stamp(event string) {
	now := time.Now()
	f, err := os.OpenFile(os.Getenv("OVERHEAD_TIMES"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	program.Check(err)
	fmt.Fprintf(f, "%s %d\n", event, now.UnixNano())
	program.Check(f.Close())
}

func read(path string) []entry {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	program.Check(err)
	var out []entry
	for line := range strings.Lines(string(data)) {
		event, ns, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(ns, 10, 64)
		program.Check(err)
		out = append(out, entry{event, time.Unix(0, n)})
	}
	slices.SortStableFunc(out, func(a, b entry) int { return a.at.Compare(b.at) })
	return out
}

func last(entries []entry, event string) time.Time {
	for _, e := range slices.Backward(entries) {
		if e.event == event {
			return e.at
		}
	}
	return time.Time{}
}

func median(d []time.Duration) time.Duration { return quantile(d, 0.5) }

func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(d))
	return s[int(q*float64(len(s)-1)+0.5)]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
