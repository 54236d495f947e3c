package telemetry

import (
	"time"

	"servematrix/device"
)

// Reading is one line of telemetry.jsonl: what was seen of one source at one moment.
type Reading struct {
	Time time.Time `json:"time"` // when it was asked for
	// Seconds are those since the client's start, by the monotonic clock of its host; the clock of
	// Time can be set meanwhile.
	Seconds float64 `json:"seconds"`

	Host    *Host           `json:"host,omitempty"`
	Tool    string          `json:"tool,omitempty"`    // that told of Devices, such as nvidia-smi
	Devices []device.Device `json:"devices,omitempty"` // those of the server
	Engine  *Engine         `json:"engine,omitempty"`
}

// Host is how busy the machine was. Cores are means since the reading before: 1.5 means that
// one and a half cores computed all the time.
type Host struct {
	ServerCores float64 `json:"server_cores"` // by the server's tree
	ClientCores float64 `json:"client_cores"` // by the client's tree
	BusyCores   float64 `json:"busy_cores"`   // by all that runs, waiting for disks and what a hypervisor took left out
	Cores       int     `json:"cores"`        // that there are
	// MemoryUsed is the host's memory less what programs could still get, as MemAvailable tells.
	MemoryUsed  uint64 `json:"memory_used_bytes"`
	MemoryTotal uint64 `json:"memory_total_bytes"`
}

// Engine is the state of the engine by its own gauges; nil: it does not tell.
type Engine struct {
	Running *float64 `json:"running_requests,omitempty"` // requests in work
	Waiting *float64 `json:"waiting_requests,omitempty"` // requests in the queue
	KVCache *float64 `json:"kv_cache_usage,omitempty"`   // share of the KV cache that is in use, 0 to 1; of several engines the fullest one's
}
