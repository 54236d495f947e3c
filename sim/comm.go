package sim

import "os"

// setComm sets the process's name in /proc/PID/comm, as setproctitle does in the engines. The
// kernel cuts it to 15 bytes. Where /proc is not there the name stays, which harms nothing.
func setComm(title string) {
	if title != "" {
		_ = os.WriteFile("/proc/self/comm", []byte(title), 0)
	}
}
