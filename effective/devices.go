package effective

import "slices"

// splits are the arguments by which an engine splits a model over devices; each device works for
// exactly one place in their product. Those of must have to be told.
type splits struct{ must, more []string }

// Engines that print their sizes. In SGLang data parallel attention lies within the tensor parallel
// group (server_args.py); in vLLM decode context parallelism does, that of prefill multiplies
// (vllm/config/parallel.py).
var splitsOf = map[string]splits{
	"sglang": {must: []string{"tp_size", "pp_size", "dp_size"}},
	"vllm":   {must: []string{"tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size"}, more: []string{"prefill_context_parallel_size"}},
}

// Devices is how many accelerators the server works with; 0 where that is not sure: its engine
// does not print its sizes, one of them is not what was asked for, it runs on the CPU, or it is only
// a part of several servers.
func (c *Config) Devices() int {
	engine, known := splitsOf[c.Engine]
	if !known || c.Args["device"] == "cpu" || c.Args["device_config"] == "cpu" {
		return 0
	}
	if mode, told := c.Args["disaggregation_mode"]; told && mode != "null" {
		return 0
	}
	n := 1
	for i, name := range slices.Concat(engine.must, engine.more) {
		size, told := whole(c.Args[name])
		if !told && i >= len(engine.must) {
			continue
		}
		if !told || slices.ContainsFunc(c.Changed, func(ch Change) bool { return ch.Flag == name }) {
			return 0
		}
		if name == "dp_size" && c.Args["enable_dp_attention"] == true {
			continue
		}
		n *= size
	}
	return n
}

// whole gives a size, as it was just read or as it stood in JSON.
func whole(v any) (int, bool) {
	switch n := v.(type) {
	case int64:
		return int(n), n > 0 && n < 1<<16
	case float64:
		return int(n), n > 0 && n < 1<<16 && n == float64(int(n))
	case interface{ Int64() (int64, error) }: // json.Number
		i, err := n.Int64()
		return int(i), err == nil && i > 0 && i < 1<<16
	}
	return 0, false
}
