package sim

import (
	"container/heap"
	"slices"
)

// radixCache is a prefix tree over token ids, as SGLang's: an edge holds a run of whole pages,
// so two prompts share the pages of their common beginning and nothing else. Nodes that
// running requests use are locked along the path to the root and are never evicted; the others
// are evicted leaf by leaf, least recently used first.
type radixCache struct {
	page  int // tokens per page; only whole pages are kept
	root  *radixNode
	clock uint64 // orders uses; counted rather than timed, so that eviction is deterministic

	tokens int // tokens held by the tree
	locked int // tokens of nodes with ref > 0
}

type radixNode struct {
	key      []int32 // tokens of the edge into this node, a multiple of the page
	parent   *radixNode
	children map[uint64]*radixNode // by hash of the first page of the child's key
	ref      int
	used     uint64
}

func newRadixCache(page int) *radixCache {
	return &radixCache{page: max(page, 1), root: &radixNode{children: map[uint64]*radixNode{}}}
}

// evictable is how many tokens evict could free now.
func (c *radixCache) evictable() int { return c.tokens - c.locked }

// match finds the longest cached prefix of tokens and gives its last node and its length.
func (c *radixCache) match(tokens []int32) (*radixNode, int) {
	c.clock++
	node, length := c.root, 0
	for {
		node.used = c.clock
		child := node.children[c.pageHash(tokens[length:])]
		if child == nil {
			return node, length
		}
		n := c.common(child.key, tokens[length:])
		length += n
		switch {
		case n == 0: // another page with the same hash
			return node, length
		case n < len(child.key):
			upper := c.split(child, n)
			upper.used = c.clock
			return upper, length
		}
		node = child
	}
}

// insert puts the whole pages of tokens into the tree and gives the node where they end, how
// many tokens the tree now holds of them, and how many of these it did not hold before.
func (c *radixCache) insert(tokens []int32) (node *radixNode, length, added int) {
	tokens = tokens[:len(tokens)/c.page*c.page]
	node, length = c.match(tokens)
	rest := tokens[length:]
	if len(rest) == 0 {
		return node, length, 0
	}
	hash := c.pageHash(rest)
	if node.children[hash] != nil { // a hash collision: the newcomer is simply not cached
		return node, length, 0
	}
	leaf := &radixNode{key: slices.Clone(rest), parent: node, children: map[uint64]*radixNode{}, used: c.clock}
	node.children[hash] = leaf
	c.tokens += len(rest)
	return leaf, length + len(rest), len(rest)
}

// lock keeps node and all above it from eviction until unlock.
func (c *radixCache) lock(node *radixNode) {
	for ; node != c.root; node = node.parent {
		if node.ref == 0 {
			c.locked += len(node.key)
		}
		node.ref++
	}
}

func (c *radixCache) unlock(node *radixNode) {
	for ; node != c.root; node = node.parent {
		node.ref--
		if node.ref == 0 {
			c.locked -= len(node.key)
		}
	}
}

// split cuts node's edge after n tokens and gives the new upper node. A locked node stays
// locked on both sides, so the books do not change.
func (c *radixCache) split(node *radixNode, n int) *radixNode {
	upper := &radixNode{key: node.key[:n:n], parent: node.parent, children: map[uint64]*radixNode{}, ref: node.ref, used: node.used}
	upper.parent.children[c.pageHash(upper.key)] = upper
	node.key, node.parent = node.key[n:], upper
	upper.children[c.pageHash(node.key)] = node
	return upper
}

// evict frees at least want tokens where that many are evictable, and gives how many it freed.
func (c *radixCache) evict(want int) (freed int) {
	if want <= 0 {
		return 0
	}
	leaves := &byUse{}
	c.walk(c.root, func(n *radixNode) {
		if len(n.children) == 0 && n.ref == 0 {
			*leaves = append(*leaves, n)
		}
	})
	heap.Init(leaves)
	for freed < want && leaves.Len() > 0 {
		leaf := heap.Pop(leaves).(*radixNode)
		parent := leaf.parent
		cut := min(len(leaf.key), (want-freed+c.page-1)/c.page*c.page)
		if keep := len(leaf.key) - cut; keep > 0 {
			leaf.key = leaf.key[:keep:keep] // a long leaf loses only its tail
		} else {
			delete(parent.children, c.pageHash(leaf.key))
		}
		freed += cut
		c.tokens -= cut
		if parent != c.root && len(parent.children) == 0 && parent.ref == 0 {
			heap.Push(leaves, parent)
		}
	}
	return freed
}

func (c *radixCache) walk(node *radixNode, visit func(*radixNode)) {
	for _, child := range node.children {
		visit(child)
		c.walk(child, visit)
	}
}

// common is the length of the common prefix of a and b in whole pages.
func (c *radixCache) common(a, b []int32) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n / c.page * c.page
}

// pageHash is FNV-1a over the first page of tokens; 0, which is no page's, for less than one.
func (c *radixCache) pageHash(tokens []int32) uint64 {
	if len(tokens) < c.page {
		return 0
	}
	h := uint64(14695981039346656037)
	for _, t := range tokens[:c.page] {
		h = (h ^ uint64(uint32(t))) * 1099511628211
	}
	return h | 1
}

// byUse is a heap of nodes, the least recently used on top.
type byUse []*radixNode

func (b byUse) Len() int           { return len(b) }
func (b byUse) Less(i, j int) bool { return b[i].used < b[j].used }
func (b byUse) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *byUse) Push(x any)        { *b = append(*b, x.(*radixNode)) }
func (b *byUse) Pop() any {
	old := *b
	last := old[len(old)-1]
	*b = old[:len(old)-1]
	return last
}
