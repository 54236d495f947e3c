package sim

import (
	"cmp"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"time"
)

// Styles of engine that the server imitates.
const (
	SGLang = "sglang"
	VLLM   = "vllm"
)

// Options say which engine to imitate, how fast it is, and which faults it has. The zero value
// is a quick fault-free SGLang without worker processes on its default port; AddFlags adds one
// worker and a little noise.
type Options struct {
	// Style is the engine imitated: SGLang or VLLM. "" is SGLang.
	Style string
	// Host is the address to listen on. "" is 127.0.0.1.
	Host string
	// Port is the TCP port. 0 is the engine's default (SGLang 30000, vLLM 8000), a negative one
	// any free port, which OnListen then learns.
	Port int
	// Model is the model's path, as logs and model_info show it. "" is "simulated".
	Model string
	// ServedModelName is the name that requests use. "" is Model.
	ServedModelName string

	// DisableRadixCache turns the prefix cache off: every prompt is computed in full.
	DisableRadixCache bool
	// PageSize is the granularity of the prefix cache in tokens. 0 is the engine's: 1 for SGLang
	// (--page-size), 16 for vLLM (--block-size).
	PageSize int
	// MaxRunningRequests limits the batch. 0 is 256.
	MaxRunningRequests int
	// MaxTotalTokens is the KV cache's capacity in tokens. 0 is 262144.
	MaxTotalTokens int
	// ContextLength is the longest prompt plus answer in tokens. 0 is 32768; it is never more
	// than MaxTotalTokens.
	ContextLength int
	// ChunkedPrefillSize is the most prompt tokens of one pass (vLLM: of prompt and decode
	// tokens together, --max-num-batched-tokens). 0 is 8192; negative: no limit.
	ChunkedPrefillSize int
	// ScheduleConservativeness scales what admission keeps free for tokens still to come:
	// min(1, 0.7 × this) of them. 0 is 1. 1/0.7 and more means that no request is ever retracted.
	// vLLM's style always admits without a reserve and preempts instead.
	ScheduleConservativeness float64

	// PrefillRate is the rate at which prompt tokens are computed, in tokens per second.
	// 0 is 30000.
	PrefillRate float64
	// DecodeBase is what any forward pass costs. 0 is 5 ms; negative: nothing.
	DecodeBase time.Duration
	// DecodePerSeq is what each decoding sequence adds to a pass. 0 is 50 µs; negative: nothing.
	DecodePerSeq time.Duration
	// Startup is the time from start to the ready line. 0 is 300 ms; negative: none.
	Startup time.Duration
	// Noise is the relative standard deviation of the factor drawn once per start and of the one
	// drawn per pass. 0 is none.
	Noise float64
	// Seed makes the noise repeatable. 0 draws a new seed at each start, so that starts are
	// independent of one another, as real ones are.
	Seed uint64

	// Drift is the share by which the host slows down and speeds up again, in the course of each
	// DriftPeriod of the wall clock: 0.02 is a pass that takes from 2 % less to 2 % more. 0 is none.
	Drift float64
	// DriftPeriod is how long the host takes from one slowest moment to the next. 0 is 10 minutes.
	DriftPeriod time.Duration

	// Workers is how many scheduler (vLLM: Worker) processes to start, together with the other
	// processes of the engine's tree. 0 starts no processes at all.
	Workers int
	// StopPoll is how long SGLang's watcher sleeps between looking for a SIGTERM and for the end
	// of running requests (5 s in the real one). 0 is 200 ms; negative: not at all.
	StopPoll time.Duration
	// Faults are misbehaviours, each NAME or NAME=ARG of Faults.
	Faults []string
	// FaultTTL is after how long a process that a fault leaves behind ends itself, so that a
	// failed test leaves nothing for ever. 0 is 10 minutes.
	FaultTTL time.Duration

	// InProcess keeps Serve from touching its own process: no signal is handled, a fault that
	// would end the process ends only Serve, with exit code 128+signal. For tests and embedding.
	InProcess bool `json:"-"`
	// OnListen, when set, is told the address as soon as the server listens.
	OnListen func(net.Addr) `json:"-"`

	endMain func() // ends the main thread; set where this process is one of zombie-main
}

