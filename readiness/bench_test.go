package readiness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkLineToReady measures, on an idle machine, how long after the ready
// line's write Wait returns, and how much of that is the detection itself.
func BenchmarkLineToReady(b *testing.B) {
	path := filepath.Join(b.TempDir(), "server.log")
	var seen, returned []time.Duration
	for b.Loop() {
		log, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		done := make(chan Ready)
		go func() {
			r, err := Wait(context.Background(), Conditions{Log: rollRE, Timeout: time.Minute, Silence: time.Minute}, Target{Logs: []string{path}})
			if err != nil {
				b.Error(err)
			}
			done <- r
		}()
		fmt.Fprintln(log, "Load weight begin.")
		time.Sleep(2 * time.Millisecond) // so that the follower sleeps, as it does before a real ready line
		begin := time.Now()
		if _, err := log.WriteString(rollLine + "\n"); err != nil {
			b.Fatal(err)
		}
		r := <-done
		returned = append(returned, time.Since(begin))
		seen = append(seen, r.At.Sub(begin))
		log.Close()
	}
	report(b, seen, "seen")
	report(b, returned, "returned")
}

func report(b *testing.B, d []time.Duration, what string) {
	slices.Sort(d)
	b.ReportMetric(float64(d[len(d)/2].Microseconds()), "p50-"+what+"-µs")
	b.ReportMetric(float64(d[len(d)*99/100].Microseconds()), "p99-"+what+"-µs")
}

// BenchmarkDiagnose reads a 64 MiB log with as many patterns as a profile has.
func BenchmarkDiagnose(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 64<<20; i++ {
		fmt.Fprintf(&text, "[2026-11-21 03:58:%02d] Decode batch, #running-req: 8, #token: %d, token usage: 0.02, gen throughput (token/s): 16.28\n", i%60, i)
	}
	path := filepath.Join(b.TempDir(), "server.log")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	var patterns []Pattern
	for i := range 40 {
		patterns = append(patterns, Pattern{Class: "oom", Log: regexp.MustCompile(fmt.Sprintf(`cause number %d\.|another text %d\b`, i, i))})
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, ok := Diagnose([]string{path}, patterns); ok {
			b.Fatal("found something")
		}
	}
}
