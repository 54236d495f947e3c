package matrix

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// largeSweep has servers × clients cells; its commands are as long as real ones.
func largeSweep(servers, clients int) []byte {
	return fmt.Appendf(nil, `version: 1
run: {max_cells: %d}
server:
  axes:
    backend: [{id: flashinfer, flags: [--attention-backend, flashinfer, --disable-radix-cache]}, {id: triton, flags: [--attention-backend, triton]}]
    n: ${{ 1..%d }}
  env: {SGLANG_ENABLE_FLASHINFER_GEMM: 1, CUDA_VISIBLE_DEVICES: "0,1,2,3,4,5,6,7"}
  ready: {timeout: 30m, log: The server is fired up}
  command: python3 -m sglang.launch_server --model-path /dev/shm/DeepSeek-V3-0324/ --tp 8 --port ${{ late.port }} --chunked-prefill-size ${{ n * 64 }} ${{ backend.flags }}
client:
  axes:
    conc: ${{ 1..%d }}
  command: python3 -m sglang.bench_serving --backend sglang-oai --base-url ${{ server.url }} --dataset-name random --random-input-len 1000
    --random-output-len 1000 --num-prompts ${{ conc * 8 }} --max-concurrency ${{ conc }}
`, servers*clients, servers/2, clients)
}

func benchmarkPlan(b *testing.B, servers, clients int) {
	src := largeSweep(servers, clients)
	b.ReportAllocs()
	for b.Loop() {
		p, problems := Parse("large.yaml", src, Options{})
		if p == nil {
			b.Fatal(problems)
		}
		if len(p.Cells) != servers*clients {
			b.Fatal(len(p.Cells))
		}
	}
}

// The limits of the project are 0.5 s for 100,000 cells and 3 s for a million,
// with the listing of the plan included.
func BenchmarkPlan100k(b *testing.B)         { benchmarkPlan(b, 400, 250) }
func BenchmarkPlan100kVariants(b *testing.B) { benchmarkPlan(b, 100_000, 1) }
func BenchmarkPlan1M(b *testing.B)           { benchmarkPlan(b, 1000, 1000) }

func BenchmarkWriteJSON1M(b *testing.B) {
	p, problems := Parse("large.yaml", largeSweep(1000, 1000), Options{})
	if p == nil {
		b.Fatal(problems)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := p.WriteJSON(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPairWhen asks a condition for each of a million cells.
func BenchmarkPairWhen1M(b *testing.B) {
	src := append(largeSweep(1000, 1000), "pair: {when: not (server.n == 7 and client.conc > 500)}\n"...)
	for b.Loop() {
		if p, problems := Parse("large.yaml", src, Options{}); p == nil {
			b.Fatal(problems)
		}
	}
}

// BenchmarkSmall is what a person waits for: the plan of a sweep of four cells.
func BenchmarkSmall(b *testing.B) {
	src := []byte(strings.Replace(string(largeSweep(2, 2)), "max_cells: 4", "max_cells: 10", 1))
	for b.Loop() {
		if p, problems := Parse("small.yaml", src, Options{}); p == nil {
			b.Fatal(problems)
		}
	}
}