// resolved gives a copy with defaults filled in, or an error for people.
func (o Options) resolved() (Options, error) {
	o.Style = cmp.Or(o.Style, SGLang)
	if o.Style != SGLang && o.Style != VLLM {
		return o, fmt.Errorf("style %q: want %s or %s", o.Style, SGLang, VLLM)
	}
	for _, f := range []struct {
		flag  string
		value float64
	}{
		{"max-running-requests", float64(o.MaxRunningRequests)}, {"max-total-tokens", float64(o.MaxTotalTokens)},
		{"context-length", float64(o.ContextLength)}, {"page-size", float64(o.PageSize)},
		{"prefill-rate", o.PrefillRate},
		{"schedule-conservativeness", o.ScheduleConservativeness}, {"noise", o.Noise}, {"drift", o.Drift}, {"drift-period", float64(o.DriftPeriod)}, {"workers", float64(o.Workers)},
	} {
		if f.value < 0 || math.IsNaN(f.value) || math.IsInf(f.value, 0) {
			return o, fmt.Errorf("--%s %v: must be a finite number, 0 or more", f.flag, f.value)
		}
	}
	if o.Port > math.MaxUint16 {
		return o, fmt.Errorf("--port %d: the highest port is %d", o.Port, math.MaxUint16)
	}
	if o.Noise > 1 {
		return o, fmt.Errorf("--noise %v: a relative standard deviation, at most 1 (0.02 is 2%%)", o.Noise)
	}
	if o.Drift > 1 {
		return o, fmt.Errorf("--drift %v: a share, at most 1 (0.02 is 2%%)", o.Drift)
	}
	if _, err := parseFaults(o.Faults); err != nil {
		return o, err
	}
	o.Host = cmp.Or(o.Host, "127.0.0.1")
	o.Model = cmp.Or(o.Model, "simulated")
	o.ServedModelName = cmp.Or(o.ServedModelName, o.Model)
	port, page := 30000, 1
	if o.Style == VLLM {
		port, page = 8000, 16
	}
	o.Port = cmp.Or(o.Port, port)
	o.PageSize = cmp.Or(o.PageSize, page)
	o.MaxRunningRequests = cmp.Or(o.MaxRunningRequests, 256)
	o.MaxTotalTokens = cmp.Or(o.MaxTotalTokens, 262144)
	o.ContextLength = min(cmp.Or(o.ContextLength, 32768), o.MaxTotalTokens)
	o.ChunkedPrefillSize = cmp.Or(o.ChunkedPrefillSize, 8192)
	o.ScheduleConservativeness = cmp.Or(o.ScheduleConservativeness, 1)
	o.PrefillRate = cmp.Or(o.PrefillRate, 30000)
	o.DecodeBase = max(cmp.Or(o.DecodeBase, 5*time.Millisecond), 0)
	o.DecodePerSeq = max(cmp.Or(o.DecodePerSeq, 50*time.Microsecond), 0)
	o.Startup = max(cmp.Or(o.Startup, 300*time.Millisecond), 0)
	o.StopPoll = max(cmp.Or(o.StopPoll, 200*time.Millisecond), 0)
	o.DriftPeriod = cmp.Or(o.DriftPeriod, 10*time.Minute)
	o.FaultTTL = cmp.Or(o.FaultTTL, 10*time.Minute)
	o.Seed = cmp.Or(o.Seed, uint64(time.Now().UnixNano()))
	return o, nil
}

// without gives the options less the named fault, for a process that takes a server's place.
func (o Options) without(name string) Options {
	o.Faults = slices.DeleteFunc(slices.Clone(o.Faults), func(f string) bool {
		return f == name || strings.HasPrefix(f, name+"=")
	})
	return o
}

// newEngine builds the scheduler that resolved options describe.
func (o Options) newEngine() *engine {
	e := &engine{
		cost:  newCost(o.DecodeBase, o.DecodePerSeq, o.PrefillRate, o.Noise, o.Seed),
		mixed: o.Style == VLLM, slots: o.MaxRunningRequests, budget: o.ChunkedPrefillSize,
		sleep: sleepUntil, news: make(chan struct{}, 1),
		kv: kvPool{capacity: o.MaxTotalTokens},
	}
	e.cost.drift = drift{o.Drift, o.DriftPeriod}
	if !o.DisableRadixCache {
		e.kv.cache = newRadixCache(o.PageSize)
	}
	if !e.mixed {
		e.reserve = min(1, 0.7*o.ScheduleConservativeness)
	}
	return e
}
