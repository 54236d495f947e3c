package orchestrator

import "testing"

func TestLastLineIsNoPointer(t *testing.T) {
	for _, test := range []struct {
		tail []string
		want string
	}{
		{nil, "ended"},
		{[]string{"a", "boom"}, "ended; its last line: boom"},
		{[]string{"unknown flag: --num-prompt", "see: servematrix bench --help"}, "ended; it says: unknown flag: --num-prompt"},
		{[]string{"Error: No such option: --x", "Try 'guidellm --help' for help."}, "ended; it says: Error: No such option: --x"},
		{[]string{"see: servematrix bench --help"}, "ended; its last line: see: servematrix bench --help"},
		{[]string{"a", "seen 3 --helpers"}, "ended; its last line: seen 3 --helpers"},
	} {
		if got := lastLine("ended", test.tail); got != test.want {
			t.Errorf("%q: %q, want %q", test.tail, got, test.want)
		}
	}
}
