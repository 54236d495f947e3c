package metric

// slots leads from what tells the contract's names apart to their places in the table, counted
// from 1; 0 is an empty slot. A large import asks for names a hundred times a sample.
var slots = func() (all [256]uint8) {
	for i, name := range names {
		at := slot(name)
		for ; all[at] != 0; at++ {
		}
		all[at] = uint8(i + 1)
	}
	return all
}()

// shortestName is the length of the shortest name of the contract, "failed".
const shortestName = 6

// slot is where the search for a name begins: its length, its third letter, which tells the
// statistic, and its sixth from the end, which tells the latency, are almost enough.
func slot(name string) uint8 {
	return uint8(len(name)) + 7*name[2] + 61*name[len(name)-6]
}

// Named gives the contract's own copy of a base name; ok is false for any other text.
func Named(text []byte) (name string, ok bool) {
	i, ok := place(string(text))
	if !ok {
		return "", false
	}
	return names[i], true
}

// place gives a name's place in the table; ok is false for one that is not of the contract.
func place(name string) (i int, ok bool) {
	if len(name) < shortestName {
		return 0, false
	}
	for at := slot(name); slots[at] != 0; at++ {
		if i = int(slots[at]) - 1; names[i] == name {
			return i, true
		}
	}
	return 0, false
}

// Place is where the table has a name of the contract, for who asks for the same names again and again.
type Place struct{ at int }

// PlaceOf gives a name's; ok is false for one that is not of the contract.
func PlaceOf(name string) (p Place, ok bool) {
	p.at, ok = place(name)
	return p, ok
}

// Name is the name that stands there.
func (p Place) Name() string { return names[p.at] }

// SetAt is Set for the name at a place.
func (v *Values) SetAt(p Place, f float64) {
	v.held |= 1 << p.at
	v.base[p.at] = f
}

// GetAt is Get for the name at a place.
func (v *Values) GetAt(p Place) (float64, bool) {
	if v == nil || v.held&(1<<p.at) == 0 {
		return 0, false
	}
	return v.base[p.at], finite(v.base[p.at])
}
