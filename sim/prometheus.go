package sim

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// metrics answers in Prometheus' text format with the metric names of the imitated engine.
func (s *server) metrics(w http.ResponseWriter, _ *http.Request) {
	e := s.engine
	e.mu.Lock()
	c, running, waiting, usage := e.stats, len(e.running), len(e.waiting), e.kv.used()
	tokens := e.kv.capacity - e.kv.available()
	e.mu.Unlock()

	m := &exposition{prefix: "sglang:", labels: `model_name="` + escapeLabel(s.opt.ServedModelName) + `"`}
	finished := c.stopped + c.lengthLimited
	if s.opt.Style == VLLM {
		m.prefix, m.labels = "vllm:", `engine="0",`+m.labels
		m.value("gauge", "num_requests_running", "Number of requests in model execution batches.", float64(running))
		m.value("gauge", "num_requests_waiting", "Number of requests waiting to be processed.", float64(waiting))
		m.value("gauge", "kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", usage)
		m.value("counter", "prefix_cache_queries_total", "Prefix cache queries, in queried tokens.", float64(c.cacheQueries))
		m.value("counter", "prefix_cache_hits_total", "Prefix cache hits, in cached tokens.", float64(c.cacheHits))
		m.value("counter", "num_preemptions_total", "Cumulative number of preemptions.", float64(c.retracted))
		m.value("counter", "prompt_tokens_total", "Number of prefill tokens processed.", float64(c.promptTokens))
		m.value("counter", "generation_tokens_total", "Number of generation tokens processed.", float64(c.generatedTokens))
		m.head("counter", "request_success_total", "Count of successfully processed requests.")
		m.sample("request_success_total", `finished_reason="stop"`, float64(c.stopped))
		m.sample("request_success_total", `finished_reason="length"`, float64(c.lengthLimited))
		m.sample("request_success_total", `finished_reason="abort"`, float64(c.aborted))
		m.histogram("time_to_first_token_seconds", "Time to first token in seconds.", c.ttft)
		m.histogram("inter_token_latency_seconds", "Inter-token latency in seconds.", c.itl)
		m.histogram("e2e_request_latency_seconds", "End-to-end request latency in seconds.", c.e2e)
	} else {
		hitRate := 0.0
		if c.cacheQueries > 0 {
			hitRate = float64(c.cacheHits) / float64(c.cacheQueries)
		}
		throughput := 0.0
		if c.busy > 0 {
			throughput = float64(c.generatedTokens) / c.busy.Seconds()
		}
		m.value("gauge", "num_running_reqs", "The number of running requests.", float64(running))
		m.value("gauge", "num_queue_reqs", "The number of requests in the waiting queue.", float64(waiting))
		m.value("gauge", "num_used_tokens", "The number of used tokens.", float64(tokens))
		m.value("gauge", "token_usage", "The token usage.", usage)
		m.value("gauge", "max_total_num_tokens", "Maximum total number of tokens in the KV cache pool.", float64(s.opt.MaxTotalTokens))
		m.value("gauge", "cache_hit_rate", "The prefix cache hit rate since the start.", hitRate)
		m.value("gauge", "gen_throughput", "The generation throughput over the time of work (token/s).", throughput)
		m.value("counter", "num_retracted_reqs_total", "The number of retracted requests.", float64(c.retracted))
		m.value("counter", "prompt_tokens_total", "Number of prefill tokens processed.", float64(c.promptTokens))
		m.value("counter", "generation_tokens_total", "Number of generation tokens processed.", float64(c.generatedTokens))
		m.value("counter", "cached_tokens_total", "Number of cached prompt tokens.", float64(c.cacheHits))
		m.value("counter", "num_requests_total", "Number of requests processed.", float64(finished))
		m.value("counter", "num_aborted_requests_total", "Number of requests aborted.", float64(c.aborted))
		m.value("gauge", "engine_startup_time", "The time taken for the engine to start up, in seconds.", s.opt.Startup.Seconds())
		m.value("gauge", "engine_load_weights_time", "The time taken to load weights, in seconds.", 0.3*s.opt.Startup.Seconds())
		m.histogram("time_to_first_token_seconds", "Histogram of time to first token in seconds.", c.ttft)
		m.histogram("inter_token_latency_seconds", "Histogram of inter-token latency in seconds.", c.itl)
		m.histogram("e2e_request_latency_seconds", "Histogram of End-to-end request latency in seconds.", c.e2e)
	}
	m.prefix = "servematrix_"
	m.value("gauge", "simulated", "1: these are numbers of servematrix's simulated server.", 1)
	m.value("counter", "sim_late_passes_total", "Passes that the host was too slow to time.", float64(c.latePasses))
	m.value("counter", "sim_busy_seconds_total", "Time spent in passes.", c.busy.Seconds())
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write([]byte(m.text.String())) // the client may have gone
}

