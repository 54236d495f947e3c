package result

import (
	"maps"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// block wraps rows in the header and closing rule that both clients print.
func block(rows ...string) string {
	return "============ Serving Benchmark Result ============\n" + strings.Join(rows, "\n") + "\n" + strings.Repeat("=", 50) + "\n"
}

func one(t *testing.T, text string) *Measurement {
	t.Helper()
	found, err := ParseText(strings.NewReader(text))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d results, %v", len(found), err)
	}
	return found[0]
}

// Labels as they were over the years, each with the name it stands for.
func TestTextLabels(t *testing.T) {
	for row, want := range map[string]struct {
		name  string
		value float64
	}{
		"Max reqeuest concurrency:                16        ": {"max_concurrency", 16},
		"Max request concurrency:                 16        ": {"max_concurrency", 16},
		"Maximum request concurrency:             16        ": {"max_concurrency", 16},
		"Total Token throughput (tok/s):          1826.52   ": {"total_throughput", 1826.52},
		"Total token throughput (tok/s):          1826.52   ": {"total_throughput", 1826.52},
		"Request rate configured (RPS):           4.00      ": {"request_rate", 4},
		"Traffic request rate:                    4.0       ": {"request_rate", 4},
		"Peak concurrent requests:                34.00     ": {"peak_concurrent_requests", 34},
		"Mean E2E Latency (ms):                   1.50      ": {"mean_e2e_latency_ms", 1.5},
		"Mean E2EL (ms):                          1.50      ": {"mean_e2e_latency_ms", 1.5},
		"P99.9 E2EL (ms):                         1.50      ": {"p99.9_e2e_latency_ms", 1.5},
		"P95 E2E Latency (ms):                    1.50      ": {"p95_e2e_latency_ms", 1.5},
		"Max ITL (ms):                            1.50      ": {"max_itl_ms", 1.5},
		"Std TTFT (ms):                           1.50      ": {"std_ttft_ms", 1.5},
		"Accept length:                           2.50      ": {"accept_length", 2.5},
		"Acceptance length:                       2.50      ": {"accept_length", 2.5},
		"Failed requests:                         3         ": {"failed", 3},
		"Mean TTFT (s):                           0.25      ": {"mean_ttft_ms", 250},
		"Output throughput (tok/s):               7.00      ": {"output_throughput", 7},
		"Requests asked for:                      9         ": {"num_prompts", 9},
		"  Mean TTFT (ms):    1e3":                            {"mean_ttft_ms", 1000},
	} {
		m := one(t, block(row))
		if got := m.Metrics.Value(want.name); got != want.value || m.Metrics.Len() != 1 || len(m.Extra) != 0 {
			t.Errorf("%q: %v, extra %v", row, m.Metrics, m.Extra)
		}
	}
}

func TestTextValuesThatAreNoNumbers(t *testing.T) {
	m := one(t, block(
		"Backend:                                 sglang    ",
		"Traffic request rate:                    inf       ",
		"Max request concurrency:                 not set   ",
		"Successful requests:                     4         ",
		"Mean TTFT (ms):                          nan       ",
		"Median TTFT (ms):                        -inf      ",
	))
	if !math.IsInf(m.Metrics.Value("request_rate"), 1) || !math.IsNaN(m.Metrics.Value("mean_ttft_ms")) || !math.IsInf(m.Metrics.Value("median_ttft_ms"), -1) {
		t.Errorf("metrics %v", m.Metrics)
	}
	if _, ok := m.Metrics.Known("max_concurrency"); ok {
		t.Error("max_concurrency is set")
	}
	if diff := cmp.Diff(map[string]any{"Traffic request rate": "inf"}, m.Extra); diff != "" {
		t.Error(diff)
	}
	if m.Config["backend"] != "sglang" {
		t.Errorf("config %v", m.Config)
	}
	trace := one(t, block("Traffic request rate:                    trace     ", "Successful requests:                     4         "))
	if diff := cmp.Diff(map[string]any{"Traffic request rate": "trace"}, trace.Extra); diff != "" {
		t.Error(diff)
	}
}

func TestTextRepeatedLabels(t *testing.T) {
	m := one(t, block(
		"Successful requests:                     4         ",
		"----------------Cache Hit Details-----------------",
		"Cached tokens:                           1000      ",
		"  Device:                                800       ",
		"  Host:                                  200       ",
		"Cache hit rate (%):                      50.00     ",
		"  Device:                                40.00     ",
		"  Host:                                  10.00     ",
		"---------------Second Cache-----------------------",
		"Cached tokens:                           7         ",
		"Cached tokens:                           8         ",
		"Cached tokens:                           9         ",
	))
	want := map[string]any{
		"Cached tokens": int64(1000), "Device": int64(800), "Host": int64(200),
		"Cache hit rate (%)": 50.0, "Cache hit rate (%) / Device": 40.0, "Cache hit rate (%) / Host": 10.0,
		"Second Cache / Cached tokens": int64(7), "Second Cache / Cached tokens (2)": int64(8), "Second Cache / Cached tokens (3)": int64(9),
	}
	if diff := cmp.Diff(want, m.Extra); diff != "" {
		t.Error(diff)
	}
}

