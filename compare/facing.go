package compare

// common gives those starts of both arms that belong to one block, in one order.
func common(a, b []start) (x, y []start) {
	for _, s := range a {
		for _, o := range b {
			if s.source == o.source && s.block == o.block {
				x, y = append(x, s), append(y, o)
			}
		}
	}
	return x, y
}

// facing gives the starts to set against one another: those of common blocks where the arms were
// mixed in time, else all.
func facing(base, with []start) (x, y []start, paired bool) {
	if x, y = common(base, with); len(x) > 0 && !apart(base, with) {
		return x, y, true
	}
	return base, with, false
}

// apart tells that all starts of one arm came before the first of the other, in each source: then
// a block's two starts have nothing in common but a number. One start each tells nothing.
func apart(a, b []start) bool {
	if len(a) < 2 || len(b) < 2 {
		return false
	}
	low, high := span(a)
	from, to := span(b)
	return before(high, from) || before(to, low)
}

// moment is a place in time: a source, and a sample's number in it.
type moment struct{ source, at int }

func before(a, b moment) bool {
	return a.source < b.source || a.source == b.source && a.at < b.at
}

func span(starts []start) (first, last moment) {
	for i, s := range starts {
		m := moment{s.source, s.samples[0].at}
		if i == 0 || before(m, first) {
			first = m
		}
		if i == 0 || before(last, m) {
			last = m
		}
	}
	return first, last
}
