package result

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// offlineRows is what sglang.bench_offline_throughput prints.
const offlineRows = "====== Offline Throughput Benchmark Result =======\n" +
	"Backend:                                 engine    \n" +
	"Successful requests:                     2000      \n" +
	"Benchmark duration (s):                  172.37    \n" +
	"Total input tokens:                      626729    \n" +
	"Total generated tokens:                  388685    \n" +
	"Last generation throughput (tok/s):      33.36     \n" +
	"Request throughput (req/s):              11.60     \n" +
	"Input token throughput (tok/s):          3635.89   \n" +
	"Output token throughput (tok/s):         2254.91   \n" +
	"Total token throughput (tok/s):          5890.80   \n" +
	"==================================================\n"

var offlineMetrics = map[string]float64{
	"completed": 2000, "duration_s": 172.37, "total_input_tokens": 626729, "total_output_tokens": 388685,
	"request_throughput": 11.6, "input_throughput": 3635.89, "output_throughput": 2254.91, "total_throughput": 5890.8,
}

func eachLine(text string, do func(i int, line string) string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = do(i, l)
	}
	return strings.Join(lines, "\n") + "\n"
}

func wide(text string, order string) string {
	var out strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		if order == "little" {
			out.WriteString(string([]byte{byte(u), byte(u >> 8)}))
		} else {
			out.WriteString(string([]byte{byte(u >> 8), byte(u)}))
		}
	}
	return out.String()
}

// The same block however it reached the file: the numbers are the same.
func TestImportTheSameBlock(t *testing.T) {
	stamp := func(i int, l string) string {
		return "2026-11-21T10:00:0" + string(rune('0'+i%10)) + ".1234567Z " + l
	}
	for name, text := range map[string]string{
		"plain":                 offlineRows,
		"crlf":                  strings.ReplaceAll(offlineRows, "\n", "\r\n"),
		"mpirun":                eachLine(offlineRows, func(_ int, l string) string { return "[1,0]<stdout>:" + l }),
		"docker compose":        eachLine(offlineRows, func(_ int, l string) string { return "bench-1  | " + l }),
		"coloured compose":      eachLine(offlineRows, func(_ int, l string) string { return "\x1b[36mbench-1  |\x1b[0m " + l }),
		"time stamps":           eachLine(offlineRows, stamp),
		"srun --label":          eachLine(offlineRows, func(_ int, l string) string { return "0: " + l }),
		"behind a progress bar": "100%|##########| 2000/2000 [02:52<00:00, 11.60it/s]" + offlineRows,
		"utf-16 little":         "\xff\xfe" + wide(offlineRows, "little"),
		"utf-16 big":            "\xfe\xff" + wide(offlineRows, "big"),
		"utf-16 without mark":   wide(offlineRows, "little"),
		"utf-16 crlf":           "\xff\xfe" + wide(strings.ReplaceAll(offlineRows, "\n", "\r\n"), "little"),
		"thousands":             strings.NewReplacer("626729 ", "626,729", "388685 ", "388,685", "3635.89 ", "3,635.89").Replace(offlineRows),
		"decimal commas":        strings.NewReplacer("172.37", "172,37", "626729 ", "626.729", "388685 ", "388.685", "3635.89 ", "3.635,89", "33.36", "33,36", "11.60", "11,60", "2254.91", "2254,91", "5890.80", "5890,80").Replace(offlineRows),
		"french":                strings.NewReplacer("172.37", "172,37", "626729 ", "626\u202f729", "388685 ", "388 685", "3635.89 ", "3\u00a0635,89", "33.36", "33,36", "11.60", "11,60", "2254.91", "2254,91", "5890.80", "5890,80").Replace(offlineRows),
		"swiss":                 strings.NewReplacer("626729 ", "626'729", "3635.89 ", "3’635.89").Replace(offlineRows),
	} {
		samples, err := Import([]string{write(t, "night.log", text)})
		if err != nil || len(samples) != 1 {
			t.Errorf("%s: %d samples, %v", name, len(samples), err)
			continue
		}
		sameMetrics(t, name, offlineMetrics, samples[0].Metrics)
		if s := samples[0]; s.Status != StatusOK || !cmp.Equal(s.Extra, map[string]any{"Last generation throughput (tok/s)": 33.36}) || s.Client.Config["backend"] != "engine" {
			t.Errorf("%s: %s %+v extra %v config %v", name, s.Status, s.Validity, s.Extra, s.Client.Config)
		}
	}
}

