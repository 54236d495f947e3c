package reference

import (
	"fmt"
	"strconv"
	"strings"

	"servematrix/command"
	"servematrix/engine"
	"servematrix/result"
)

// condition knows where the value of one condition stands. Of several places the first that tells
// counts: what the server really ran with, the command, then what an imported output reveals.
type condition struct {
	name string
	// server and client are flags of their commands, by all their names: "--tp|-tp".
	server, client string
	// said are keys of client.config; told are arguments in force at the server, by the engines'
	// own names, and keys of server.config.
	said, told []string
	// metric is the number that tells the same.
	metric string
	// of finds what no flag tells by itself.
	of func(*sides) string
	// same compares two values; nil: as numbers where both are some, else as text.
	same func(there, here string) bool
}

// The table of conditions. The flags are those of SGLang, vLLM and their clients, the keys those of
// their Namespace(...) lines and JSON.
var conditions = []condition{
	{name: "engine", of: engineOf},
	{name: "engine_version", told: []string{"version"}, of: versionOf},
	{name: "model", server: "--model-path|--model", told: []string{"model_path", "model"}, said: []string{"model", "model_id"}, client: "--model", of: servedModel, same: sameModel},
	{name: "quantization", server: "--quantization|-q", told: []string{"quantization"}},
	{name: "dtype", server: "--dtype", told: []string{"dtype"}},
	{name: "kv_cache_dtype", server: "--kv-cache-dtype", told: []string{"kv_cache_dtype"}},
	{name: "device", of: deviceOf, same: sameDevice},
	{name: "devices", of: devicesOf},
	{name: "nodes", server: "--nnodes", told: []string{"nnodes"}},
	{name: "tensor_parallel_size", server: "--tp|--tp-size|--tensor-parallel-size|-tp", told: []string{"tp_size", "tensor_parallel_size"}},
	{name: "data_parallel_size", server: "--dp|--dp-size|--data-parallel-size|-dp", told: []string{"dp_size", "data_parallel_size"}},
	{name: "attention_backend", server: "--attention-backend", told: []string{"attention_backend"}},
	{name: "prefix_cache", of: prefixCache},
	{name: "cuda_graph", of: cudaGraph},
	{name: "speculative_algorithm", server: "--speculative-algorithm|--speculative-algo", told: []string{"speculative_algorithm"}},
	{name: "speculative_num_steps", server: "--speculative-num-steps", told: []string{"speculative_num_steps"}},
	{name: "speculative_eagle_topk", server: "--speculative-eagle-topk", told: []string{"speculative_eagle_topk"}},
	{name: "speculative_num_draft_tokens", server: "--speculative-num-draft-tokens", told: []string{"speculative_num_draft_tokens"}},
	{name: "client", of: clientOf},
	{name: "backend", client: "--backend", said: []string{"backend", "endpoint_type"}},
	{name: "dataset", client: "--dataset-name", said: []string{"dataset_name"}, same: sameModel},
	{name: "input_len", client: "--random-input-len|--random-input|--input-len|--sonnet-input-len", said: []string{"random_input_len", "input_len"}},
	{name: "output_len", client: "--random-output-len|--random-output|--output-len|--sonnet-output-len", said: []string{"random_output_len", "output_len"}},
	{name: "range_ratio", client: "--random-range-ratio", said: []string{"random_range_ratio"}},
	{name: "num_prompts", client: "--num-prompts|--num-prompt", said: []string{"num_prompts"}, metric: "num_prompts"},
	{name: "max_concurrency", client: "--max-concurrency", said: []string{"max_concurrency"}, metric: "max_concurrency"},
	{name: "request_rate", client: "--request-rate", said: []string{"request_rate"}, metric: "request_rate"},
	{name: "burstiness", client: "--burstiness", said: []string{"burstiness"}},
	{name: "seed", client: "--seed", said: []string{"seed"}},
	{name: "ignore_eos", of: ignoreEOS},
	{name: "warmup", client: "--warmup-requests|--num-warmups", said: []string{"warmup_requests", "num_warmups"}},
	{name: "cache", of: cacheOf},
	{name: "repeats", of: func(s *sides) string { return strconv.Itoa(s.starts) }},
}

func lookup(name string) *condition {
	for i := range conditions {
		if conditions[i].name == name {
			return &conditions[i]
		}
	}
	return nil
}

func conditionNames() []string {
	var names []string
	for _, c := range conditions {
		names = append(names, c.name)
	}
	return names
}

// isFlag tells a condition that is a flag of the server's or the client's command.
func isFlag(name string) bool { return strings.HasPrefix(name, "--") && len(name) > 2 }

// sides is what is known of the configuration behind a cell's samples.
type sides struct {
	server, client     *result.Side
	serving, measuring command.Reading // their commands
	sample             *result.Sample
	around             Around
	starts             int
}

// readings are the commands of sides, each read once.
type readings map[*result.Side]command.Reading

func (rs readings) of(side *result.Side) command.Reading {
	r, known := rs[side]
	if !known && side != nil {
		r = engine.Embedded().Read(side.Argv).Reading
		rs[side] = r
	}
	return r
}

// value gives a condition's value here, and whether it is known.
func (s *sides) value(name string) (string, bool) {
	c := lookup(name)
	if c == nil { // a flag
		c = &condition{server: name, client: name}
	}
	if s.around.Server != nil {
		if v, ok := config(&result.Side{Config: s.around.Server.Args}, c.told); ok {
			return v, true
		}
	}
	if v, ok := flag(s.serving, c.server); ok {
		return v, true
	}
	if v, ok := flag(s.measuring, c.client); ok {
		return v, true
	}
	if v, ok := config(s.server, c.told); ok {
		return v, true
	}
	if v, ok := config(s.client, c.said); ok {
		return v, true
	}
	if f, ok := s.sample.Metrics.Get(c.metric); ok && c.metric != "" {
		return strconv.FormatFloat(f, 'f', -1, 64), true
	}
	if c.of != nil {
		v := c.of(s)
		return v, v != ""
	}
	return "", false
}

// flag gives the value of a flag that a command has by any of its names; one without a value is
// "present".
func flag(c command.Reading, names string) (value string, ok bool) {
	value, ok = c.Args().Value(names)
	if ok && value == "" {
		value = "present"
	}
	return value, ok
}

// config gives the first of the keys that what was revealed of a side has.
func config(side *result.Side, keys []string) (string, bool) {
	if side == nil {
		return "", false
	}
	for _, key := range keys {
		switch v := side.Config[key].(type) {
		case nil:
		case float64:
			return strconv.FormatFloat(v, 'f', -1, 64), true
		default:
			return fmt.Sprint(v), true
		}
	}
	return "", false
}
