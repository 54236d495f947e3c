package process

import (
	"os"
	"syscall"
)

// startGuard makes the pipes and the process.
func startGuard() (_ *Guard, err error) {
	var files []*os.File
	defer func() {
		if err != nil {
			for _, f := range files {
				_ = f.Close()
			}
		}
	}()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	ordersIn, ordersOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer ordersIn.Close()
	files = append(files, ordersOut)
	reportsIn, reportsOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reportsOut.Close()
	files = append(files, reportsIn)
	stderr, err := scratch()
	if err != nil {
		return nil, err
	}
	files = append(files, stderr)

	// Between fork and the note in guards a sweep for adopted processes would
	// take the new guard for one of them.
	guards.Lock()
	defer guards.Unlock()
	cmd, err := os.StartProcess("/proc/self/exe", []string{guardName}, &os.ProcAttr{
		Env:   guardEnvironment(),
		Files: []*os.File{null, null, stderr, ordersIn, reportsOut},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, err
	}
	id, err := Identify(cmd.Pid)
	if err != nil {
		id = Identity{PID: cmd.Pid, BootID: bootID()}
	}
	guards.live[cmd.Pid] = true
	g := &Guard{
		cmd: cmd, id: id, orders: ordersOut, reports: reportsIn, stderr: stderr,
		ready: make(chan struct{}), started: make(chan error, 1), gone: make(chan struct{}),
	}
	go g.follow()
	return g, nil
}

// scratch is a file in memory; in a sandbox that forbids it, /dev/null, and a
// guard that crashes leaves no words.
func scratch() (*os.File, error) {
	f, err := memoryFile(guardName)
	if err != nil {
		return os.OpenFile(os.DevNull, os.O_RDWR, 0)
	}
	return f, nil
}

// guardEnvironment keeps the guard small: hardly any garbage, so no collector
// until a limit that it never reaches, and no timed collection either.
func guardEnvironment() []string {
	env := []string{guardEnv + "=1", "GOMAXPROCS=2", "GOGC=off", "GOMEMLIMIT=32MiB", "GOTRACEBACK=single"}
	for _, name := range []string{"GOCOVERDIR", "GORACE"} { // for tests of the guard itself
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
