package process

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fakeMain plays a server, a client or a worker. Its arguments are a marker, a
// folder in which each fake leaves a file named after its pid, and commands
// that it does one after the other.
func fakeMain(args []string) {
	for i := range args {
		args[i] = strings.Clone(args[i]) // a title may be written over the originals
	}
	f := fake{marker: args[0], dir: args[1]}
	for _, command := range args[2:] {
		f.do(command)
	}
	os.Exit(0)
}

type fake struct {
	marker, dir string
	keep        []any
}

func (f *fake) do(command string) {
	word, rest, _ := strings.Cut(command, " ")
	switch word {
	case "here": // say that this process is up and prepared
		p, err := readProc(os.Getpid())
		check(err)
		path := filepath.Join(f.dir, "."+strconv.Itoa(os.Getpid()))
		check(os.WriteFile(path, []byte(fmt.Sprint(p.start)), 0o600))
		check(os.Rename(path, filepath.Join(f.dir, strconv.Itoa(os.Getpid()))))
	case "block":
		select {}
	case "await": // a file
		for {
			if _, err := os.Stat(rest); err == nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	case "print":
		fmt.Println(rest)
	case "printerr":
		fmt.Fprintln(os.Stderr, rest)
	case "sleep":
		d, err := time.ParseDuration(rest)
		check(err)
		time.Sleep(d)
	case "ignore":
		signal.Ignore(unix.SignalNum("SIG" + rest))
	case "on": // on TERM print, exit 3: commands for the signal
		sig, commands, _ := strings.Cut(rest, " ")
		c := make(chan os.Signal, 1)
		signal.Notify(c, unix.SignalNum("SIG"+sig))
		go func() {
			<-c
			for _, command := range strings.Split(commands, ",") {
				f.do(command)
			}
		}()
	case "exit":
		code, err := strconv.Atoi(rest)
		check(err)
		syscall.Exit(code)
	case "die": // by a signal
		sig := unix.SignalNum("SIG" + rest)
		signal.Reset(sig)
		check(unix.Kill(os.Getpid(), sig))
		select {}
	case "spawn": // spawn setsid+double block,…
		mode, commands, _ := strings.Cut(rest, " ")
		f.spawn(strings.Split(mode, "+"), strings.Split(commands, ","))
	case "title":
		f.overwriteTitle(rest, os.Getenv("SPT_NOENV") == "")
	case "erase":
		f.overwriteTitle(rest, true)
	case "end-main-thread": // and say so
		go func() {
			for {
				if p, err := readProc(os.Getpid()); err == nil && p.state == 'Z' {
					f.do("here")
					return
				}
				time.Sleep(time.Millisecond)
			}
		}()
		endMainThread()
	case "listen": // PORT [HOST]
		port, host, _ := strings.Cut(rest, " ")
		l, err := net.Listen("tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
		check(err)
		f.keep = append(f.keep, l)
	case "stamp": // the monotonic time, just before the end
		out, err := os.OpenFile(rest, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		check(err)
		var now unix.Timespec
		check(unix.ClockGettime(unix.CLOCK_MONOTONIC, &now))
		_, err = fmt.Fprint(out, now.Nano())
		check(err)
		syscall.Exit(0)
	default:
		if !f.hold(word, rest) {
			panic("fake: " + command)
		}
	}
}

// spawn starts another fake in one of the ways in which engines do.
func (f *fake) spawn(mode, commands []string) {
	has := func(m string) bool {
		for _, have := range mode {
			if have == m {
				return true
			}
		}
		return false
	}
	var rest []string
	for _, m := range mode {
		if m != "double" {
			rest = append(rest, m)
		}
	}
	if has("double") { // through a process in between that ends at once
		commands = []string{"spawn " + strings.Join(rest, "+") + " " + strings.Join(commands, ",")}
	}
	for i, c := range commands { // a spawn within a spawn separates by semicolons
		if !has("double") && strings.HasPrefix(c, "spawn ") {
			commands[i] = strings.ReplaceAll(c, ";", ",")
		}
	}
	attr := &os.ProcAttr{Env: os.Environ(), Files: []*os.File{nil, os.Stdout, os.Stderr}}
	if !has("double") {
		if has("null") {
			null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
			check(err)
			attr.Files = []*os.File{null, null, null}
		}
		if has("clean") {
			attr.Env = []string{}
		}
		if has("setsid") {
			attr.Sys = &syscall.SysProcAttr{Setsid: true}
		}
	}
	args := append([]string{"fake", "fake", f.marker, f.dir}, commands...)
	child, err := os.StartProcess("/proc/self/exe", args, attr)
	check(err)
	if has("double") {
		_, err = child.Wait()
		check(err)
	}
}

// overwriteTitle does what setproctitle does: it writes a title over the
// arguments and, unless SPT_NOENV is set, the environment in this process's
// memory, and names the thread.
func (f *fake) overwriteTitle(title string, environment bool) {
	size := 0
	files := []string{"cmdline"}
	if environment {
		files = append(files, "environ")
	}
	for _, file := range files {
		b, err := os.ReadFile("/proc/self/" + file)
		check(err)
		size += len(b)
	}
	check(os.WriteFile("/proc/self/comm", []byte(title), 0))
	memory := unsafe.Slice(unsafe.StringData(os.Args[0]), size)
	clear(memory)
	copy(memory, title)
}

// endMainThread ends the thread that the process began with and leaves the rest
// of it running: /proc shows a zombie that cannot be reaped. It does not return.
func endMainThread() {
	runtime.LockOSThread()
	if syscall.Gettid() == syscall.Getpid() {
		_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
	}
	go endMainThread() // another goroutine has that thread: keep this one busy and go on
	for {
		time.Sleep(time.Hour)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake:", err)
		os.Exit(99)
	}
}
