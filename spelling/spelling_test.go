package spelling

import "testing"

func TestEditDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"command", "comand", 1}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"axes", "axes", 0}, {"é", "e", 1}} {
		if got := editDistance(tt.a, tt.b); got != tt.want {
			t.Errorf("%q %q: %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := editDistance(tt.b, tt.a); got != tt.want {
			t.Errorf("%q %q: %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}
