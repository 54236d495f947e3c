package progress

import (
	"strings"
	"testing"
	"time"

	"servematrix/matrix"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name, mode, color string
		terminal          bool
		env               map[string]string
		want              Mode
		colored           bool
	}{
		{"terminal", "auto", "auto", true, nil, Bar, true},
		{"pipe", "auto", "auto", false, nil, Plain, false},
		{"ci", "auto", "auto", true, map[string]string{"CI": "true"}, Plain, false},
		{"dumb", "auto", "auto", true, map[string]string{"TERM": "dumb"}, Plain, false},
		{"asked for", "bar", "auto", false, nil, Bar, false},
		{"no color", "auto", "auto", true, map[string]string{"NO_COLOR": "1", "FORCE_COLOR": "1"}, Bar, false},
		{"empty no color", "auto", "auto", true, map[string]string{"NO_COLOR": ""}, Bar, true},
		{"force", "plain", "auto", false, map[string]string{"FORCE_COLOR": "1"}, Plain, true},
		{"flag first", "plain", "always", false, map[string]string{"NO_COLOR": "1"}, Plain, true},
		{"never", "json", "never", true, nil, JSON, false},
	} {
		mode, colored, err := Choose(c.mode, c.color, c.terminal, func(k string) (string, bool) { v, ok := c.env[k]; return v, ok })
		if err != nil || mode != c.want || colored != c.colored {
			t.Errorf("%s: %s, %v, %v; want %s, %v", c.name, mode, colored, err, c.want, c.colored)
		}
	}
	none := func(string) (string, bool) { return "", false }
	for _, bad := range [][2]string{{"fancy", "auto"}, {"auto", "sometimes"}} {
		if _, _, err := Choose(bad[0], bad[1], true, none); err == nil {
			t.Errorf("%v must be refused", bad)
		}
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		340 * time.Millisecond: "0.3s", 71 * time.Second: "71s", 401 * time.Second: "6m41s", 59*time.Minute + 59*time.Second + 700*time.Millisecond: "60m00s",
		125 * time.Minute: "2h05m", -time.Second: "0.0s",
	} {
		if got := short(d); got != want {
			t.Errorf("short(%v) = %s, want %s", d, got, want)
		}
	}
	if got := about(9*time.Hour + 31*time.Minute); got != "9h30" {
		t.Errorf("about = %s", got)
	}
}

func TestCleanLeavesNothingThatMovesTheCursor(t *testing.T) {
	if got := Clean("a\x1b[2Jb\rc\u009bd\u202ee\n"); got != "a[2Jb cde" {
		t.Errorf("clean = %q", got)
	}
	if got := Clean(strings.Repeat("é", 500)); len([]rune(got)) != longest+1 {
		t.Errorf("%d runes", len([]rune(got)))
	}
}

func TestQuantileIsNumpys(t *testing.T) {
	v := []float64{1, 2, 4, 8, 16}
	for q, want := range map[float64]float64{0: 1, 0.25: 2, 0.5: 4, 0.6: 5.6, 1: 16} {
		if got := quantile(v, q); got < want-1e-9 || got > want+1e-9 {
			t.Errorf("quantile %v = %v, want %v", q, got, want)
		}
	}
}

// A million cells are one plan; the estimate must cost what servers and clients cost.
func TestEstimateCountsSharedLaunchesAndWarmups(t *testing.T) {
	p := &matrix.Plan{
		Servers: []*matrix.Server{{Variant: matrix.Variant{ID: "s"}, Isolation: "launch"}},
		Clients: []*matrix.Client{{Variant: matrix.Variant{ID: "a"}}, {Variant: matrix.Variant{ID: "b"}, Warmup: 1}},
		Cells:   []matrix.Cell{{ID: "1", Server: "s", Client: "a"}, {ID: "2", Server: "s", Client: "b"}},
		Run:     matrix.Run{Cooldown: matrix.Duration(5 * time.Second)},
	}
	tr := newTracker(p, nil)
	for _, c := range p.Cells {
		tr.want(c, 3)
	}
	if _, ok := tr.estimate(); ok {
		t.Error("nothing was measured yet")
	}
	tr.seen.start.add("s", 100)
	tr.seen.stop.add("s", 10)
	tr.seen.client.add("a", 20)
	got, ok := tr.estimate()
	// 3 launches of 100+10+5, a 3 × 20, b 3 × 2 × 20 by a's time.
	if want := 3*115.0 + 3*20 + 6*20; !ok || got.mid != want {
		t.Errorf("estimate %v %v, want %v", got, ok, want)
	}
}
