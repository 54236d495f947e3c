package report

import (
	"encoding/json"
	"testing"

	"servematrix/journal"
)

func TestStopLine(t *testing.T) {
	const forced = `[{"since_ns":0,"action":"signal","signal":"SIGTERM"},{"since_ns":900000000,"action":"leader-exit","detail":"exit 0"},
		{"since_ns":4500000000,"action":"group","signal":"SIGTERM","alive":2,"survivors":[{"comm":"VLLM::EngineCor"}]},
		{"since_ns":5000000000,"action":"kill","signal":"SIGKILL","alive":3,"survivors":[{"comm":"VLLM::EngineCor"},{"comm":"VLLM::Worker"},{"comm":"VLLM::Worker"}]},
		{"since_ns":5100000000,"action":"gone"}]`
	for _, tt := range []struct {
		name  string
		gone  journal.Gone
		steps string
		want  string
	}{
		{"in order", journal.Gone{PortFree: true},
			`[{"action":"signal","signal":"SIGTERM"},{"since_ns":1200000000,"action":"leader-exit","detail":"exit 0"},{"since_ns":1210000000,"action":"gone"}]`,
			"stop: SIGTERM, leader exit 0 after 1.20 s, nothing left after 1.21 s, port free"},
		{"by force", journal.Gone{PortFree: true, Killed: true, Gate: 0.25, Removed: []string{"/dev/shm/psm_1", "/dev/shm/psm_2", "shmid 4", "/tmp/1b2c"}}, forced,
			"stop: SIGTERM, leader exit 0 after 0.90 s, SIGTERM to 2 processes after 4.50 s, 3 processes killed after 5.00 s (VLLM::EngineCor, VLLM::Worker), nothing left after 5.10 s, port free 0.25 s later, 3 shared-memory segments removed, 1 socket or file removed"},
		{"in vain", journal.Gone{}, `[{"action":"kill","signal":"SIGKILL","alive":1,"survivors":[{"comm":"x"}]},{"since_ns":30000000000,"action":"survivors","alive":1,"survivors":[{"comm":"x"}]}]`,
			"stop: 1 process killed after 0.00 s (x), 1 process SURVIVED after 30.00 s (x), port NOT free"},
		{"an unknown step", journal.Gone{PortFree: true}, `[{"since_ns":1000000000,"action":"guard-lost","detail":"the guard died"}]`,
			"stop: guard-lost (the guard died) after 1.00 s, port free"},
		{"no steps", journal.Gone{PortFree: true, Seconds: 2}, "", "stop: nothing left after 2.00 s, port free"},
	} {
		tt.gone.Steps = json.RawMessage(tt.steps)
		if tt.steps == "" {
			tt.gone.Steps = json.RawMessage("null")
		}
		data, err := json.Marshal(tt.gone)
		if err != nil {
			t.Fatal(err)
		}
		v, err := journal.Decode[stop](journal.Event{Data: data})
		if err != nil {
			t.Fatal(err)
		}
		if got := english.stopLine(v); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}
