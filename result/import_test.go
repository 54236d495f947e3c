package result

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/secret"
)

func imported(t *testing.T, paths ...string) []Sample {
	t.Helper()
	samples, err := Import(paths)
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

// checkMatrix holds the samples of the four-cell report against what stands in it.
func checkMatrix(t *testing.T, where string, samples []Sample) {
	t.Helper()
	var want []golden
	for _, g := range goldens(t, "golden-text.txt") {
		if g.file == "sglang-matrix-deepseek-v3.txt" {
			want = append(want, g)
		}
	}
	names := [][2]string{{"flashinfer", "rand256x32"}, {"flashinfer", "rand128x16"}, {"triton", "rand256x32"}, {"triton", "rand128x16"}}
	if len(samples) != len(names) || len(want) != len(names) {
		t.Fatalf("%s: %d samples, %d in the table", where, len(samples), len(want))
	}
	for i, s := range samples {
		if s.Server.Name != names[i][0] || s.Client.Name != names[i][1] || s.Status != StatusOK || s.Failure != nil || !s.Validity.OK {
			t.Errorf("%s: sample %d: %s × %s %s %+v", where, i, s.Server.Name, s.Client.Name, s.Status, s.Validity)
		}
		sameMetrics(t, where+" "+strconv.Itoa(i), want[i].metrics, s.Metrics)
		if diff := cmp.Diff(map[string]string{"SGLANG_ENABLE_FLASHINFER_GEMM": "1"}, s.Server.Env); diff != "" {
			t.Errorf("%s: %s", where, diff)
		}
		server := []string{"python3", "-m", "sglang.launch_server", "--model-path", "/dev/shm/DeepSeek-V3-0324/", "--tp", "8", "--trust-remote", "--attention-backend", "flashinfer", "--disable-radix"}
		if i >= 2 {
			server = slices.Concat(server[:9], []string{"triton"})
		}
		if diff := cmp.Diff(server, s.Server.Argv); diff != "" {
			t.Errorf("%s: %s", where, diff)
		}
		sizes := [][]string{{"256", "--max-concurrency", "32"}, {"128", "--max-concurrency", "16"}}[i%2]
		if got := s.Client.Argv[len(s.Client.Argv)-3:]; !slices.Equal(got, sizes) {
			t.Errorf("%s: client %v", where, got)
		}
		if s.Run != "" || s.Cell != "" || s.Block != 0 || s.Attempt != 0 || s.Times != nil {
			t.Errorf("%s: sample %d claims what nobody knows: %+v", where, i, s)
		}
	}
}

func TestImportCombinedReport(t *testing.T) {
	checkMatrix(t, "chinese", imported(t, sample("sglang-matrix-deepseek-v3.txt")))
}

// The same report in English: our own labels, and a plain translation of the banner.
func TestImportTranslatedReport(t *testing.T) {
	data, err := os.ReadFile(sample("sglang-matrix-deepseek-v3.txt"))
	if err != nil {
		t.Fatal(err)
	}
	zh, en := Labels("zh"), Labels("en")
	for _, banner := range []string{en.Banner, "[COMBINATION]"} {
		text := string(data)
		for _, pair := range [][2]string{
			{zh.Banner, banner}, {"[SERVER] " + zh.Start, "[SERVER] " + en.Start}, {zh.Ready, en.Ready}, {"[CLIENT] " + zh.Run, "[CLIENT] " + en.Run},
			{zh.Exited, en.Exited}, {"[SERVER] " + zh.Stop, "[SERVER] " + en.Stop}, {zh.Stopped, en.Stopped}, {zh.AllDone, en.AllDone},
		} {
			if !strings.Contains(text, pair[0]) {
				t.Fatalf("the sample has no %q", pair[0])
			}
			text = strings.ReplaceAll(text, pair[0], pair[1])
		}
		checkMatrix(t, banner, imported(t, write(t, "report.txt", text)))
	}
}

// A report as ours is written, in both languages: blocks, attempts, failures, skips, a server
// that serves several cells, a client that was ended.
func TestImportOwnReport(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		l := Labels(lang)
		rule, hashes := strings.Repeat("=", 100)+"\n", strings.Repeat("#", 80)+"\n"
		banner := func(rest string) string { return rule + l.Banner + " SERVER=" + rest + "\n" + rule }
		output := func(server, client, command, out, err, end string) string {
			return "[CLIENT] " + l.Run + " " + client + ": " + command + "\n\n\n" + hashes + "SERVER: " + server + "\nCLIENT: " + client + "\nCOMMAND: " + command + "\n" +
				hashes + out + "\n[STDERR]\n" + err + "\n[CLIENT] " + client + " " + end + "\n"
		}
		good := block("Successful requests:                     4         ", "Benchmark duration (s):                  2.50      ", "Total generated tokens:                  64        ")
		text := "\n[SERVER] " + l.Start + " a/b: X=1 serve --tp 2 --name 'a b' --api-key sk-1\n[SERVER] a/b " + l.Ready + "up and ready\n" +
			banner("a/b  CLIENT=small  BLOCK=2  ATTEMPT=3  SIMULATED") +
			"[CLIENT] warm-up small: bench\n[CLIENT] small " + l.Exited + "7\n" +
			output("a/b", "small", "bench --num-prompts 4", "[SERVER] "+l.Start+" z: not a start\n"+good, "100%|####| 4/4\n"+good, l.Exited+"0") +
			banner("a/b  CLIENT=large") +
			output("a/b", "large", "bench --num-prompts=8", good, "Traceback", l.Exited+"1") +
			"[" + l.Invalid + "] throttled, wrong_request_count\n" +
			banner("a/b  CLIENT=hung") +
			output("a/b", "hung", "bench", "started\n", "", "was ended (timeout) after 5.0 s: signal SIGTERM") +
			"[" + l.Failed + "] client_timeout (client): the client ran longer than 5s\n" +
			banner("a/b  CLIENT=quiet") +
			output("a/b", "quiet", "bench", "nothing\n", "", l.Exited+"0") +
			"[SERVER] " + l.Stop + " a/b\n[SERVER] a/b " + l.Stopped + "\n" +
			banner("c  CLIENT=small") +
			"[SERVER] " + l.Start + " c: cd /x && serve\n[SERVER] c died\n[" + l.Failed + "] oom (start): CUDA out of memory (tried twice)\n" +
			banner("c  CLIENT=large") + "[" + l.Skipped + "] oom (start): CUDA out of memory\n" +
			banner("d  CLIENT=small") + "[SERVER] " + l.Start + " d: serve\n" +
			"\n" + rule + "[RESULTS] x\n" + rule + "\n" + l.AllDone + "report.txt\n"
		samples := imported(t, write(t, "report.txt", text))
		type line struct{ server, client, status, class, reasons string }
		var got []line
		for _, s := range samples {
			row := line{server: s.Server.Name, client: s.Client.Name, status: s.Status}
			if s.Failure != nil {
				row.class = s.Failure.Class + "/" + s.Failure.Phase
			}
			if s.Validity != nil {
				row.reasons = strings.Join(reasons(*s.Validity), " ")
			}
			got = append(got, row)
		}
		want := []line{
			{"a/b", "small", StatusOK, "", ""},
			{"a/b", "large", StatusInvalid, "", "wrong_request_count throttled"},
			{"a/b", "hung", StatusFailed, "client_timeout/client", ""},
			{"a/b", "quiet", StatusFailed, "no_result/client", ""},
			{"c", "small", StatusFailed, "oom/start", ""},
			{"c", "large", StatusSkipped, "oom/start", ""},
			{"d", "small", StatusFailed, "start_failed/start", ""},
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(line{})); diff != "" {
			t.Errorf("%s: %s", lang, diff)
			continue
		}
		s := samples[0]
		if s.Block != 2 || s.Attempt != 3 || !s.Simulated || samples[1].Block != 0 || samples[1].Simulated {
			t.Errorf("%s: %+v", lang, s)
		}
		if diff := cmp.Diff([]string{"serve", "--tp", "2", "--name", "a b", "--api-key", secret.Mask}, s.Server.Argv); diff != "" || s.Server.Env["X"] != "1" {
			t.Errorf("%s: %s, env %v", lang, diff, s.Server.Env)
		}
		if diff := cmp.Diff([]string{"bash", "-c", "cd /x && serve"}, samples[4].Server.Argv); diff != "" {
			t.Errorf("%s: %s", lang, diff)
		}
		if samples[4].Failure.Message != "CUDA out of memory (tried twice)" {
			t.Errorf("%s: %+v", lang, samples[4].Failure)
		}
	}
}

