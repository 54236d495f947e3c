package orchestrator

import (
	"regexp"
	"slices"
	"testing"

	"servematrix/process"
)

// TestWorkersOf: a fork that still has its parent's name is no worker of its own.
func TestWorkersOf(t *testing.T) {
	member := func(pid, parent int, comm, cmdline string) process.Member {
		return process.Member{Identity: process.Identity{PID: pid}, Parent: parent, Comm: comm, Cmdline: cmdline}
	}
	members := []process.Member{
		member(10, 1, "vllm", "python3 vllm serve"),
		member(11, 10, "VLLM::EngineCor", "VLLM::EngineCore"),
		member(12, 11, "VLLM::EngineCor", "VLLM::EngineCore"), // forked, gone in a moment
		member(13, 11, "VLLM::Worker_TP", "VLLM::Worker_TP0"),
		member(14, 11, "VLLM::Worker_TP", "VLLM::Worker_TP1"),
		member(15, 13, "VLLM::Worker_TP", "VLLM::Worker_TP0"), // likewise
		member(16, 10, "python3", "python3 -c tracker"),
	}
	var got []int
	for _, m := range workersOf(members, regexp.MustCompile("^VLLM::")) {
		got = append(got, m.PID)
	}
	if want := []int{11, 13, 14}; !slices.Equal(got, want) {
		t.Errorf("workers %v, want %v", got, want)
	}
}
