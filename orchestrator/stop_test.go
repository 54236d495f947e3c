package orchestrator

import (
	"testing"
	"time"

	"servematrix/engine"
	"servematrix/matrix"
)

func TestGraceOfAServerThatIsNotReady(t *testing.T) {
	catalog, err := engine.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		grace time.Duration
		ready bool
		want  time.Duration
	}{
		{time.Minute, true, time.Minute},
		{time.Minute, false, 5 * time.Second}, // stop.starting of every profile of ours
		{time.Second, false, time.Second},
	} {
		l := &launch{profile: catalog.Server("vllm"), times: map[string]time.Time{}}
		l.server = &matrix.Server{Stop: matrix.Stop{Signal: "TERM", Grace: matrix.Duration(tc.grace)}}
		if tc.ready {
			l.times["ready"] = time.Now()
		}
		if got := l.endPolicy().Grace; got != tc.want {
			t.Errorf("grace %v, ready %v: %v, want %v", tc.grace, tc.ready, got, tc.want)
		}
		if got := l.policy().Grace; got != tc.grace {
			t.Errorf("the guard's own policy has the grace %v, want %v", got, tc.grace)
		}
	}
}
