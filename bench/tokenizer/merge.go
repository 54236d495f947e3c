package tokenizer

import (
	"container/heap"
	"fmt"
)

// symbol is a part of a piece; neighbours are linked, since merges take some away.
type symbol struct {
	id         int32
	prev, next int32 // -1 at the ends
	gone       bool
}

// candidate is two neighbours that could be merged.
type candidate struct {
	rank, at    int32
	left, right int32 // as they were when it was found
	id          int32
}

type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return c[i].rank < c[j].rank || c[i].rank == c[j].rank && c[i].at < c[j].at
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// merged is what a pair becomes, and how early.
type merged struct{ rank, id int32 }

// pieceIDs appends the tokens of one piece: its letters, of which neighbours are merged in the
// order of the merges, the leftmost first.
func (t *Tokenizer) pieceIDs(ids []int32, piece string) []int32 {
	if id, ok := t.vocab[piece]; ok && t.ignoreMerges {
		return append(ids, id)
	}
	list := t.symbols(piece)
	if len(list) == 0 {
		return ids
	}
	var queue candidates
	offer := func(at int32) {
		next := list[at].next
		if next < 0 {
			return
		}
		if m, ok := t.merges[[2]int32{list[at].id, list[next].id}]; ok {
			heap.Push(&queue, candidate{m.rank, at, list[at].id, list[next].id, m.id})
		}
	}
	for at := range list {
		offer(int32(at))
	}
	for len(queue) > 0 {
		c := heap.Pop(&queue).(candidate)
		left := &list[c.at]
		if left.gone || left.id != c.left || left.next < 0 || list[left.next].id != c.right {
			continue // one of them has been merged meanwhile
		}
		right := &list[left.next]
		right.gone = true
		left.id, left.next = c.id, right.next
		if left.next >= 0 {
			list[left.next].prev = c.at
		}
		offer(c.at)
		if left.prev >= 0 {
			offer(left.prev)
		}
	}
	for _, s := range list {
		if !s.gone {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// symbols are the letters of a piece as tokens: a letter that is none is written in bytes where
// the model does so, or unknown.
func (t *Tokenizer) symbols(piece string) []symbol {
	list := make([]symbol, 0, len(piece))
	unknown := false // the one before
	for _, r := range piece {
		letter := string(r)
		if id, ok := t.vocab[letter]; ok {
			list = append(list, symbol{id: id})
			unknown = false
			continue
		}
		if bytes := t.bytes(letter); bytes != nil {
			for _, id := range bytes {
				list = append(list, symbol{id: id})
			}
			unknown = false
			continue
		}
		if t.unknown >= 0 && !(unknown && t.fuseUnknown) {
			list = append(list, symbol{id: t.unknown})
		}
		unknown = true
	}
	for i := range list {
		list[i].prev, list[i].next = int32(i-1), int32(i+1)
	}
	if len(list) > 0 {
		list[len(list)-1].next = -1
	}
	return list
}

// bytes are a letter's bytes as tokens, nil where the model has none for them.
func (t *Tokenizer) bytes(letter string) []int32 {
	if !t.byteFallback {
		return nil
	}
	ids := make([]int32, 0, 4)
	for i := range len(letter) {
		id, ok := t.vocab[fmt.Sprintf("<0x%02X>", letter[i])]
		if !ok {
			return nil
		}
		ids = append(ids, id)
	}
	return ids
}
