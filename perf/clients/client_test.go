package clients

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestReadsWhatClientsWrite(t *testing.T) {
	set := Set("servematrix", ".venvs")
	for name, c := range map[string]struct {
		text string
		want Said
	}{
		SGLang: {
			`{"completed":1}` + "\n" + `{"request_rate": Infinity, "completed": 3, "mean_ttft_ms": 1.5, "p99_ttft_ms": 2, "mean_tpot_ms": 3, "p99_tpot_ms": 4, "mean_e2e_latency_ms": 5, "p99_e2e_latency_ms": 6}` + "\n",
			Said{3, Latency{1.5, 2}, Latency{3, 4}, Latency{5, 6}},
		},
		VLLM: {
			`{"completed": 3, "mean_ttft_ms": 1, "p99_ttft_ms": 2, "mean_tpot_ms": 3, "p99_tpot_ms": 4, "mean_e2el_ms": 5, "p99_e2el_ms": 6}`,
			Said{3, Latency{1, 2}, Latency{3, 4}, Latency{5, 6}},
		},
		Benchy: {
			`{"benchmarks": [{"e2e_ttft": {"values": [10, 20]}, "tg_req_throughput": {"values": [100, 50]}}]}`,
			Said{2, Latency{15, 19.9}, Latency{15, 19.9}, Latency{math.NaN(), math.NaN()}},
		},
	} {
		out := filepath.Join(t.TempDir(), "result")
		if err := os.WriteFile(out, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := set[name].read(out, Workload{})
		same := got.Completed == c.want.Completed
		for _, pair := range [][2]Latency{{got.TTFT, c.want.TTFT}, {got.TPOT, c.want.TPOT}, {got.E2E, c.want.E2E}} {
			same = same && near(pair[0].Mean, pair[1].Mean) && near(pair[0].P99, pair[1].P99)
		}
		if err != nil || !same {
			t.Errorf("%s: %+v, want %+v (%v)", name, got, c.want, err)
		}
	}
}

func near(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9 }
