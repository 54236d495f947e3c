package progress

import (
	"testing"
	"testing/synctest"
	"time"

	"servematrix/journal"
)

// What is written of an estimate, on a Thursday at 22:10 in a zone of its own.
func TestETAIsARangeWithAClockTime(t *testing.T) {
	zone := time.FixedZone("CEST", 2*3600)
	now := time.Date(2026, 6, 11, 22, 10, 0, 0, zone)
	for _, c := range []struct {
		low, high time.Duration
		want      string
	}{
		{40 * time.Second, 50 * time.Second, "ETA 40s–50s → 22:10 CEST"},
		{3 * time.Minute, 3*time.Minute + 20*time.Second, "ETA 3m → 22:13 CEST"},
		{50 * time.Minute, 70 * time.Minute, "ETA 50m–1h10 → 23:00–23:20 CEST"},
		{time.Hour, 3 * time.Hour, "ETA 1h–3h → 23:10–Fri 01:10 CEST"},
		{9*time.Hour + 10*time.Minute, 11*time.Hour + 40*time.Minute, "ETA 9h10–11h40 → Fri 07:20–09:50 CEST"},
		{23 * time.Hour, 29 * time.Hour, "ETA 23h–29h → Fri 21:10–Sat 03:10 CEST"},
		{200 * time.Hour, 210 * time.Hour, "ETA 200h–210h → Jun 20 06:10–16:10 CEST"},
	} {
		if got := etaTexts(c.low, c.high, now); got[0] != c.want {
			t.Errorf("%v to %v: %q, want %q", c.low, c.high, got[0], c.want)
		}
	}
	narrow := etaTexts(9*time.Hour, 11*time.Hour, now)
	for width, want := range map[int]string{80: "ETA 9h–11h → Fri 07:10–09:10 CEST", 30: "ETA 9h–11h → Fri 09:10 CEST", 20: "ETA 9h–11h"} {
		if got := pick(width, narrow...); got != want {
			t.Errorf("in %d columns %q, want %q", width, got, want)
		}
	}
}

// The estimate as a run goes on: nothing before there is data, and a failed cell, be it at
// once or late, takes away its own work and no more.
func TestEstimateAlongARun(t *testing.T) {
	for name, c := range map[string]struct {
		tell func(s *story)
		mid  time.Duration // that is left; 0: not known
	}{
		"nothing seen":         {func(s *story) { s.start("0001", "fa3-1", "fa3") }, 0},
		"only a start seen":    {func(s *story) { s.start("0001", "fa3-1", "fa3"); s.ready("0001", 100*time.Second) }, 0},
		"one cell":             {func(s *story) { s.good("0001", "c1") }, 310 * time.Second},
		"one cell, stop to go": {func(s *story) { s.almost("0001", "c1"); time.Sleep(4 * time.Second) }, (300 - 0) * time.Second},
		"start to go": {func(s *story) {
			s.good("0001", "c1")
			s.start("0002", "triton-2", "triton")
			time.Sleep(40 * time.Second)
		}, 270 * time.Second},
		"start that takes longer": {func(s *story) {
			s.good("0001", "c1")
			s.start("0002", "triton-2", "triton")
			time.Sleep(1000 * time.Second)
		}, 210 * time.Second},
		"bench in the midst": {func(s *story) {
			s.good("0001", "c1")
			s.start("0002", "triton-2", "triton")
			s.ready("0002", 100*time.Second)
			s.client("0002", "c2")
			time.Sleep(50 * time.Second)
		}, 160 * time.Second},
		"a failure that is tried again": {func(s *story) {
			s.good("0001", "c1")
			s.bad("0002", "c2", false)
		}, 310 * time.Second},
		"a failure at once, before anything went well": {func(s *story) { s.bad("0001", "c2", true) }, 0},
		"a failure at once": {func(s *story) {
			s.bad("0001", "c2", true)
			s.view.track.count(s.unit("c2"), "failed", -1) // as if another cell like it were to come
			s.good("0002", "c1")
		}, 310*time.Second - 4*time.Second}, // the failed launch's stop took 2 s, the other's 10 s: 6 in the middle
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStory(t, Options{Mode: "json", W: &sink{}})
				defer s.view.Close()
				s.tell(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 1, Cells: 2})
				c.tell(s)
				low, high, ok := s.view.track.remaining(s.view.moment(time.Now()))
				if mid := (low + high) / 2; ok != (c.mid > 0) || ok && (mid < c.mid-16*time.Second || mid > c.mid+16*time.Second || low > c.mid || high < c.mid) {
					t.Errorf("%v to %v, %v; want %v", low, high, ok, c.mid)
				}
			})
		})
	}
}
