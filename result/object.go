package result

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"servematrix/metric"
	"servematrix/secret"
)

// object is one JSON object while it is sorted into metrics, configuration and the rest.
type object struct {
	metrics  *metric.Values
	config   map[string]any
	extra    map[string]any
	keys     keySet
	failures int64    // entries of errors[] that hold a message
	messages []string // the first distinct ones
	requests bool     // errors[] was there
	line     int      // where it begins, from 1; 0 when unknown
	sim      bool
	partial  bool // the client says itself that it was interrupted
	findings []Reason
}

// usualConfig is how many configuration keys a line has at most, mostly.
const usualConfig = 14

func newObject() *object {
	return &object{config: make(map[string]any, usualConfig), extra: map[string]any{}, metrics: &metric.Values{}}
}

// perRequest are the clients' arrays with one entry a request (or token); they are read over.
var perRequest = map[string]bool{
	"input_lens": true, "output_lens": true, "ttfts": true, "itls": true, "latencies": true,
	"start_times": true, "queue_times": true, "generated_texts": true, "prompts": true,
	"text_chunks": true, "requests": true, "details": true, "request_errors": true,
}

// harmlessServerInfo are the server arguments in SGLang's server_info that are worth keeping.
// It is a list of what passes, because the whole holds api_key and admin_api_key among a
// hundred others, and more with every version.
var harmlessServerInfo = map[string]bool{
	"version": true, "model_path": true, "served_model_name": true, "tokenizer_path": true,
	"tp_size": true, "dp_size": true, "pp_size": true, "ep_size": true, "nnodes": true,
	"dtype": true, "kv_cache_dtype": true, "quantization": true, "context_length": true, "device": true,
	"attention_backend": true, "prefill_attention_backend": true, "decode_attention_backend": true,
	"sampling_backend": true, "grammar_backend": true, "moe_runner_backend": true,
	"disable_radix_cache": true, "disable_cuda_graph": true, "cuda_graph_max_bs": true,
	"enable_torch_compile": true, "enable_dp_attention": true, "disable_overlap_schedule": true,
	"mem_fraction_static": true, "max_total_num_tokens": true, "max_running_requests": true,
	"chunked_prefill_size": true, "max_prefill_tokens": true, "page_size": true,
	"schedule_policy": true, "schedule_conservativeness": true, "random_seed": true,
	"speculative_algorithm": true, "speculative_num_steps": true, "speculative_eagle_topk": true,
	"speculative_num_draft_tokens": true, "enable_hierarchical_cache": true,
}

// value takes the value of a key.
func (o *object) value(s *scanner, key *keyMeaning) error {
	o.keys |= key.tells
	c, err := s.peek()
	isNested := c == '{' || c == '['
	switch {
	case err != nil:
		return err
	case key.name == "errors" && c == '[':
		return o.errors(s)
	case isNested && key.perRequest:
		return s.skip()
	case isNested && key.name == "server_info":
		return o.serverInfo(s)
	case isNested:
		return o.nested(s, key)
	}
	v, err := s.scalar(c)
	if err != nil {
		return err
	}
	if key.secret && !v.null() {
		v = scalar{other: secret.Mask}
	}
	o.scalar(key, v)
	return nil
}

func (o *object) scalar(key *keyMeaning, v scalar) {
	if key.asked {
		o.config[key.name] = v.value()
	}
	if key.metric != "" {
		if v.numeric {
			if key.inTable {
				o.metrics.SetAt(key.place, v.f)
			} else {
				o.metrics.Set(key.metric, v.f)
			}
			if !finite(v.f) && key.metric == "request_rate" {
				o.extra[key.name] = v.value() // null among the metrics; here one still reads what was asked
			}
		}
		return
	}
	truth, isTruth := v.other.(bool)
	switch {
	case key.asked || v.null():
	case key.name == "simulated":
		o.sim = truth
	case key.name == "partial":
		o.partial = truth
	case v.numeric || isTruth:
		o.extra[key.label] = v.value()
	default:
		o.config[key.name] = v.value()
	}
}

// serverInfo picks what is harmless out of SGLang's server_info, and holds nothing else of it.
func (o *object) serverInfo(s *scanner) error {
	c, err := s.peek()
	if err != nil || c != '{' {
		return errors.Join(err, s.skip())
	}
	info := map[string]any{}
	err = s.object(func(key string) error {
		if !harmlessServerInfo[key] {
			return s.skip()
		}
		left := maxKept
		v, fits, err := s.nested(&left, 0)
		if fits && v != nil {
			info[key] = v
		}
		return err
	})
	if len(info) > 0 {
		o.config["server_info"] = info
	}
	return err
}

