package logfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzFinder holds the Finder against looking for one string after the other at
// every place.
func FuzzFinder(f *testing.F) {
	f.Add("oom|kv memory|ab", "xxkv memoryxx")
	f.Add("abcd|bcd|cd|bcd", "aabcdd")
	f.Add("aa|aaa", "aaaa")
	f.Fuzz(func(t *testing.T, words, text string) {
		var all [][]byte
		for _, w := range strings.Split(words, "|") {
			all = append(all, []byte(w))
		}
		type place struct{ At, No int }
		var want, got []place
		for at := range len(text) {
			for no, w := range all {
				if strings.HasPrefix(text[at:], string(w)) {
					want = append(want, place{at, no})
				}
			}
		}
		finder := NewFinder(all)
		if finder == nil {
			return
		}
		finder.Each([]byte(text), func(at, no int) bool {
			got = append(got, place{at, no})
			return true
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if finder.In([]byte(text)) != (len(want) > 0) {
			t.Errorf("%q in %q: want %v", words, text, len(want) > 0)
		}
	})
}