func TestTextSpeculativeDecoding(t *testing.T) {
	m := one(t, block(
		"Successful requests:                     20        ",
		"Failed requests:                         0         ",
		"---------------Speculative Decoding---------------",
		"Acceptance rate (%):                     73.47     ",
		"Acceptance length:                       3.20      ",
		"Drafts:                                  6393      ",
		"Per-position acceptance (%):",
		"  Position 0:                            83.42     ",
		"  Position 1:                            72.91     ",
	))
	want := map[string]any{"Acceptance rate (%)": 73.47, "Drafts": int64(6393), "Position 0": 83.42, "Position 1": 72.91}
	if diff := cmp.Diff(want, m.Extra); diff != "" {
		t.Error(diff)
	}
	if m.Metrics.Value("accept_length") != 3.2 || m.Client != ClientVLLM {
		t.Errorf("%v, client %q", m.Metrics, m.Client)
	}
}

// The Rust client's block: 60 columns, and labels that come again after the closing rule.
const rustBlock = "================= Serving Benchmark Result =================\n" +
	"Successful requests:                     400       \n" +
	"Failed requests:                         0         \n" +
	"Mean TTFT (ms):                          100.00    \n" +
	"============================================================\n" +
	"\n" +
	"=================== Steady-State Metrics ===================\n" +
	"Successful requests:                     300       \n" +
	"Mean TTFT (ms):                          50.00     \n" +
	"P90 TTFT (ms):                           60.00     \n" +
	"============================================================\n"

func TestTextFirstMatchCounts(t *testing.T) {
	m := one(t, rustBlock)
	sameMetrics(t, "rust", map[string]float64{"completed": 400, "failed": 0, "mean_ttft_ms": 100}, m.Metrics)
	want := map[string]any{
		"Steady-State Metrics / Successful requests": int64(300),
		"Steady-State Metrics / Mean TTFT (ms)":      50.0,
		"Steady-State Metrics / P90 TTFT (ms)":       60.0,
	}
	if diff := cmp.Diff(want, m.Extra); diff != "" {
		t.Error(diff)
	}
	if m.Partial || m.Client != ClientVLLM {
		t.Errorf("partial %v, client %q", m.Partial, m.Client)
	}
}

// What follows a closed block is not part of it.
func TestTextAfterTheBlock(t *testing.T) {
	m := one(t, block("Successful requests:                     4         ")+"Mean TTFT (ms):                          3.00\n------ Other Section ------\nMean ITL (ms):   1\n")
	sameMetrics(t, "closed", map[string]float64{"completed": 4}, m.Metrics)
	if len(m.Extra) != 0 {
		t.Errorf("extra %v", m.Extra)
	}
}

func TestTextLineEnds(t *testing.T) {
	plain := block("Successful requests:                     4         ", "Mean TTFT (ms):                          98.30     ")
	want := maps.Collect(one(t, plain).Metrics.All())
	noisy := "\ufeff" + strings.ReplaceAll(plain, "\n", "\r\n")
	for name, text := range map[string]string{
		"crlf and bom": noisy,
		"cr":           strings.ReplaceAll(plain, "\n", "\r"),
		"colours":      strings.ReplaceAll(strings.ReplaceAll(plain, "Mean", "\x1b[1;32mMean\x1b[0m"), "98.30", "\x1b]8;;http://x\x1b\\98.30"),
		"progress":     strings.Replace(plain, "Mean", "\r  0%|          | 0/40 [00:00<?, ?it/s]\r 50%|#####     | 20/40 [00:01<00:01, 1.71s/it]\nMean", 1),
		"log lines":    strings.Replace(plain, "Mean", "(APIServer pid=7) INFO:     127.0.0.1:80 - \"POST /v1\" 200 OK\n[2026-05-15 13:46:19] INFO: done\nMean", 1),
		"indented":     "    " + strings.ReplaceAll(plain, "\n", "\n    "),
		"long line":    strings.Repeat("x", 3<<20) + "\n" + plain,
	} {
		m := one(t, text)
		sameMetrics(t, name, want, m.Metrics)
		if m.Partial || len(m.Extra) != 0 {
			t.Errorf("%s: partial %v, extra %v", name, m.Partial, m.Extra)
		}
	}
}

