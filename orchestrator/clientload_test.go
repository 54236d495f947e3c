package orchestrator

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"servematrix/result"
)

// loaded is a client's load with a look every two seconds; busy gives, for each stretch
// between two looks, how many seconds of it the thread computed and waited.
func loaded(busy ...[2]float64) *clientLoad {
	began := time.Now()
	c := &clientLoad{pid: 1, names: map[int]string{7: "python3"}, cancel: func() {}, done: make(chan struct{})}
	close(c.done)
	var used threadTime
	for i := range len(busy) + 1 {
		c.moments = append(c.moments, loadMoment{began.Add(time.Duration(2*i) * time.Second), map[int]threadTime{7: used, 8: {}}})
		if i < len(busy) {
			used.computed += time.Duration(busy[i][0] * float64(time.Second))
			used.waited += time.Duration(busy[i][1] * float64(time.Second))
		}
	}
	return c
}

func TestStarvedClient(t *testing.T) {
	spread := func(n int, computed, waited float64) (out [][2]float64) {
		for range n {
			out = append(out, [2]float64{computed, waited})
		}
		return out
	}
	idle := spread(5, 0.1, 0)
	for name, tc := range map[string]struct {
		busy   [][2]float64
		lasted time.Duration
		want   string // of the detail; "": nothing is said
	}{
		"all the time":            {spread(20, 1.96, 0), 38 * time.Second, "computed 98 % of the time and waited for a core for 0 %"},
		"it waits for a core":     {spread(20, 1, 0.95), 38 * time.Second, "computed 50 % of the time and waited for a core for 48 %"},
		"half of the time":        {spread(20, 1, 0), 38 * time.Second, ""},
		"imports, then idle":      {append(spread(10, 2, 0), idle...), 10 * time.Second, ""},
		"perhaps while measured":  {append(spread(5, 2, 0), idle...), 10 * time.Second, ""},
		"busy but for its begin":  {append(spread(1, 0.5, 0), spread(20, 1.98, 0)...), 40 * time.Second, "computed 95 %"},
		"too short to be told":    {spread(4, 2, 0), 8 * time.Second, ""},
		"longer than it lived":    {spread(10, 2, 0), time.Minute, "computed 100 %"},
		"two looks tell nothing":  {spread(1, 2, 0), 20 * time.Second, ""},
		"the client says nothing": {spread(20, 2, 0), 0, ""},
	} {
		got := loaded(tc.busy...).starved(tc.lasted)
		switch {
		case tc.want == "" && len(got) > 0:
			t.Errorf("%s: %+v", name, got)
		case tc.want != "" && (len(got) != 1 || !strings.Contains(got[0].Detail, tc.want) || got[0].Severity != result.SeverityWarning || !strings.Contains(got[0].Detail, "thread python3")):
			t.Errorf("%s: %+v, want %q", name, got, tc.want)
		}
	}
}

// A long client is looked at no more often than its looks can be kept.
func TestLooksAreBounded(t *testing.T) {
	c := watchLoad(1 << 30)
	c.cancel()
	<-c.done
	if len(c.moments) != 0 {
		t.Errorf("%d looks at a process that is not there", len(c.moments))
	}
	c = &clientLoad{pid: os.Getpid(), names: map[int]string{}, every: time.Second}
	for range 3 * momentsMost {
		c.look()
	}
	if len(c.moments) >= momentsMost || c.every < 4*time.Second {
		t.Errorf("%d looks are kept, one each %s", len(c.moments), c.every)
	}
	first := c.moments[0].threads[os.Getpid()] // the thread that a process begins with has its number
	if first.computed <= 0 || c.names[os.Getpid()] == "" {
		t.Errorf("the first thread, %q, has computed %s", c.names[os.Getpid()], first.computed)
	}
}

func TestParseSchedstat(t *testing.T) {
	got, ok := parseSchedstat("2214507 31870 6\n")
	if !ok || got != (threadTime{2214507, 31870}) {
		t.Errorf("%v, %v", got, ok)
	}
	for _, text := range []string{"", "1", "a b c"} {
		if _, ok := parseSchedstat(text); ok {
			t.Errorf("%q was read", text)
		}
	}
}

func TestAStarvedClientIsNamed(t *testing.T) {
	defer func(every, least time.Duration) { loadEvery, loadLeast = every, least }(loadEvery, loadLeast)
	loadEvery, loadLeast = time.Millisecond, time.Second
	defer func(real func(*clientLoad, int, map[int]threadTime)) { clientThreads = real }(clientThreads)
	seen, looks := filepath.Join(t.TempDir(), "seen"), 0
	clientThreads = func(c *clientLoad, _ int, into map[int]threadTime) {
		looks++
		c.names[7], into[7] = "python3", threadTime{computed: time.Duration(looks) * time.Hour}
		if looks == 3 {
			if err := os.WriteFile(seen, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	b := newBench(t, `
server: {command: "SERVER", ready: READY}
client: {command: "CLIENT await `+seen+` long"}
`)
	if _, err := b.run(context.Background(), Again{}, nil); err != nil {
		t.Fatal(err)
	}
	s := b.sampleOf(1)
	if s.Status != StatusOK || !s.Validity.Has(result.ClientStarved) {
		t.Errorf("%s, %+v", s.Status, s.Validity)
	}
}
