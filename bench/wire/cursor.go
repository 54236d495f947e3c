package wire

// cursor walks through one JSON value without allocating: a benchmark client reads tens of
// thousands of small objects a second, and garbage would disturb the timing it measures. It
// is for reading known keys, not for validating; on malformed input bad is set and every loop
// ends. Package jsonwalk is for our own JSON: it stops at the first escape, which a token may be,
// and takes a function for each object.
type cursor struct {
	b   []byte
	i   int
	bad bool
}

func (c *cursor) fail() {
	c.bad, c.i = true, len(c.b)
}

func (c *cursor) space() {
	for c.i < len(c.b) && (c.b[c.i] == ' ' || c.b[c.i] == '\n' || c.b[c.i] == '\t' || c.b[c.i] == '\r') {
		c.i++
	}
}

// peek gives the next byte after space, 0 at the end.
func (c *cursor) peek() byte {
	c.space()
	if c.i == len(c.b) {
		return 0
	}
	return c.b[c.i]
}

// enter consumes the opening byte of an object or array, and reports whether it was there; where
// another value stands, null for example, that is skipped.
func (c *cursor) enter(open byte) bool {
	if c.peek() != open {
		c.skip()
		return false
	}
	c.i++
	return true
}

// more reports whether another element comes, consuming the comma before it or the closing
// byte. first is true for the first call within a container.
func (c *cursor) more(closing byte, first *bool) bool {
	switch next := c.peek(); {
	case c.bad || next == 0:
		c.fail()
		return false
	case next == closing:
		c.i++
		return false
	case *first:
		*first = false
		return true
	case next == ',':
		c.i++
		return true
	}
	c.fail()
	return false
}

// key consumes an object's key and colon.
func (c *cursor) key() []byte {
	k := c.str()
	if c.peek() != ':' {
		c.fail()
		return nil
	}
	c.i++
	return k
}

// str consumes a string and gives what stands between its quotes, escapes and all.
func (c *cursor) str() []byte {
	if c.peek() != '"' {
		c.fail()
		return nil
	}
	c.i++
	start := c.i
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case '\\':
			c.i++
		case '"':
			c.i++
			return c.b[start : c.i-1]
		}
		c.i++
	}
	c.fail()
	return nil
}

// number consumes a whole number; of another value it gives 0.
func (c *cursor) number() int {
	c.space()
	n := 0
	start := c.i
	for c.i < len(c.b) && c.b[c.i] >= '0' && c.b[c.i] <= '9' && n < 1<<40 {
		n = n*10 + int(c.b[c.i]-'0')
		c.i++
	}
	if c.i == start {
		c.skip()
		return 0
	}
	// The rest of a number that is not whole.
	for c.i < len(c.b) && isScalar(c.b[c.i]) {
		c.i++
	}
	return n
}

// text consumes a value and gives what stands between its quotes, nothing of what is no string.
func (c *cursor) text() []byte {
	if c.peek() != '"' {
		c.skip()
		return nil
	}
	return c.str()
}

// null consumes a value and reports whether it is null.
func (c *cursor) null() bool {
	isNull := c.peek() == 'n'
	c.skip()
	return isNull
}

// skip consumes any value.
func (c *cursor) skip() {
	depth := 0
	for {
		switch b := c.peek(); {
		case b == 0:
			c.fail()
			return
		case b == '"':
			c.str()
		case b == '{' || b == '[':
			depth++
			c.i++
			continue
		case b == '}' || b == ']':
			depth--
			c.i++
		case depth > 0 && (b == ',' || b == ':'):
			c.i++
			continue
		case isScalar(b):
			for c.i < len(c.b) && isScalar(c.b[c.i]) {
				c.i++
			}
		default:
			c.fail()
			return
		}
		if depth <= 0 {
			if depth < 0 {
				c.fail()
			}
			return
		}
	}
}

// isScalar tells bytes of numbers, true, false and null.
func isScalar(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '-' || b == '+' || b == '.' || b == 'E'
}