func labelOf(key string) string {
	if label, ok := jsonLabels[key]; ok {
		return label
	}
	return key
}

func (o *object) nested(s *scanner, key *keyMeaning) error {
	left := maxKept
	value, fits, err := s.nested(&left, 0)
	if err != nil || !fits {
		return err
	}
	switch inner, isObject := value.(map[string]any); {
	case key.secret:
	case isObject && key.name == "metrics":
		o.own(inner)
	case isObject && key.name == "extra":
		maps.Copy(o.extra, inner)
	case isObject && key.name == "config":
		maps.Copy(o.config, inner)
	case key.name == "client_bottleneck":
		o.bottlenecks(value)
	case isObject && (key.asked || key.name == "metadata" || key.name == "args"):
		o.config[key.name] = value
	default:
		o.extra[key.label] = value
	}
	return nil
}

// bottlenecks takes what the embedded client says of itself.
func (o *object) bottlenecks(list any) {
	reasons, _ := list.([]any)
	for _, r := range reasons {
		if reason, ok := r.(string); ok {
			o.findings = append(o.findings, bottleneck(reason))
		}
	}
}

// bottleneck is the finding that a client takes itself for the limit of what it measured.
func bottleneck(reason string) Reason {
	return Reason{ClientStarved, SeverityWarning, "the client says that the numbers may be its own limit: " + reason}
}

// own takes metrics that stand in an object of their own, as servematrix writes them.
func (o *object) own(metrics map[string]any) {
	for key, value := range metrics {
		name, known := jsonMetric(key)
		f, numeric := toFloat(value)
		switch {
		case known && numeric:
			o.metrics.Set(name, f)
		case !known && value != nil:
			o.extra[labelOf(key)] = value
		}
	}
}

// errors counts the requests that ended with a message and keeps the first distinct ones. Both
// Python clients list a text per request, empty for a good one; our own counts them by class.
func (o *object) errors(s *scanner) error {
	o.requests = true
	return s.array(func() error {
		left := maxKept
		value, _, err := s.nested(&left, 0)
		switch v := value.(type) {
		case string:
			o.failed(v, 1)
		case map[string]any:
			class, _ := v["class"].(string)
			first, _ := v["first"].(string) // as written until examples took its place
			if examples, _ := v["examples"].([]any); len(examples) > 0 {
				first, _ = examples[0].(string)
			}
			if n, ok := v["count"].(int64); ok && n > 0 {
				o.failed(class+": "+first, n)
			}
		}
		return err
	})
}

func (o *object) failed(message string, times int64) {
	if message == "" {
		return
	}
	o.failures += times
	message = clip(message)
	if len(o.messages) < maxErrors && !slices.Contains(o.messages, message) {
		o.messages = append(o.messages, message)
	}
}

// clip shortens an error message to its end, where Python's tracebacks say what happened.
func clip(message string) string {
	if len(message) > maxErrorLen {
		message = strings.ToValidUTF8("…"+message[len(message)-maxErrorLen:], "")
	}
	return message
}

func (o *object) measurement() *Measurement {
	m := &Measurement{
		Metrics: o.metrics, Extra: o.extra, Config: o.config, Source: "json", Parser: ParserVersion,
		Simulated: o.sim, Partial: o.partial, Findings: o.findings, at: Source{Line: o.line},
	}
	if o.requests {
		// SGLang counts no failures of its own; vLLM's count is the same number.
		if _, has := m.Metrics.Known("failed"); !has {
			m.Metrics.Set("failed", float64(o.failures))
		}
	}
	if o.failures > 0 {
		m.Extra["errors"] = o.failures
		m.Extra["error messages"] = anySlice(o.messages)
	}
	m.Client = o.client()
	o.other(m)
	m.complete()
	return m
}

func anySlice(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// client tells by its keys who wrote the object.
func (o *object) client() string {
	if name, ok := o.config["client"].(string); ok && name == ClientServematrix {
		delete(o.config, "client")
		return ClientServematrix
	}
	switch {
	case o.has("total_output_tokens_retokenized"), o.has("random_range_ratio", "total_throughput"):
		return ClientSGLang
	case o.has("total_token_throughput"), o.has("endpoint_type", "burstiness"):
		return ClientVLLM
	}
	return ""
}
