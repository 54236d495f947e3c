package result

// skip passes over one value, whatever it holds, and sees that its brackets and commas fit. This
// is where the time goes, so it is one loop over the buffer.
func (s *scanner) skip() error {
	c, err := s.peek()
	if err != nil {
		return err
	}
	open := s.nesting[:0]
	defer func() { s.nesting = open[:0] }()
	value := false // a value has just ended, a comma or a bracket has to come
	for {
		switch {
		case c == '"' || partOf[c] != 0:
			if value {
				return s.bad("%s where a comma has to stand", spelt(c))
			}
			if err := s.skipScalar(c); err != nil {
				return err
			}
			value = true
		case c == '[' || c == '{':
			if value {
				return s.bad("%s where a comma has to stand", spelt(c))
			}
			if len(open) >= maxNesting {
				return s.bad("nested deeper than %d", maxNesting)
			}
			open = append(open, c+2) // ] and } follow two places behind
			s.pos++
		case c == ']' || c == '}':
			if len(open) == 0 || open[len(open)-1] != c {
				return s.bad("%s that closes nothing", spelt(c))
			}
			open = open[:len(open)-1]
			s.pos++
			value = true
		case (c == ',' || c == ':') && value && len(open) > 0:
			s.pos++
			value = false
		default:
			return s.bad("%s where a value has to stand", spelt(c))
		}
		if value && len(open) == 0 {
			return nil
		}
		if value && s.pos+1 < s.end && s.buf[s.pos] == ',' && s.buf[s.pos+1] == ' ' {
			s.pos += 2 // what Python writes between two values
			value = false
		}
		if s.pos < s.end && s.buf[s.pos] > ' ' {
			c = s.buf[s.pos]
		} else if c, err = s.peek(); err != nil {
			return err
		}
	}
}

// skipScalar passes over a string, number or word that begins with c.
func (s *scanner) skipScalar(c byte) error {
	if c == '"' {
		s.pos++
		_, err := s.rest(false)
		return err
	}
	for {
		buf, i := s.buf[:s.end], s.pos
		for i < len(buf) && partOf[buf[i]] != 0 {
			i++
		}
		s.pos = i
		if i < s.end || !s.fill() {
			return nil // a number at the very end of the stream is whole
		}
	}
}