// A number that can be read in two ways is left out, and that is said.
func TestImportUnclearNumbers(t *testing.T) {
	for name, text := range map[string]string{
		"no other number shows it": block("Successful requests:                     4         ", "Benchmark duration (s):                  3         ", "Total generated tokens:                  256,000   "),
		"they contradict":          block("Successful requests:                     4         ", "Benchmark duration (s):                  3,50      ", "Mean TTFT (ms):                          98.30     ", "Total generated tokens:                  256,000   "),
	} {
		s := imported(t, write(t, "x.txt", text))[0]
		if _, read := s.Metrics.Known("total_output_tokens"); read || s.Extra["Total generated tokens"] != "256,000" || s.Status != StatusInvalid {
			t.Errorf("%s: %v, extra %v, %s", name, s.Metrics, s.Extra, s.Status)
		}
		said := false
		for _, r := range s.Validity.Reasons {
			said = said || strings.Contains(r.Detail, "two ways") && strings.Contains(r.Detail, "Total generated tokens")
		}
		if !said {
			t.Errorf("%s: %v", name, s.Validity)
		}
	}
}

// The JSON forms of older versions and of benchmarks without a server.
func TestImportOtherJSON(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		metrics map[string]float64
		extra   map[string]any
	}{
		"sglang 0.2": {
			`{"backend": "sglang", "dataset_name": "random", "request_rate": 16.0, "completed": 10, "total_input": 5120, "total_output": 640, "total_output_retokenized": 639, "mean_e2e_latency": 812.5, "median_e2e_latency": 800.25, "median_ttft": 61.5, "median_itl": 11.75, "output_token_throughput": 128.0, "sharegpt_output_len": null, "random_input_len": 512, "random_output_len": 64, "random_range_ratio": 1.0, "benchmark_duration": 5.0}`,
			map[string]float64{"request_rate": 16, "completed": 10, "total_input_tokens": 5120, "total_output_tokens": 640, "mean_e2e_latency_ms": 812.5, "median_e2e_latency_ms": 800.25, "median_ttft_ms": 61.5, "median_itl_ms": 11.75, "output_throughput": 128, "duration_s": 5},
			map[string]any{"Total generated tokens (retokenized)": int64(639)},
		},
		"sglang 0.4": {
			`{"backend": "sglang", "request_rate": 16.0, "total_input_tokens": 5120, "total_output_tokens": 640, "total_output_tokens_retokenized": 639, "mean_e2e_latency_ms": 812.5, "median_e2e_latency_ms": 800.25, "median_ttft_ms": 61.5, "median_itl_ms": 11.75, "output_throughput": 128.0, "random_input_len": 512, "random_output_len": 64, "random_range_ratio": 1.0, "duration": 5.0, "completed": 10}`,
			map[string]float64{"request_rate": 16, "completed": 10, "total_input_tokens": 5120, "total_output_tokens": 640, "mean_e2e_latency_ms": 812.5, "median_e2e_latency_ms": 800.25, "median_ttft_ms": 61.5, "median_itl_ms": 11.75, "output_throughput": 128, "duration_s": 5},
			map[string]any{"Total generated tokens (retokenized)": int64(639)},
		},
		"sglang offline": {
			`{"backend": "engine", "successful_requests": 20, "total_latency": 2.5, "total_input_tokens": 100, "total_output_tokens": 50, "last_gen_throughput": 33.5, "request_throughput": 8.0, "input_throughput": 40.0, "output_throughput": 20.0, "total_throughput": 60.0}`,
			map[string]float64{"completed": 20, "duration_s": 2.5, "total_input_tokens": 100, "total_output_tokens": 50, "request_throughput": 8, "input_throughput": 40, "output_throughput": 20, "total_throughput": 60},
			map[string]any{"last_gen_throughput": 33.5},
		},
		"sglang one batch": {
			`{"run_name": "default", "batch_size": 16, "input_len": 1024, "output_len": 32, "latency": 1.25, "input_throughput": 50000.5, "output_throughput": 800.25, "overall_throughput": 13516.8, "last_ttft": 0.25, "last_gen_throughput": 790.5, "acc_length": 1.5}`,
			map[string]float64{"num_prompts": 16, "duration_s": 1.25, "total_throughput": 13516.8, "accept_length": 1.5},
			map[string]any{"input_throughput": 50000.5, "output_throughput": 800.25, "last_ttft": 0.25, "last_gen_throughput": 790.5, "input_len": int64(1024), "output_len": int64(32)},
		},
		"vllm throughput": {
			`{"elapsed_time": 4.0, "num_requests": 100, "total_num_tokens": 2000, "requests_per_second": 25.0, "tokens_per_second": 500.0}`,
			map[string]float64{"duration_s": 4, "num_prompts": 100, "request_throughput": 25, "total_throughput": 500},
			map[string]any{"total_num_tokens": int64(2000)},
		},
		"vllm latency": {
			`{"avg_latency": 0.5, "latencies": [0.4, 0.6], "percentiles": {"50": 0.5}}`,
			map[string]float64{"mean_e2e_latency_ms": 500},
			map[string]any{"percentiles": map[string]any{"50": 0.5}},
		},
	} {
		samples := imported(t, write(t, "r.json", c.text))
		if len(samples) != 1 {
			t.Errorf("%s: %d samples", name, len(samples))
			continue
		}
		sameMetrics(t, name, c.metrics, samples[0].Metrics)
		if diff := cmp.Diff(c.extra, samples[0].Extra); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if bad := samples[0].Status != StatusOK; bad != (c.metrics["completed"] == 0) {
			t.Errorf("%s: %s %+v", name, samples[0].Status, samples[0].Validity)
		}
	}
}

