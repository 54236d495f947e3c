package report

import "testing"

func TestLegible(t *testing.T) {
	for v, want := range map[float64]string{
		3433.4912345678901: "3433.491", 1048576123: "1048576123", 0.00012345678: "0.000123", 25161.28: "25161.28", 0: "0", -0.5: "-0.5", 1: "1", 31.7099999999999973: "31.71",
	} {
		if got := legible(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}
