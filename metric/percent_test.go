package metric

import "testing"

func TestPercent(t *testing.T) {
	for ratio, want := range map[float64]string{1.052: "+5.2", 0.993: "−0.7", 1: "0.0", 1.0004: "0.0", 0.99996: "0.0", 2.5: "+150", 1.9: "+90.0"} {
		if got := Percent(ratio); got != want {
			t.Errorf("%v is %s, want %s", ratio, got, want)
		}
	}
}