func TestTextCutBlock(t *testing.T) {
	whole := block("Successful requests:                     4         ", "Mean TTFT (ms):                          98.30     ")
	// Wherever it is cut, no number is invented: a value is either whole or absent.
	for i := range whole {
		found, err := ParseText(strings.NewReader(whole[:i]))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			closed := strings.Count(whole[:i], "=") >= 24+minRule && strings.Contains(whole[:i], "98.30")
			if m.Partial == closed {
				t.Errorf("cut at %d: partial %v", i, m.Partial)
			}
			if f, ok := m.Metrics.Known("mean_ttft_ms"); ok && f != 98.30 {
				t.Errorf("cut at %d: mean TTFT %v", i, f)
			}
			if f := m.Metrics.Value("completed"); f != 4 {
				t.Errorf("cut at %d: completed %v", i, f)
			}
		}
	}
	banner := strings.Repeat("=", 100) + "\n"
	m := one(t, strings.Join(strings.Split(whole, "\n")[:2], "\n")+"\n"+banner+"something else\n")
	if !m.Partial {
		t.Error("the rule of a report's banner closed a block")
	}
}

func TestTextTwoResults(t *testing.T) {
	first := "Namespace(num_prompts=4, seed=1)\n" + block("Successful requests:                     4         ")
	second := "Namespace(num_prompts=8)\n" + block("Successful requests:                     8         ")
	found, err := ParseText(strings.NewReader(first + second + block("Successful requests:                     2         ")))
	if err != nil || len(found) != 3 {
		t.Fatalf("%d results, %v", len(found), err)
	}
	for i, want := range []map[string]any{{"num_prompts": int64(4), "seed": int64(1)}, {"num_prompts": int64(8)}, {}} {
		if diff := cmp.Diff(want, found[i].Config); diff != "" {
			t.Errorf("result %d: %s", i, diff)
		}
	}
	if found[0].Metrics.Value("num_prompts") != 4 || found[1].Metrics.Value("num_prompts") != 8 {
		t.Errorf("%v, %v", found[0].Metrics, found[1].Metrics)
	}
}

func TestTextConfiguration(t *testing.T) {
	found, err := ParseText(open(t, "sglang-matrix-deepseek-v3.txt"))
	if err != nil || len(found) != 4 {
		t.Fatalf("%d results, %v", len(found), err)
	}
	config := found[0].Config
	for key, want := range map[string]any{
		"port": int64(30000), "model": "/dev/shm/DeepSeek-V3-0324/", // as resolved, not as given
		"request_rate": "inf", "random_range_ratio": 1.0, "tokenizer": nil, "disable_tqdm": false,
		"expected_input_tokens": int64(256000), "expected_output_tokens": int64(256000),
	} {
		if got, ok := config[key]; !ok || got != want {
			t.Errorf("%s = %#v, %v; want %#v", key, got, ok, want)
		}
	}
}

// The embedded client prints SGLang's layout with rows of its own.
func TestTextOfOurOwnForm(t *testing.T) {
	m := one(t, block(
		"Backend:                                 sglang    ",
		"Server:                                  simulated ",
		"Partial:                                 interrupted",
		"Client bottleneck:                       its processors were busy: it used 1.95 of 2",
		"Successful requests:                     4         ",
		"Failed requests:                         2         ",
		"Request goodput (req/s):                 1.50      ",
		"------------------From Schedule-------------------",
		"P99 send lateness (ms):                  7.00      ",
		"Mean E2E latency from schedule (ms):     8.00      ",
		"----------------------Errors----------------------",
		"reset:                                   2         ",
	))
	if m.Client != ClientServematrix || !m.Simulated || !m.Partial || m.Extra["reset"] != int64(2) || len(m.Extra) != 1 {
		t.Errorf("%+v", m)
	}
	if len(m.Findings) != 1 || m.Findings[0] != bottleneck("its processors were busy: it used 1.95 of 2") {
		t.Errorf("findings %v", m.Findings)
	}
	for name, want := range map[string]float64{"request_goodput": 1.5, "p99_send_lateness_ms": 7, "mean_e2e_latency_from_schedule_ms": 8} {
		if got := m.Metrics.Value(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

func TestTextIsAlwaysUTF8(t *testing.T) {
	m := one(t, block("Odd label \xff here:                      \xfe text", "Successful requests:                     4         "))
	for label, value := range m.Extra {
		if text, _ := value.(string); !utf8.ValidString(label) || !utf8.ValidString(text) {
			t.Errorf("%q: %q", label, value)
		}
	}
	if len(m.Extra) != 1 {
		t.Errorf("%v", m.Extra)
	}
}