// A whole night in one terminal: the server's lines, JSON between blocks, two clients.
func TestImportTerminal(t *testing.T) {
	rows := func(n string) string {
		return block("Backend:                                 sglang    ", "Successful requests:                     "+n, "Benchmark duration (s):                  2.50      ", "Total generated tokens:                  64        ", "Mean TTFT (ms):                          98.30     ")
	}
	long := strings.TrimSuffix(strings.Repeat("0.001, ", 300_000), ", ") // 2 MB
	text := "INFO api_server.py:712] args: Namespace(host=None, port=8000, seed=7, model='server')\n" +
		"Namespace(backend='sglang', seed=1, num_prompts=4)\n" + rows("4") +
		`{"backend": "sglang", "duration": 2.5004, "completed": 4, "total_output_tokens": 64, "mean_ttft_ms": 98.3012, "itls": [` + long + "]}\n" +
		"benchmark_args=Namespace(backend='sglang', seed=2, num_prompts=5)\n" + rows("5") +
		`{"duration": 9.5, "completed": 6, "total_output_tokens": 1}` + "\n"
	samples := imported(t, write(t, "terminal.log", text))
	if len(samples) != 3 {
		t.Fatalf("%d samples: %+v", len(samples), samples)
	}
	first := samples[0]
	if first.Metrics.Value("mean_ttft_ms") != 98.3012 || first.Client.Config["seed"] != int64(1) || first.Client.Config["model"] != nil {
		t.Errorf("%v, %v", first.Metrics, first.Client.Config)
	}
	if samples[1].Metrics.Value("completed") != 5 || samples[1].Client.Config["seed"] != int64(2) || samples[2].Metrics.Value("duration_s") != 9.5 {
		t.Errorf("%v, %v", samples[1].Metrics, samples[2].Metrics)
	}
}

// The result was printed on stderr, the client ended with 1 behind its block.
func TestImportStderrAndExit(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.stdout": "starting\n", "a.stderr": offlineRows, "a.exit": "1\n", "a.cmd": "bench --num-prompts 2000"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := imported(t, dir)[0]
	sameMetrics(t, "stderr", offlineMetrics, s.Metrics)
	if s.Status != StatusFailed || s.Failure.Class != "client_failed" || !strings.Contains(s.Failure.Message, "exit code 1") {
		t.Errorf("%s %+v", s.Status, s.Failure)
	}
}

