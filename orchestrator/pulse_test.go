package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"servematrix/readiness"
)

// scene is a client and a server that write, on a clock that only the test turns.
type scene struct {
	t            *testing.T
	client, logs string       // files
	tokens       atomic.Int64 // what the engine has counted
	mute         atomic.Bool  // it does not say
	asked        atomic.Int64
}

func (s *scene) write(path, text string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		s.t.Error(err)
	}
}

// prints appends to what the client prints, logs to the server's log.
func (s *scene) prints(text string) { s.write(s.client, text) }
func (s *scene) log(text string)    { s.write(s.logs, text) }

const minute = time.Minute

func tqdm(done, total int) string {
	return fmt.Sprintf("\r %d%%|████▎     | %d/%d [00:20<00:03, 30.25it/s]", 100*done/total, done, total)
}

func TestPulse(t *testing.T) {
	const served = "[2026-11-21 03:59:09] Decode batch, #running-req: 1, #token: 156\n"
	const noise = "[2026-11-21 03:59:09] health check ok\n"
	for _, tc := range []struct {
		name    string
		metrics bool   // the engine has metrics
		before  string // what the server's log held before the client began
		play    func(s *scene)
		end     time.Duration // when it is ended, within a second; 0: it lives as long as the play
		says    []string
	}{
		{name: "prints nothing", play: func(s *scene) { time.Sleep(20 * minute) }, end: 10 * minute,
			says: []string{"nothing got on for 10m0s (client.silence is 10m0s)", "the client printed nothing for 10m0s", "told of no request"}},
		{name: "prints without a bar", play: func(s *scene) {
			for range 60 {
				s.prints("still here\n")
				time.Sleep(9 * minute)
			}
		}},
		{name: "a slow bar", play: func(s *scene) {
			for n := range 60 {
				s.prints(tqdm(n, 200))
				time.Sleep(9 * minute)
			}
		}},
		{name: "a heartbeat beside a bar that stands", play: func(s *scene) {
			s.prints(tqdm(87, 200))
			for range 60 {
				time.Sleep(minute)
				s.prints("heartbeat\n" + tqdm(87, 200))
			}
		}, end: 10 * minute, says: []string{"the client's progress stands at 87/200 for 10m0s, though it prints"}},
		{name: "a bar that stands", play: func(s *scene) { s.prints(tqdm(87, 200)); time.Sleep(20 * minute) }, end: 10 * minute,
			says: []string{"the client's progress stands at 87/200 for 10m0s;"}},
		{name: "prints past the end of a bar", play: func(s *scene) {
			s.prints(tqdm(200, 200))
			for range 60 {
				time.Sleep(9 * minute)
				s.prints("analysing\n")
			}
		}},
		{name: "a second bar stands", play: func(s *scene) {
			s.prints(tqdm(50, 50) + "\n")
			time.Sleep(5 * minute)
			s.prints(tqdm(0, 200))
			for range 60 {
				time.Sleep(minute)
				s.prints("waiting\n")
			}
		}, end: 15 * minute, says: []string{"0/200"}},
		{name: "no output, but the server works", play: func(s *scene) {
			for range 60 {
				time.Sleep(9 * minute)
				s.log(served)
			}
		}},
		{name: "the server's log grows by noise", play: func(s *scene) {
			s.log(served) // at the very begin
			for range 30 {
				time.Sleep(minute)
				s.log(noise)
			}
		}, end: 10 * minute, says: []string{"the server's log has told of no work for"}},
		{name: "the server worked for another client before", before: served, play: func(s *scene) { time.Sleep(20 * minute) }, end: 10 * minute,
			says: []string{"the server's log told of no request that it worked on"}},
		{name: "one request of an hour, counted by the engine", metrics: true, play: func(s *scene) {
			s.prints(tqdm(0, 1))
			for range 3600 {
				time.Sleep(time.Second)
				s.tokens.Add(1)
			}
			if n := s.asked.Load(); n > 40 { // a few times each ten minutes
				s.t.Errorf("the engine was asked %d times in an hour", n)
			}
		}},
		{name: "the engine stands still", metrics: true, play: func(s *scene) {
			s.prints(tqdm(87, 200))
			for range 1200 {
				time.Sleep(time.Second)
				s.prints(".")
			}
		}, end: 10 * minute, says: []string{"the engine's token counters stand still"}},
		{name: "the engine worked before, and stands still since", metrics: true, play: func(s *scene) {
			time.Sleep(6 * minute) // the counters have been asked for
			s.prints(tqdm(87, 200))
			s.tokens.Store(5000)
			time.Sleep(20 * minute)
		}, end: 16 * minute, says: []string{"87/200", "stand still"}},
		{name: "the engine does not answer", metrics: true, play: func(s *scene) {
			s.mute.Store(true)
			time.Sleep(20 * minute)
		}, end: 10 * minute, says: []string{"the engine's token counters cannot be had: status 404"}},
		{name: "a busy bar asks the engine nothing", metrics: true, play: func(s *scene) {
			for n := range 120 {
				s.prints(tqdm(n, 200))
				time.Sleep(4 * minute)
			}
			if n := s.asked.Load(); n > 0 {
				s.t.Errorf("the engine was asked %d times", n)
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				s := &scene{t: t, client: filepath.Join(dir, "client.err"), logs: filepath.Join(dir, "server.log")}
				p := &pulse{limit: 10 * minute, client: []*added{{path: s.client}}, server: []*added{{path: s.logs}},
					progress: regexp.MustCompile(`\|\s*(\d+)/(\d+) \[`), served: readiness.Matching(regexp.MustCompile(`Decode batch`))}
				if tc.metrics {
					p.counters = func(context.Context) (string, error) {
						s.asked.Add(1)
						if s.mute.Load() {
							return "", errors.New("status 404")
						}
						return fmt.Sprintf("generation_tokens_total %d", s.tokens.Load()), nil
					}
				}
				s.log(tc.before)
				ctx, cancel := context.WithCancel(t.Context())
				began, said := time.Now(), make(chan time.Duration, 1)
				var why string
				go func() {
					why = p.watch(ctx)
					said <- time.Since(began)
				}()
				synctest.Wait() // what was written before it began is no sign
				tc.play(s)
				cancel()
				after := <-said
				switch {
				case tc.end == 0 && why != "":
					t.Errorf("ended after %v: %s", after, why)
				case tc.end > 0 && (why == "" || after < tc.end || after > tc.end+time.Second):
					t.Errorf("ended after %v, want %v: %s", after, tc.end, why)
				}
				for _, want := range tc.says {
					if !strings.Contains(why, want) {
						t.Errorf("%q does not say %q", why, want)
					}
				}
			})
		})
	}
}

func TestAddedLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f := &added{path: path}
	put := func(text string, flag int) {
		t.Helper()
		w, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flag, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	check := func(changed bool, want ...string) {
		t.Helper()
		lines, got := f.look()
		var all []string
		for _, line := range lines {
			all = append(all, string(line))
		}
		if got != changed || strings.Join(all, "|") != strings.Join(want, "|") {
			t.Errorf("%q, changed %v; want %q, %v", all, got, want, changed)
		}
	}
	check(false) // not there yet
	put("one\r 1/2 [\rtw", os.O_APPEND)
	check(true, "one", " 1/2 [", "tw")
	check(false)
	put("o\nthree\n", os.O_APPEND)
	check(true, "two", "three")
	put("anew\n", os.O_TRUNC)
	check(true, "anew")
	put(strings.Repeat("x", 2*addedMax)+"\nlast\n", os.O_APPEND)
	check(true, strings.Repeat("x", addedMax-len("\nlast\n")), "last")
}

func TestTokenCounters(t *testing.T) {
	texts := map[string]string{
		"/vllm": "# HELP vllm:generation_tokens_total x\nvllm:generation_tokens_total{engine=\"0\",model_name=\"m {}\"} 12.0\nvllm:iteration_tokens_total_sum{engine=\"0\"} 3\n" +
			"http_requests_total{handler=\"/metrics\"} 5\nprocess_cpu_seconds_total 7\nvllm:generation_tokens_created 1.7e9\n",
		"/sglang": "sglang:num_used_tokens{model_name=\"m\"} 7\nsglang:gen_throughput{model_name=\"m\"} 3\n",
		"/llama":  "llamacpp:tokens_predicted_total 4\nllamacpp:predicted_tokens_seconds 8.1\n",
		"/none":   "http_requests_total 5\n",
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := texts[r.URL.Path]; ok {
			fmt.Fprint(w, text)
			return
		}
		http.NotFound(w, r)
	}))
	defer srv.Close()
	for path, want := range map[string]string{
		"/vllm":   "vllm:generation_tokens_total{engine=\"0\",model_name=\"m {}\"} 12.0",
		"/sglang": "sglang:num_used_tokens{model_name=\"m\"} 7",
		"/llama":  "llamacpp:tokens_predicted_total 4",
		"/none":   "has none",
		"/404":    "404 Not Found",
	} {
		got, err := tokenCounters(context.Background(), srv.URL+path)
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
