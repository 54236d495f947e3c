package result

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What gave nothing is named, what completes a result is not.
func TestPassedOver(t *testing.T) {
	dir := t.TempDir()
	whole := `{"backend":"vllm","completed":8,"duration":2,"total_output_tokens":80,"output_throughput":40}`
	for name, text := range map[string]string{
		"a.json": whole, "a.stderr": "warning", "a.cmd": "vllm bench serve", "sub/b.json.zst": "\x28\xb5\x2f\xfdxx",
		"plot.png": "\x89PNG", "server.log": "Ready.", ".hidden": "x",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	got := map[string]string{}
	err := ImportEach([]string{dir}, func(Sample) error { n++; return nil }, func(p Passed) {
		rel, _ := filepath.Rel(dir, p.Path)
		got[rel] = p.Why
	})
	want := map[string]string{"plot.png": "", "server.log": "", "sub/b.json.zst": "is zstd: unpack it with zstd -d first"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || n != 1 {
		t.Errorf("%d samples, %v, passed over (-want +got):\n%s", n, err, diff)
	}
}
