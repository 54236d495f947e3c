package result

// jsonForm is a JSON form whose keys do not say by themselves what they hold: one of an older
// version, or of a benchmark that serves nothing. It is known by keys that only it has.
type jsonForm struct {
	keys   []string
	absent string // a key that it lacks
	client string
	// metrics gives the contract's name for a key, factor what its number is multiplied by.
	metrics map[string]string
	factor  map[string]float64
	// other are keys that have a metric's name and mean something else; they stay in Extra.
	other []string
}

var jsonForms = []jsonForm{
	{ // sglang.bench_serving until 0.3 (2024): milliseconds without a unit in the key
		keys: []string{"total_output_retokenized", "output_token_throughput"}, client: ClientSGLang,
		metrics: map[string]string{
			"total_input": "total_input_tokens", "total_output": "total_output_tokens",
			"output_token_throughput": "output_throughput", "benchmark_duration": "duration_s",
			"mean_e2e_latency": "mean_e2e_latency_ms", "median_e2e_latency": "median_e2e_latency_ms",
			"median_ttft": "median_ttft_ms", "median_itl": "median_itl_ms",
		},
	},
	{ // the same between: keys as today but for the totals
		keys: []string{"total_output_retokenized", "request_throughput"}, client: ClientSGLang,
		metrics: map[string]string{
			"total_input": "total_input_tokens", "total_output": "total_output_tokens", "benchmark_duration": "duration_s",
		},
	},
	{ // the same in 0.4: keys as today, and no more than these
		keys: []string{"total_output_tokens_retokenized", "output_throughput"}, absent: "request_throughput", client: ClientSGLang,
	},
	{ // sglang.bench_offline_throughput
		keys: []string{"successful_requests", "total_latency", "last_gen_throughput"}, client: ClientOffline,
		metrics: map[string]string{"successful_requests": "completed", "total_latency": "duration_s"},
	},
	{ // sglang.bench_one_batch_server: its throughputs are those of prefill and decode apart
		keys: []string{"batch_size", "overall_throughput", "latency"}, client: "sglang.bench_one_batch_server",
		metrics: map[string]string{"batch_size": "num_prompts", "latency": "duration_s", "overall_throughput": "total_throughput", "acc_length": "accept_length"},
		other:   []string{"input_throughput", "output_throughput"},
	},
	{ // vllm bench throughput
		keys: []string{"elapsed_time", "num_requests", "tokens_per_second"}, client: "vllm bench throughput",
		metrics: map[string]string{"elapsed_time": "duration_s", "num_requests": "num_prompts", "requests_per_second": "request_throughput", "tokens_per_second": "total_throughput"},
	},
	{ // vllm bench latency: seconds for a whole batch
		keys: []string{"avg_latency", "latencies", "percentiles"}, client: "vllm bench latency",
		metrics: map[string]string{"avg_latency": "mean_e2e_latency_ms"}, factor: map[string]float64{"avg_latency": 1000},
	},
}

// other brings an object of one of these forms under the contract's names.
func (o *object) other(m *Measurement) {
	for _, form := range jsonForms {
		if !o.has(form.keys...) || o.has(form.absent) {
			continue
		}
		m.Client, m.older = form.client, true
		for _, key := range form.other {
			if f, ok := m.Metrics.Known(key); ok {
				m.Metrics.Delete(key)
				m.Extra[key] = plain(f, false)
			}
		}
		for key, name := range form.metrics {
			f, ok := toFloat(m.Extra[key])
			if _, taken := m.Metrics.Known(name); !ok || taken {
				continue
			}
			if factor, has := form.factor[key]; has {
				f *= factor
			}
			delete(m.Extra, key)
			m.Metrics.Set(name, f)
		}
		return
	}
}
