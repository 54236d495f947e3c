package jsonwalk

import "strconv"

// number takes a number and tells whether it is a whole one. Its text is held against JSON's
// grammar, for strconv takes more.
func (c *Cursor) number() (text []byte, whole bool) {
	if c.next() == 0 || c.failed {
		c.failed = true
		return nil, false
	}
	b, whole := c.text[c.at:], true
	from := 0
	if b[0] == '-' {
		from = 1
	}
	i := digits(b, from)
	ok := i > from && !(b[from] == '0' && i > from+1)
	if ok && i < len(b) && b[i] == '.' {
		from, whole = i+1, false
		i = digits(b, from)
		ok = i > from
	}
	if ok && i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		from, whole = i+1, false
		if from < len(b) && (b[from] == '+' || b[from] == '-') {
			from++
		}
		i = digits(b, from)
		ok = i > from
	}
	if !ok {
		c.failed = true
		return nil, false
	}
	c.at += i
	return b[:i], whole
}

// digits gives where those that begin at from end.
func digits(b []byte, from int) int {
	for from < len(b) && b[from] >= '0' && b[from] <= '9' {
		from++
	}
	return from
}

// Float takes a number.
func (c *Cursor) Float() float64 {
	text, _ := c.number()
	v, err := strconv.ParseFloat(string(text), 64)
	c.failed = c.failed || err != nil
	return v
}

// Int takes a whole number.
func (c *Cursor) Int() int {
	text, whole := c.number()
	v, err := strconv.Atoi(string(text))
	c.failed = c.failed || !whole || err != nil
	return v
}

// Uint takes a whole number that is not negative.
func (c *Cursor) Uint() uint64 {
	text, whole := c.number()
	v, err := strconv.ParseUint(string(text), 10, 64)
	c.failed = c.failed || !whole || err != nil
	return v
}

// Scalar takes a string, a number, a bool or null; whole numbers are int64.
func (c *Cursor) Scalar() any {
	switch c.next() {
	case '"':
		return c.Text()
	case 't', 'f':
		return c.Bool()
	case 'n':
		if !c.Null() {
			c.failed = true
		}
		return nil
	}
	text, whole := c.number()
	if whole {
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return n
		}
	}
	v, err := strconv.ParseFloat(string(text), 64)
	c.failed = c.failed || err != nil
	return v
}
