package device

import "testing"

func TestGauge(t *testing.T) {
	for text, want := range map[string]float64{
		"612.34": 612.34, " 71 ": 71, "20 W": 20, "(800Mhz)": 800, "0.0": 0, "51 C": 51,
		"": -1, "-": -1, "NA": -1, "N/A": -1, "[N/A]": -1, "N/A (Secondary die)": -1, "-5": -1, "1.2.3": -1, "4294967295": -1, "12 remarks": -1, "NaN": -1, "1e3": -1,
	} {
		got := watts(text)
		if got == nil && want >= 0 || got != nil && *got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