// A combination whose output was cut by the end of the file.
func TestImportCutReport(t *testing.T) {
	data, err := os.ReadFile(sample("sglang-matrix-deepseek-v3.txt"))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndex(string(data), "P99 TTFT (ms):")
	samples := imported(t, write(t, "cut.txt", string(data[:at+20])))
	if len(samples) != 4 {
		t.Fatalf("%d samples", len(samples))
	}
	last := samples[3]
	if last.Status != StatusInvalid || !last.Validity.Has(Partial) || last.Metrics.Value("completed") != 128 {
		t.Errorf("%s %+v", last.Status, last.Validity)
	}
}

func TestImportFiles(t *testing.T) {
	for _, g := range slices.Concat(goldens(t, "golden-json.txt"), goldens(t, "golden-text.txt")) {
		if g.file == "sglang-matrix-deepseek-v3.txt" || strings.Contains(g.file, "good-40.result.jsonl") {
			continue // several samples; one more metric than the JSON has keys
		}
		samples := imported(t, sample(g.file))
		if len(samples) != 1 {
			t.Errorf("%s: %d samples", g.file, len(samples))
			continue
		}
		sameMetrics(t, g.file, g.metrics, samples[0].Metrics)
		if samples[0].Server != nil || samples[0].Client.Name == "" || samples[0].Validity == nil {
			t.Errorf("%s: %+v", g.file, samples[0])
		}
	}
}

