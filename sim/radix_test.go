package sim

import (
	"testing"

	"pgregory.net/rapid"
)

// check verifies the tree's books and shape.
func (c *radixCache) check(t *rapid.T) {
	tokens, locked := 0, 0
	c.walk(c.root, func(n *radixNode) {
		tokens += len(n.key)
		if n.ref > 0 {
			locked += len(n.key)
		}
		if len(n.key) == 0 || len(n.key)%c.page != 0 {
			t.Fatalf("a node of %d tokens with pages of %d", len(n.key), c.page)
		}
		if n.parent != c.root && n.ref > n.parent.ref {
			t.Fatalf("a node is locked %d times, its parent %d times", n.ref, n.parent.ref)
		}
		for hash, child := range n.children {
			if child.parent != n || c.pageHash(child.key) != hash {
				t.Fatal("a child is filed in the wrong place")
			}
		}
	})
	if tokens != c.tokens || locked != c.locked {
		t.Fatalf("books say %d tokens, %d locked; the tree holds %d and %d", c.tokens, c.locked, tokens, locked)
	}
}

// TestRadixCacheAgainstModel compares the tree with a plain list of all that was inserted.
func TestRadixCacheAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		page := rapid.IntRange(1, 4).Draw(t, "page")
		c := newRadixCache(page)
		var inserted [][]int32
		sequence := rapid.SliceOfN(rapid.Int32Range(0, 2), 0, 30)
		longest := func(q []int32) int {
			best := 0
			for _, s := range inserted {
				best = max(best, c.common(s[:len(s)/page*page], q))
			}
			return best
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			s := sequence.Draw(t, "sequence")
			want := longest(s)
			if _, got := c.match(s); got != want {
				t.Fatalf("match(%v) = %d, want %d", s, got, want)
			}
			before := c.tokens
			_, length, added := c.insert(s)
			inserted = append(inserted, s)
			if length != len(s)/page*page || added != length-want || c.tokens != before+added {
				t.Fatalf("insert(%v): length %d, added %d, of which %d were there", s, length, added, want)
			}
			c.check(t)
		}
	})
}

// TestEvictionSparesWhatIsLocked locks, unlocks and evicts at random.
func TestEvictionSparesWhatIsLocked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newRadixCache(rapid.IntRange(1, 3).Draw(t, "page"))
		type lock struct {
			node   *radixNode
			tokens []int32
		}
		var locks []lock
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 2).Draw(t, "action") {
			case 0:
				s := rapid.SliceOfN(rapid.Int32Range(0, 2), 0, 20).Draw(t, "sequence")
				node, length, _ := c.insert(s)
				if rapid.Bool().Draw(t, "lock") {
					c.lock(node)
					locks = append(locks, lock{node, s[:length]})
				}
			case 1:
				if len(locks) > 0 {
					i := rapid.IntRange(0, len(locks)-1).Draw(t, "which")
					c.unlock(locks[i].node)
					locks = append(locks[:i], locks[i+1:]...)
				}
			case 2:
				want := rapid.IntRange(0, 30).Draw(t, "want")
				can, before := c.evictable(), c.tokens
				freed := c.evict(want)
				if freed < min(want, can) || c.tokens != before-freed {
					t.Fatalf("evict(%d) with %d evictable freed %d, tokens %d → %d", want, can, freed, before, c.tokens)
				}
			}
			c.check(t)
			for _, l := range locks {
				if _, got := c.match(l.tokens); got < len(l.tokens) {
					t.Fatalf("%d tokens were locked, %d are left", len(l.tokens), got)
				}
			}
		}
	})
}

func TestEvictionTakesTheLeastRecentlyUsed(t *testing.T) {
	c := newRadixCache(1)
	c.insert(ids(10, 0))
	c.insert(ids(10, 100))
	c.match(ids(10, 0)) // used again
	c.evict(10)
	if _, n := c.match(ids(10, 0)); n != 10 {
		t.Errorf("the recently used prefix lost %d tokens", 10-n)
	}
	if _, n := c.match(ids(10, 100)); n != 0 {
		t.Errorf("the older prefix kept %d tokens", n)
	}
}

func TestTokenizeKeepsSharedBeginnings(t *testing.T) {
	a, b := tokenize("The quick brown fox jumps"), tokenize("The quick brown dog sleeps")
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n != 3 {
		t.Errorf("%d common tokens of %v and %v, want 3 words", n, a, b)
	}
	if got := len(tokenize("internationalization")); got != 4 { // 20 bytes in runs of 6
		t.Errorf("a long word is %d tokens", got)
	}
	if got := len(tokenize(words(ids(50, 0)))); got != 50 {
		t.Errorf("50 generated words are %d tokens", got)
	}
	if len(tokenize("")) != 0 {
		t.Error("no text, but tokens")
	}
}