// A damaged result file is named, beside whatever is whole.
func TestImportDamage(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("b.jsonl", line(1)+"\n"+line(2)[:200]+"\n"+line(3)+"\n"+line(4)[:100])
	samples, err := Import([]string{dir})
	var damaged *DamagedError
	var cut *TruncatedError
	if len(samples) != 2 || !errors.As(err, &damaged) || !errors.As(err, &cut) || !strings.Contains(err.Error(), "b.jsonl") {
		t.Errorf("%d samples, %v", len(samples), err)
	}
	// With the block beside it the printed numbers stand in, and the reason with them.
	put("b.jsonl", line(4)[:100])
	put("b.stdout", block("Successful requests:                     4         ", "Benchmark duration (s):                  2.50      ", "Total generated tokens:                  64        "))
	samples, err = Import([]string{dir})
	if len(samples) != 1 || err == nil || !samples[0].Validity.Has(Partial) || samples[0].Metrics.Value("completed") != 4 {
		t.Errorf("%+v, %v", samples, err)
	}
}

func TestImportVLLMSweep(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(number, completed string) string {
		return `{"endpoint_type": "vllm", "duration": 2.0, "completed": ` + completed + `, "failed": 0, "total_input_tokens": 9, "total_output_tokens": 8, "request_throughput": 2.0, "output_throughput": 4.0, "total_token_throughput": 8.5, "request_rate": "inf", "burstiness": 1.0, "run_number": ` + number + `, "max_num_seqs": 32, "max_concurrency": 8}`
	}
	combination := "SERVE--max_num_seqs=32-quantization=fp8-e4m3-BENCH--max_concurrency=8/"
	put(combination+"run=10.json", run("10", "12"))
	put(combination+"run=0.json", run("0", "10"))
	put(combination+"run=1.failure.json", `{"run_number": 1, "error_type": "CalledProcessError", "error": "exit 1"}`)
	put(combination+"summary.json", "["+run("0", "10")+", "+run("10", "12")+"]")
	put(combination+"warmup.json", run("-1", "3"))
	put("summary.csv", ",duration,completed,run_number\n0,2.0,10,0\n")
	put("SERVE--max_num_seqs=64-failure.json", `{"error_type": "TimeoutError", "error": "not ready"}`)
	samples := imported(t, dir)
	type row struct {
		Server, Client, Status, Message string
		Block                           int
		Completed                       float64
	}
	var got []row
	for _, s := range samples {
		r := row{Server: s.Server.Name, Status: s.Status, Block: s.Block, Completed: s.Metrics.Value("completed")}
		if s.Client != nil {
			r.Client = s.Client.Name
		}
		if s.Failure != nil {
			r.Message = s.Failure.Message
		}
		got = append(got, r)
	}
	serve, bench := "max_num_seqs=32-quantization=fp8-e4m3", "max_concurrency=8"
	want := []row{
		{"max_num_seqs=64", "", StatusFailed, "TimeoutError: not ready", 0, 0},
		{serve, bench, StatusOK, "", 0, 10},
		{serve, bench, StatusFailed, "CalledProcessError: exit 1", 0, 0},
		{serve, bench, StatusOK, "", 0, 12},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	s := samples[1]
	if v, _ := s.Server.Axes.Get("quantization"); v != "fp8-e4m3" || len(s.Server.Axes) != 2 || len(s.Client.Axes) != 1 {
		t.Errorf("axes %v, %v", s.Server.Axes, s.Client.Axes)
	}
	if !cmp.Equal(s.Extra, map[string]any{"request_rate": "inf"}) || s.Client.Config["max_num_seqs"] != int64(32) {
		t.Errorf("extra %v, config %v", s.Extra, s.Client.Config)
	}

	// The table alone, as people pass it on.
	table := imported(t, write(t, "summary.csv", ",date,endpoint_type,duration,completed,total_output_tokens,request_rate,run_number,max_num_seqs\r\n0,20261121,vllm,2.0,10,8,inf,0,32\r\n1,20261121,vllm,2.5,11,,inf,1,32\r\n"))
	if len(table) != 2 || table[1].Block != 0 || table[1].Metrics.Value("completed") != 11 || table[1].Status != StatusInvalid || table[0].Extra["max_num_seqs"] != int64(32) {
		t.Errorf("%+v", table)
	}
}
