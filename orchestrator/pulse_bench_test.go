package orchestrator

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"servematrix/engine"
	"servematrix/readiness"
)

// BenchmarkPulseLook: one look at idle files, and at a server's log that has grown by
// more than is read of it, the writing included.
func BenchmarkPulseLook(b *testing.B) {
	c, err := engine.Load()
	if err != nil {
		b.Fatal(err)
	}
	for _, tc := range []struct{ name, line string }{
		{"idle", ""},
		{"work", "[2026-11-21 03:59:09] Decode batch, #running-req: 1, #token: 156, token usage: 0.00, cpu graph: False, gen throughput (token/s): 0.70, #queue-req: 0\n"},
		{"noise", "[2026-11-21 03:59:09] something else that is as long as the lines of work usually are, with (words) and \"quotes\" POST in it: 0.70, #queue-req: 0\n"},
	} {
		b.Run(tc.name, func(b *testing.B) {
			dir := b.TempDir()
			log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				b.Fatal(err)
			}
			defer log.Close()
			p := &pulse{limit: time.Minute, server: []*added{{path: log.Name()}, {path: filepath.Join(dir, "b")}}, client: []*added{{path: filepath.Join(dir, "c")}, {path: filepath.Join(dir, "d")}},
				progress: regexp.MustCompile(`\|\s*(\d+)/(\d+) \[`), served: readiness.Matching(c.Server("sglang").Served.Expression())}
			block := bytes.Repeat([]byte(tc.line), addedMax/max(len(tc.line), 1)+1)
			for b.Loop() {
				if tc.line != "" {
					if _, err := log.Write(block); err != nil {
						b.Fatal(err)
					}
				}
				p.look(time.Now())
			}
		})
	}
}