func TestImportFolders(t *testing.T) {
	type line struct{ client, status, detail string }
	var got []line
	for _, s := range imported(t, sample("clients/sglang"), sample("clients/vllm"), sample("failed")) {
		row := line{client: s.Client.Name, status: s.Status}
		switch {
		case s.Failure != nil:
			row.detail = s.Failure.Class
		case s.Validity != nil:
			row.detail = strings.Join(reasons(*s.Validity), " ")
		}
		got = append(got, row)
		if len(s.Client.Argv) == 0 || !strings.HasPrefix(s.Client.Argv[0], "/opt/") {
			t.Errorf("%s: command %v", s.Client.Name, s.Client.Argv)
		}
	}
	want := []line{
		{"sglang/conc", StatusOK, ""}, {"dead", StatusFailed, "no_result"}, {"sglang/die", StatusInvalid, "wrong_request_count client_starved?"}, {"sglang/nomodel", StatusFailed, "no_result"}, {"sglang/rate", StatusOK, ""},
		{"vllm/conc", StatusOK, "client_starved?"}, {"vllm/die", StatusInvalid, "requests_failed client_starved?"}, {"vllm/nomodel", StatusInvalid, "requests_failed no_tokens"}, {"vllm/rate", StatusOK, "client_starved?"},
		{"sglang-bench.endpoint-404", StatusFailed, "client_failed"},
		{"sglang-bench.endpoint-404-nowarm", StatusFailed, "client_failed"},
		{"sglang-bench.good-40", StatusOK, ""},
		{"sglang-bench.no-server", StatusFailed, "client_failed"},
		{"sglang-bench.server-sigkill-mid", StatusInvalid, "wrong_request_count client_starved?"},
		{"vllm-bench.endpoint-404", StatusFailed, "client_failed"},
		{"vllm-bench.endpoint-404-noready", StatusFailed, "client_failed"},
		{"vllm-bench.good-40", StatusOK, ""},
		{"vllm-bench.no-server", StatusFailed, "client_failed"},
		{"vllm-bench.server-sigkill-mid", StatusInvalid, "requests_failed"},
		{"vllm-bench.server-sigterm-mid", StatusFailed, "client_failed"},
		{"vllm-bench.wrong-model", StatusInvalid, "requests_failed no_tokens"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(line{})); diff != "" {
		t.Error(diff)
	}
}

func TestImportSeveralResultsInOneFile(t *testing.T) {
	samples := imported(t, write(t, "night.txt", block("Successful requests:                     4         ")+block("Successful requests:                     5         ")))
	if len(samples) != 2 || samples[0].Client.Name != "night" || samples[1].Client.Name != "night#2" || samples[1].Metrics.Value("completed") != 5 {
		t.Errorf("%+v", samples)
	}
}

func TestImportProblems(t *testing.T) {
	none := write(t, "notes.txt", "nothing to see\n")
	good := sample("vllm-sharegpt-opt-6.7b.txt")
	cut := write(t, "cut.json", small+`{"duration": 1`)
	missing := filepath.Join(t.TempDir(), "missing")
	samples, err := Import([]string{none, good, cut, missing, t.TempDir()})
	if len(samples) != 2 || samples[0].Metrics.Value("completed") != 4762 || samples[1].Metrics.Value("completed") != 4 {
		t.Errorf("%d samples", len(samples))
	}
	var truncated *TruncatedError
	if !errors.Is(err, ErrNoResult) || !errors.Is(err, os.ErrNotExist) || !errors.As(err, &truncated) {
		t.Fatalf("err = %v", err)
	}
	for _, path := range []string{none, cut, missing} {
		if !strings.Contains(err.Error(), path) {
			t.Errorf("the error does not name %s: %v", path, err)
		}
	}
}

// A run's own results come back as they were, from the file or from its folder.
func TestImportOwnResults(t *testing.T) {
	s := fullSample()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "results.jsonl", string(data)+"\n"+string(data)+"\n")
	for _, from := range []string{path, filepath.Dir(path)} {
		samples := imported(t, from)
		if len(samples) != 2 {
			t.Fatalf("%s: %d samples", from, len(samples))
		}
		if diff := cmp.Diff(s, samples[1]); diff != "" {
			t.Error(diff)
		}
	}
	pretty, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if samples := imported(t, write(t, "sample.json", string(pretty))); len(samples) != 1 || samples[0].Cell != "c1" {
		t.Errorf("%+v", samples)
	}
	// A client's file may have the same name and is no list of samples.
	if samples := imported(t, filepath.Dir(write(t, "results.jsonl", small))); len(samples) != 1 || samples[0].Metrics.Value("completed") != 4 {
		t.Errorf("%+v", samples)
	}
}
