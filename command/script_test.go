package command

import (
	"strings"
	"sync"
	"testing"
)

func TestIsScript(t *testing.T) {
	for line, want := range map[string]bool{
		"bash -c x":              true,
		"env A=1 /bin/sh -ec x":  true,
		"bash run.sh":            false,
		"python -m m -c bash":    false,
		"env python -m m sh 1":   false,
		"numactl -N 0 vllm serv": false,
	} {
		if got := IsScript(strings.Fields(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// FuzzReadings: no command makes the reader panic or loop.
func FuzzReadings(f *testing.F) {
	f.Add("bash\x00-c\x00exec env A=1 python -m m ${{ x }} \"$(y)\"")
	f.Add("env\x00nice\x00bash\x00-euo\x00pipefail\x00-c\x00(a|b)&&c")
	f.Fuzz(func(t *testing.T, joined string) {
		for _, r := range Readings(strings.Split(joined, "\x00")) {
			if len(r.Words) == 0 {
				t.Error("an empty reading")
			}
		}
	})
}

// A run reads commands in several goroutines at once; the race detector looks at this.
func TestScriptsAreReadSideBySide(t *testing.T) {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				got := Read([]string{"bash", "-c", `exec python3 -m sglang.launch_server --port "30000"`})
				if port, _ := got.Args().Value("--port"); port != "30000" {
					t.Errorf("read %q", got)
					return
				}
			}
		})
	}
	all.Wait()
}
