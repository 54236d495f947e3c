package main

import "servematrix/sim"

// expectation is what a cell comes to with a server or client that has a fault.
type expectation int

const (
	anything   expectation = iota // a fault that this program does not know yet
	measures                      // nothing is wrong with the measurement
	fails                         // no valid sample
	failsSlow                     // no valid sample, and only a timeout tells
	failsFirst                    // the first start fails, the second measures
)

// engineFaults says what the simulated server's faults lead to.
var engineFaults = map[string]expectation{
	"exit-before-ready": fails, "exit-after-ready": fails, "fork-and-exit": fails, "oom": fails, "kv-memory": fails,
	"graph": fails, "model": fails, "bad-flag": fails, "host-oom": fails, "shm": fails, "collective": fails, "npu": fails,
	"fail-once":   failsFirst,
	"never-ready": failsSlow, "silent": failsSlow, "no-listen": failsSlow, "ready-503": failsSlow, "http-hangs": failsSlow,
	"ready-twice": measures, "ready-in-config": measures, "ready-no-newline": measures, "ready-after-cr": measures, "ready-split": measures,
	"ready-ansi": measures, "ready-nul": measures, "ready-invalid-utf8": measures, "huge-line": measures, "log-truncate": measures, "log-delete": measures,
	"die-after": fails, "worker-dies": failsSlow, "stall": failsSlow, "http-500": fails, "error-chunk": fails, "truncate": fails,
	"reset": fails, "wrong-usage": fails, "log-flood": measures,
	"ignore-term": measures, "lost-term": measures, "exit-late": measures, "exit-code": measures, "hang-on-streams": measures,
	"children-linger": measures, "children-orphan": measures, "children-setsid": measures, "children-double-fork": measures,
	"children-ignore-term": measures, "children-clean-env": measures, "children-devnull": measures, "child-stopped": measures,
	"hold-shm": measures, "hold-socket": measures, "hold-port": measures,
	"child-holds-port": measures, "fork-on-stop": measures, "zombie-child": measures, "zombie-main": measures,
}

// quicker are arguments that make a fault fit into a scenario of seconds.
var quicker = map[string]string{
	"huge-line": "256KiB", "ready-split": "40ms", "log-flood": "5", "exit-late": "100ms", "children-linger": "200ms", "zombie-main": "200ms", "fork-on-stop": "20",
}

// clientFaults says what the client's do.
var clientFaults = map[string]expectation{
	"leaves-child": measures, "slow": measures, "floods": measures, "hangs": failsSlow, "no-result": fails, "crashes": fails, "half": fails,
}

// faultNames lists the server's faults in their order.
func faultNames() []string {
	var names []string
	for _, f := range sim.Faults() {
		names = append(names, f.Name)
	}
	return names
}

// neverReady says whether the first server of the scenario fails before it is ready.
func (s *scenario) neverReady() bool {
	for _, f := range sim.Faults() {
		if f.Name == s.servers[0].faults[0] && engineFaults[f.Name] != measures {
			return f.Phase == "start" || f.Phase == "ready"
		}
	}
	return false
}
