package server

// queue holds streams in the order in which they are due.
type queue struct {
	ring []*conn
	from int
	n    int
}

func (q *queue) at(i int) **conn { return &q.ring[(q.from+i)%len(q.ring)] }

func (q *queue) head() *conn {
	if q.n == 0 {
		return nil
	}
	return *q.at(0)
}

func (q *queue) pop() {
	*q.at(0) = nil
	q.from = (q.from + 1) % len(q.ring)
	q.n--
}

// pushInOrder puts c behind all that are not due after it: nearly always at the end.
func (q *queue) pushInOrder(c *conn) {
	if q.n == len(q.ring) {
		grown := make([]*conn, max(64, 2*q.n))
		for i := range q.n {
			grown[i] = *q.at(i)
		}
		q.ring, q.from = grown, 0
	}
	i := q.n
	for q.n++; i > 0 && (*q.at(i - 1)).due > c.due; i-- {
		*q.at(i) = *q.at(i - 1)
	}
	*q.at(i) = c
}
