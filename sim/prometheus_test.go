package sim

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// exposed reads Prometheus' text format strictly: every sample of the form that the format's
// specification gives, after a TYPE line of its family.
func exposed(t *testing.T, text string) map[string]float64 {
	t.Helper()
	sample := regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)\{((?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*)\} (\S+)$`)
	family := regexp.MustCompile(`^# TYPE (\S+) (gauge|counter|histogram)$`)
	values, known := map[string]float64{}, ""
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if m := family.FindStringSubmatch(line); m != nil {
			known = m[1]
			continue
		}
		if strings.HasPrefix(line, "# HELP ") {
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil || !strings.HasPrefix(m[1], known) {
			t.Fatalf("no sample of %s: %s", known, line)
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if _, had := values[m[1]]; !had || !strings.Contains(m[2], "le=") {
			values[m[1]] = v
		}
	}
	return values
}

func TestMetrics(t *testing.T) {
	for style, names := range map[string][]string{
		SGLang: {"num_running_reqs", "num_queue_reqs", "token_usage", "cache_hit_rate", "gen_throughput", "time_to_first_token_seconds_bucket"},
		VLLM:   {"num_requests_running", "num_requests_waiting", "kv_cache_usage_perc", "prefix_cache_hits_total", "prefix_cache_queries_total", "num_preemptions_total"},
	} {
		s := ready(t, Options{Style: style, ServedModelName: `odd"name`})
		for range 2 {
			s.post("/v1/completions", `{"prompt":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18],"max_tokens":5,"ignore_eos":true}`)
		}
		_, text := s.do("GET", "/metrics", "")
		values := exposed(t, string(text))
		for _, name := range names {
			if _, ok := values[style+":"+name]; !ok {
				t.Errorf("%s lacks %s", style, name)
			}
		}
		want := map[string]float64{
			"servematrix_simulated": 1, style + ":e2e_request_latency_seconds_count": 2,
			"vllm:generation_tokens_total": 10, "vllm:prefix_cache_hits_total": 16, "vllm:prefix_cache_queries_total": 36,
			"sglang:generation_tokens_total": 10 + 8, "sglang:cached_tokens_total": 17, // the warm-up generates 8
		}
		if style == SGLang {
			want[style+":e2e_request_latency_seconds_count"] = 3
		}
		for name, v := range want {
			if got, ok := values[name]; got != v && (ok || strings.HasPrefix(name, style)) {
				t.Errorf("%s = %v, want %v", name, got, v)
			}
		}
	}
}