// exposition builds Prometheus' text format.
type exposition struct {
	text           strings.Builder
	prefix, labels string
}

func (m *exposition) head(kind, name, help string) {
	fmt.Fprintf(&m.text, "# HELP %s%s %s\n# TYPE %s%s %s\n", m.prefix, name, help, m.prefix, name, kind)
}

func (m *exposition) sample(name, labels string, v float64) {
	if labels != "" {
		labels = "," + labels
	}
	fmt.Fprintf(&m.text, "%s%s{%s%s} %s\n", m.prefix, name, m.labels, labels, strconv.FormatFloat(v, 'g', -1, 64))
}

func (m *exposition) value(kind, name, help string, v float64) {
	m.head(kind, name, help)
	m.sample(name, "", v)
}

func (m *exposition) histogram(name, help string, h histogram) {
	m.head("histogram", name, help)
	cumulated := uint64(0)
	for i, bound := range histogramBounds {
		cumulated += h.counts[i]
		m.sample(name+"_bucket", `le="`+strconv.FormatFloat(bound, 'g', -1, 64)+`"`, float64(cumulated))
	}
	m.sample(name+"_bucket", `le="+Inf"`, float64(h.total))
	m.sample(name+"_sum", "", h.sum)
	m.sample(name+"_count", "", float64(h.total))
}

func escapeLabel(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}

// logPasses gives the engine's own log lines about its work: SGLang's on each prefill and on
// every fortieth decode pass, vLLM's a summary every ten seconds while there is work.
func (s *server) logPasses() func(passReport) {
	if s.opt.Style == VLLM {
		return s.logVLLMPasses()
	}
	const interval = 40
	decodes, tokens, spent := 0, 0, time.Duration(0)
	return func(p passReport) {
		if p.prefilled > 0 {
			s.log.sglang("Prefill batch, #new-seq: %d, #new-token: %d, #cached-token: %d, token usage: %.2f, #running-req: %d, #queue-req: %d, input throughput (token/s): %.2f, cuda graph: False",
				p.started, p.prefilled, p.cached, p.usage, p.running, p.waiting, float64(p.prefilled)/p.took.Seconds())
			return
		}
		decodes, tokens, spent = decodes+1, tokens+p.decoded, spent+p.took
		if decodes%interval == 0 {
			s.log.sglang("Decode batch, #running-req: %d, #token: %d, token usage: %.2f, cuda graph: True, gen throughput (token/s): %.2f, #queue-req: %d",
				p.running, p.tokens, p.usage, float64(tokens)/spent.Seconds(), p.waiting)
			tokens, spent = 0, 0
		}
	}
}

func (s *server) logVLLMPasses() func(passReport) {
	const interval = 10 * time.Second
	last, prompt, generated := time.Now(), 0, 0
	return func(p passReport) {
		prompt, generated = prompt+p.prefilled, generated+p.decoded
		if since := time.Since(last); since >= interval {
			s.log.api("loggers.py:335", "Engine 000: Avg prompt throughput: %.1f tokens/s, Avg generation throughput: %.1f tokens/s, Running: %d reqs, Waiting: %d reqs, GPU KV cache usage: %.1f%%",
				float64(prompt)/since.Seconds(), float64(generated)/since.Seconds(), p.running, p.waiting, 100*p.usage)
			last, prompt, generated = time.Now(), 0, 0
		}
	}
}
