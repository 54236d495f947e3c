package orchestrator

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"servematrix/journal"
	"servematrix/result"
)

// recordings are what real clients printed, wrote and ended with.
const recordings = "../result/testdata/failed/"

// replayClient does again what a real client did: its output, its result file
// and its end. One that hung, hangs.
func replayClient(recording string, args []string) {
	play := func(from string, to io.Writer) {
		if data, err := os.ReadFile(recording + from); err == nil {
			if _, err := to.Write(data); err != nil {
				panic(err)
			}
		}
	}
	play(".stdout", os.Stdout)
	play(".stderr", os.Stderr)
	var file []string
	for i, arg := range args {
		if arg == "--output-file" || arg == "--result-dir" || arg == "--result-filename" {
			file = append(file, args[i+1])
		}
	}
	for _, ending := range []string{".result.json", ".result.jsonl"} {
		if data, err := os.ReadFile(recording + ending); err == nil {
			if err := os.WriteFile(filepath.Join(file...), data, 0o600); err != nil {
				panic(err)
			}
		}
	}
	exit, err := os.ReadFile(recording + ".exit")
	if err != nil {
		panic(err)
	}
	code, err := strconv.Atoi(strings.TrimSpace(string(exit)))
	if err != nil {
		time.Sleep(time.Hour)
	}
	os.Exit(code)
}

// TestRealClients: what becomes of a sample whose client did what real ones did.
// A clean exit and a clean table are no success.
func TestRealClients(t *testing.T) {
	const sglang, vllm = "sglang.bench_serving", "vllm bench serve"
	for _, tc := range []struct {
		recording, profile, status string
		want                       string // the class of the failure and a part of its message, or the reasons
		message                    string
	}{
		{"sglang-bench.good-40", sglang, StatusOK, "", ""},
		{"sglang-bench.server-sigkill-mid", sglang, StatusInvalid, "wrong_request_count client_starved?", "72 of 200 requests were served"},
		{"sglang-bench.endpoint-404", sglang, StatusFailed, "client_failed", "ValueError: Warmup failed"},
		{"sglang-bench.endpoint-404-nowarm", sglang, StatusFailed, "client_failed", "UserWarning: All requests failed."},
		{"sglang-bench.no-server", sglang, StatusFailed, "client_failed", "ClientConnectorError: Cannot connect to host"},
		{"vllm-bench.good-40", vllm, StatusOK, "", ""},
		{"vllm-bench.server-sigkill-mid", vllm, StatusInvalid, "requests_failed", "123 of 200 requests failed"},
		{"vllm-bench.wrong-model", vllm, StatusInvalid, "requests_failed no_tokens", "40 of 40 requests failed: Not Found"},
		{"vllm-bench.endpoint-404", vllm, StatusFailed, "client_failed", "URL must end with one of"},
		{"vllm-bench.endpoint-404-noready", vllm, StatusFailed, "client_failed", "URL must end with one of"},
		{"vllm-bench.no-server", vllm, StatusFailed, "client_failed", "ClientConnectorError: Cannot connect to host"},
		{"vllm-bench.server-sigterm-mid", vllm, StatusFailed, "client_timeout", "within 700ms"},
	} {
		t.Run(tc.recording, func(t *testing.T) {
			recording, err := filepath.Abs(recordings + tc.recording)
			if err != nil {
				t.Fatal(err)
			}
			timeout := "20s"
			if tc.want == "client_timeout" {
				timeout = "700ms"
			}
			command, err := os.ReadFile(recording + ".cmd")
			if err != nil {
				t.Fatal(err)
			}
			_, args, _ := strings.Cut(string(command), " --backend ")
			args, _, _ = strings.Cut(args, " --save-result")
			args, _, _ = strings.Cut(strings.TrimSpace(args), " --output-file")
			b := newBench(t, `
server: {command: "SERVER", ready: READY}
client: {command: "`+os.Args[0]+" replay-client "+recording+" --backend "+args+`", profile: `+tc.profile+`, timeout: `+timeout+`}
run: {retries: 0}
`)
			if _, err := b.run(context.Background(), Again{}, nil); err != nil {
				t.Fatal(err)
			}
			s := onlySample(t, b)
			got, message := "", ""
			if s.Failure != nil {
				got, message = s.Failure.Class, s.Failure.Message
			} else {
				got, message = reasons(s.Validity)
			}
			if s.Status != tc.status || got != tc.want || !strings.Contains(message, tc.message) {
				t.Errorf("%s: %s: %s\nwant %s: %s: %s", s.Status, got, message, tc.status, tc.want, tc.message)
			}
		})
	}
}

// onlySample reads the sample of a sweep of one cell.
func onlySample(t *testing.T, b *bench) result.Sample {
	t.Helper()
	ends := b.events(journal.SampleEnded)
	if len(ends) != 1 {
		t.Fatalf("%d samples", len(ends))
	}
	data, err := os.ReadFile(b.folder.Path(journal.AttemptName(ends[0].Cell, ends[0].Block, ends[0].Attempt), journal.SampleFile))
	if err != nil {
		t.Fatal(err)
	}
	var s result.Sample
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// reasons lists why a sample does not count, a ? behind a mere warning, and the first one's words.
func reasons(v *result.Validity) (names, first string) {
	var all []string
	for _, r := range v.Reasons {
		name := r.Reason
		if r.Severity == result.SeverityWarning {
			name += "?"
		}
		all = append(all, name)
	}
	if len(v.Reasons) > 0 {
		first = v.Reasons[0].Detail
	}
	return strings.Join(all, " "), first
}
