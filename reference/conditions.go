package reference

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"servematrix/result"
)

// condition knows where the value of one condition stands. Of several places the first that tells
// counts: what the server really ran with, the command, then what an imported output reveals.
type condition struct {
	name string
	// server and client are flags of their commands.
	server, client []string
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
	{name: "model", server: []string{"--model-path", "--model"}, told: []string{"model_path", "model"}, said: []string{"model", "model_id"}, client: []string{"--model"}, of: servedModel, same: sameModel},
	{name: "quantization", server: []string{"--quantization", "-q"}, told: []string{"quantization"}},
	{name: "dtype", server: []string{"--dtype"}, told: []string{"dtype"}},
	{name: "kv_cache_dtype", server: []string{"--kv-cache-dtype"}, told: []string{"kv_cache_dtype"}},
	{name: "device", of: deviceOf, same: sameDevice},
	{name: "devices", of: devicesOf},
	{name: "nodes", server: []string{"--nnodes"}, told: []string{"nnodes"}},
	{name: "tensor_parallel_size", server: []string{"--tp", "--tp-size", "--tensor-parallel-size", "-tp"}, told: []string{"tp_size", "tensor_parallel_size"}},
	{name: "data_parallel_size", server: []string{"--dp", "--dp-size", "--data-parallel-size", "-dp"}, told: []string{"dp_size", "data_parallel_size"}},
	{name: "attention_backend", server: []string{"--attention-backend"}, told: []string{"attention_backend"}},
	{name: "prefix_cache", of: prefixCache},
	{name: "cuda_graph", of: cudaGraph},
	{name: "speculative_algorithm", server: []string{"--speculative-algorithm", "--speculative-algo"}, told: []string{"speculative_algorithm"}},
	{name: "speculative_num_steps", server: []string{"--speculative-num-steps"}, told: []string{"speculative_num_steps"}},
	{name: "speculative_eagle_topk", server: []string{"--speculative-eagle-topk"}, told: []string{"speculative_eagle_topk"}},
	{name: "speculative_num_draft_tokens", server: []string{"--speculative-num-draft-tokens"}, told: []string{"speculative_num_draft_tokens"}},
	{name: "client", of: clientOf},
	{name: "backend", client: []string{"--backend"}, said: []string{"backend", "endpoint_type"}},
	{name: "dataset", client: []string{"--dataset-name"}, said: []string{"dataset_name"}, same: sameModel},
	{name: "input_len", client: []string{"--random-input-len", "--random-input", "--input-len", "--sonnet-input-len"}, said: []string{"random_input_len", "input_len"}},
	{name: "output_len", client: []string{"--random-output-len", "--random-output", "--output-len", "--sonnet-output-len"}, said: []string{"random_output_len", "output_len"}},
	{name: "range_ratio", client: []string{"--random-range-ratio"}, said: []string{"random_range_ratio"}},
	{name: "num_prompts", client: []string{"--num-prompts", "--num-prompt"}, said: []string{"num_prompts"}, metric: "num_prompts"},
	{name: "max_concurrency", client: []string{"--max-concurrency"}, said: []string{"max_concurrency"}, metric: "max_concurrency"},
	{name: "request_rate", client: []string{"--request-rate"}, said: []string{"request_rate"}, metric: "request_rate"},
	{name: "burstiness", client: []string{"--burstiness"}, said: []string{"burstiness"}},
	{name: "seed", client: []string{"--seed"}, said: []string{"seed"}},
	{name: "ignore_eos", of: ignoreEOS},
	{name: "warmup", client: []string{"--warmup-requests", "--num-warmups"}, said: []string{"warmup_requests", "num_warmups"}},
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
	server, client *result.Side
	sample         *result.Sample
	around         Around
	starts         int
}

