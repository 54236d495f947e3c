package result

import (
	"os"
	"path/filepath"
	"testing"
)

// TestResultBehindAFlood: of an output that was a flood the middle was cut out; the result at its end counts.
func TestResultBehindAFlood(t *testing.T) {
	path := filepath.Join(t.TempDir(), "client.out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for at, text := range map[int64]string{
		0:       "progress\nand half a li",
		1 << 40: "ne\n" + `{"duration": 2.0, "completed": 10, "total_output_tokens": 100, "output_throughput": 50.0}` + "\n",
	} {
		if _, err := f.WriteAt([]byte(text), at); err != nil {
			t.Fatal(err)
		}
	}
	m, _, err := Read(Inputs{Stdout: path})
	if err != nil || m.Metrics.Value("output_throughput") != 50 {
		t.Errorf("%+v, err %v", m, err)
	}
}
