package sim

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ending is how a process ends: by a signal, or else with a code.
type ending struct {
	code   int
	signal syscall.Signal
}

// exitCode is what a shell shows for it.
func (e ending) exitCode() int {
	if e.signal != 0 {
		return 128 + int(e.signal)
	}
	return e.code
}

// checkArg parses arg once by its kind, so that a wrong one is refused before the start.
func checkArg(kind, arg string) error {
	var err error
	switch kind {
	case "N":
		_, err = parseCount(arg)
	case "DURATION":
		_, err = parseDuration(arg)
	case "SIZE":
		_, err = parseSize(arg)
	case "EXIT":
		_, err = parseEnding(arg)
	case "N[:EXIT]":
		_, _, err = parseCountEnding(arg)
	case "MB/S":
		_, err = parseRate(arg)
	case "FILE":
		if arg == "" {
			err = fmt.Errorf("want the path of a file")
		}
	}
	return err
}

func parseCount(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is no count: want a whole number, 1 or more", s)
	}
	return n, nil
}

func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is no duration: want one such as 500ms or 2s", s)
	}
	return d, nil
}

func parseRate(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0 && f <= 1e6) {
		return 0, fmt.Errorf("%q is no rate: want MB per second, such as 50", s)
	}
	return f, nil
}

func parseSize(s string) (int, error) {
	unit := 1
	digits := s
	for suffix, factor := range map[string]int{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			digits, unit = rest, factor
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 4<<30/unit {
		return 0, fmt.Errorf("%q is no size: want bytes such as 65536, 100MiB, at most 4GiB", s)
	}
	return n * unit, nil
}

// parseEnding reads an exit code, or a signal's name with or without SIG.
func parseEnding(s string) (ending, error) {
	if code, err := strconv.Atoi(s); err == nil {
		if code < 0 || code > 255 {
			return ending{}, fmt.Errorf("%d is no exit code: want 0 to 255", code)
		}
		return ending{code: code}, nil
	}
	name := "SIG" + strings.TrimPrefix(strings.ToUpper(s), "SIG")
	if sig := unix.SignalNum(name); sig != 0 {
		return ending{signal: sig}, nil
	}
	return ending{}, fmt.Errorf("%q is neither an exit code nor a signal such as KILL", s)
}

func parseCountEnding(s string) (int, ending, error) {
	count, end, given := strings.Cut(s, ":")
	n, err := parseCount(count)
	if err != nil {
		return 0, ending{}, err
	}
	if !given {
		return n, ending{signal: syscall.SIGKILL}, nil
	}
	e, err := parseEnding(end)
	return n, e, err
}

// The accessors below read arguments that parseFaults has checked; where the fault was not asked
// for they give the zero value.

func (f faultSet) count(name string) int {
	n, _ := parseCount(f[name])
	return n
}

func (f faultSet) duration(name string) time.Duration {
	d, _ := parseDuration(f[name])
	return d
}

func (f faultSet) size(name string) int {
	n, _ := parseSize(f[name])
	return n
}

func (f faultSet) rate(name string) float64 {
	r, _ := parseRate(f[name])
	return r
}

// ending gives the fault's ending, or other where the fault was not asked for.
func (f faultSet) ending(name string, other ending) ending {
	if !f.has(name) {
		return other
	}
	e, _ := parseEnding(f[name])
	return e
}

// failsOnce reports whether the start must fail for fail-once, and leaves the mark that lets
// the next one through.
func (f faultSet) failsOnce() (bool, error) {
	path, ok := f["fail-once"]
	if !ok {
		return false, nil
	}
	mark, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	switch {
	case os.IsExist(err):
		return false, nil
	case err != nil:
		return true, fmt.Errorf("fail-once: cannot leave the mark: %w", err)
	}
	return true, mark.Close()
}