// value gives a condition's value here, and whether it is known.
func (s *sides) value(name string) (string, bool) {
	c := lookup(name)
	if c == nil { // a flag
		c = &condition{server: []string{name}, client: []string{name}}
	}
	if s.around.Server != nil {
		if v, ok := config(&result.Side{Config: s.around.Server.Args}, c.told); ok {
			return v, true
		}
	}
	if v, ok := flag(s.server, c.server); ok {
		return v, true
	}
	if v, ok := flag(s.client, c.client); ok {
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

// flag gives the value of the first of the flags that a command has; the last place counts, as
// for argparse. A flag without a value is "present".
func flag(side *result.Side, names []string) (value string, ok bool) {
	if side == nil {
		return "", false
	}
	for i, word := range side.Argv {
		name, joined, cut := strings.Cut(word, "=")
		if strings.HasPrefix(name, "--") {
			name = strings.ReplaceAll(name, "_", "-")
		}
		if !slices.Contains(names, name) {
			continue
		}
		switch {
		case cut:
			value = joined
		case i+1 < len(side.Argv) && (!strings.HasPrefix(side.Argv[i+1], "-") || isNumber(side.Argv[i+1])):
			value = side.Argv[i+1]
		default:
			value = "present"
		}
		ok = true
	}
	return value, ok
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
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

func versionOf(s *sides) string {
	if s.around.Server == nil {
		return ""
	}
	return s.around.Server.Version
}

func deviceOf(s *sides) string {
	if len(s.around.Devices) == 0 {
		return ""
	}
	return s.around.Devices[0]
}

func devicesOf(s *sides) string {
	if n := len(s.around.Devices); n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}

// running gives an argument in force at the server: as it really ran, or as it told its client.
func (s *sides) running(name string) (string, bool) {
	if s.around.Server != nil {
		if v, ok := config(&result.Side{Config: s.around.Server.Args}, []string{name}); ok {
			return v, true
		}
	}
	return config(s.server, []string{name})
}

func words(side *result.Side) []string {
	if side == nil {
		return nil
	}
	return side.Argv
}

func mentions(side *result.Side, texts ...string) bool {
	for _, word := range words(side) {
		for _, text := range texts {
			if strings.Contains(word, text) {
				return true
			}
		}
	}
	return false
}

func engineOf(s *sides) string {
	switch {
	case s.sample.Simulated:
		return "servematrix sim (simulated)"
	case mentions(s.server, "sglang"):
		return "sglang"
	case mentions(s.server, "vllm"):
		return "vllm"
	case s.server != nil && len(s.server.Argv) > 0:
		return path.Base(s.server.Argv[0])
	}
	if backend, _ := config(s.client, []string{"backend"}); strings.HasPrefix(backend, "sglang") {
		return "sglang"
	}
	return ""
}

func clientOf(s *sides) string {
	switch {
	case mentions(s.client, "sglang.bench_serving"):
		return "sglang.bench_serving"
	case mentions(s.client, "benchmark_serving"):
		return "benchmark_serving.py"
	case benchOfVLLM(words(s.client)):
		return "vllm bench serve"
	case s.client != nil && len(s.client.Argv) > 0:
		return path.Base(s.client.Argv[0])
	}
	return ""
}

// benchOfVLLM tells "vllm bench serve" also behind an interpreter or a launcher; --backend vllm is a
// word of other clients too.
func benchOfVLLM(argv []string) bool {
	for i, word := range argv[:max(0, len(argv)-1)] {
		if (path.Base(word) == "vllm" || strings.HasPrefix(word, "vllm.entrypoints.cli")) && argv[i+1] == "bench" {
			return true
		}
	}
	return false
}

// servedModel finds the model that stands in a command without a flag: vllm serve MODEL.
func servedModel(s *sides) string {
	argv := words(s.server)
	if i := slices.Index(argv, "serve"); i >= 0 && i+1 < len(argv) && !strings.HasPrefix(argv[i+1], "-") {
		return argv[i+1]
	}
	return ""
}

// prefixCache is on or off where a flag or the server says so; its default differs by version.
func prefixCache(s *sides) string {
	for _, word := range words(s.server) {
		switch {
		case strings.HasPrefix(word, "--disable-radix"), word == "--no-enable-prefix-caching":
			return "off"
		case word == "--enable-prefix-caching":
			return "on"
		}
	}
	if off, known := s.running("disable_radix_cache"); known {
		return onOff(off != "true")
	}
	if on, known := s.running("enable_prefix_caching"); known {
		return onOff(on == "true")
	}
	return ""
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func cudaGraph(s *sides) string {
	for _, word := range words(s.server) {
		if word == "--disable-cuda-graph" || word == "--enforce-eager" {
			return "off"
		}
	}
	for _, name := range []string{"disable_cuda_graph", "enforce_eager"} {
		if off, known := s.running(name); known {
			return onOff(off != "true")
		}
	}
	return ""
}

func ignoreEOS(s *sides) string {
	if _, ok := flag(s.client, []string{"--ignore-eos"}); ok {
		return "true"
	}
	if _, ok := flag(s.client, []string{"--disable-ignore-eos"}); ok {
		return "false"
	}
	if v, ok := config(s.client, []string{"ignore_eos"}); ok {
		return v
	}
	if v, ok := config(s.client, []string{"disable_ignore_eos"}); ok {
		return strconv.FormatBool(v == "false")
	}
	return ""
}

func cacheOf(s *sides) string {
	if _, ok := flag(s.client, []string{"--flush-cache"}); ok {
		return "flushed"
	}
	return ""
}

// sameText compares values as numbers where both are some, else as text without regard to case.
func sameText(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && x == y || strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// sameModel compares the last parts of two names: a model lies in another folder everywhere.
func sameModel(a, b string) bool {
	last := func(s string) string { return path.Base(strings.TrimRight(strings.TrimSpace(s), "/")) }
	return sameText(last(a), last(b))
}

// sameDevice takes "H200" and "NVIDIA H200" for the same.
func sameDevice(a, b string) bool {
	a, b = strings.ToLower(strings.TrimSpace(a)), strings.ToLower(strings.TrimSpace(b))
	return a == b || slices.Contains(strings.Fields(a), b) || slices.Contains(strings.Fields(b), a)
}
