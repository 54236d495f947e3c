package result

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// detailed is a JSONL line of SGLang's with --output-details: 256 requests of 128 tokens, 0.9 MB.
func detailed() string {
	itls := strings.TrimSuffix(strings.Repeat("0.0056789012345678, ", 127), ", ")
	list := func(item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+", ", 256), ", ") + "]"
	}
	return `{"tag": null, "backend": "sglang", "dataset_name": "random", "request_rate": Infinity, "max_concurrency": 32, "duration": 12.345, "completed": 256, ` +
		`"total_input_tokens": 262144, "total_output_tokens": 32768, "request_throughput": 20.7, "input_throughput": 21234.5, "output_throughput": 2654.3, ` +
		`"mean_ttft_ms": 61.2, "median_ttft_ms": 60.5, "p99_ttft_ms": 80.2, "input_lens": ` + list("1024") + `, "output_lens": ` + list("128") +
		`, "ttfts": ` + list("0.0612345678901234") + `, "itls": ` + list("["+itls+"]") +
		`, "generated_texts": ` + list(`"`+strings.Repeat(`word \n \u00e9 \"q\" `, 30)+`"`) + `, "errors": ` + list(`""`) + "}\n"
}

// repeated gives the same text again and again, up to a length.
type repeated struct {
	text string
	at   int
	left int64
}

func (r *repeated) Read(b []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(b, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	r.left -= int64(n)
	return n, nil
}

// Memory does not grow with the file.
func TestImportHoldsOneResult(t *testing.T) {
	text := detailed()
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	before, most, n := stats.HeapAlloc, uint64(0), 0
	err := eachResult(&repeated{text: text, left: 100 * int64(len(text))}, func(m *Measurement) error {
		if n++; n%10 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&stats)
			most = max(most, stats.HeapAlloc)
		}
		return nil
	})
	if err != nil || n != 100 {
		t.Fatalf("%d results, %v", n, err)
	}
	if most > before+2<<20 {
		t.Errorf("%d results of %d bytes hold %d bytes more than none", n, len(text), most-before)
	}
}

// BenchmarkImport reads a JSONL file of 64 MB; its throughput is to be held against reading alone.
func BenchmarkImport(b *testing.B) {
	text := detailed()
	path := filepath.Join(b.TempDir(), "night.jsonl")
	if err := os.WriteFile(path, bytes.Repeat([]byte(text), 64<<20/len(text)), 0o600); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		b.SetBytes(info.Size())
		buf := make([]byte, scanBuffer)
		for b.Loop() {
			f, err := os.Open(path)
			if err != nil {
				b.Fatal(err)
			}
			for err == nil {
				_, err = f.Read(buf)
			}
			f.Close()
		}
	})
	b.Run("import", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			if err := ImportEach([]string{path}, func(Sample) error { return nil }, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkImportLines reads JSON lines without per-request arrays, 1.4 kB each, and writes the samples.
func BenchmarkImportLines(b *testing.B) {
	line, err := os.ReadFile(sample("clients/sglang/conc/sglang.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	const lines = 2000
	path := filepath.Join(b.TempDir(), "night.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat(string(line), lines)), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, written := range []bool{false, true} {
		name := map[bool]string{false: "read", true: "written"}[written]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line) * lines))
			b.ReportAllocs()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var out []byte
			n := 0
			for b.Loop() {
				err := ImportEach([]string{path}, func(s Sample) (err error) {
					n++
					if written {
						out, err = s.AppendJSON(out[:0])
					}
					return err
				}, nil)
				if err != nil {
					b.Fatal(err)
				}
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(n), "allocs/sample")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/sample")
		})
	}
}
