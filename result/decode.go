package result

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"servematrix/matrix"
	"servematrix/metric"
)

// ParseSample reads a sample as UnmarshalJSON does. A run has tens of thousands of them, so one as
// MarshalJSON writes it is taken apart without encoding/json; any other is read too, only slower.
func ParseSample(data []byte) (*Sample, error) { return decode(data, cursor{}) }

// ParseOutcome reads of a sample what became of it: all but Server, Client and Extra, and of the metrics those that are
// wanted, or all where none is named. What it passes over is not looked at, so the caller should know by the file's digest that it is a sample.
func ParseOutcome(data []byte, wanted ...string) (*Sample, error) {
	return decode(data, cursor{outcome: true, wanted: wanted})
}

// decode reads a sample with a cursor that says what is wanted of it.
func decode(data []byte, c cursor) (*Sample, error) {
	c.rest = data
	if c.known, _ = words.Get().(map[string]string); c.known == nil {
		c.known = map[string]string{}
	}
	s := &Sample{}
	c.sample(s)
	c.space()
	words.Put(c.known)
	if !c.failed && len(c.rest) == 0 {
		return s, nil
	}
	s, err := parseSample(data)
	if err == nil && c.outcome {
		s.Server, s.Client, s.Extra = nil, nil, nil
		maps.DeleteFunc(s.Metrics, func(name string, _ float64) bool { return !c.wants(name) })
	}
	return s, err
}

// words are the names and words that samples have in common, so that each is kept once: a map
// for each goroutine that reads. mostKnown bounds it.
var words sync.Pool

const mostKnown = 1 << 14

// cursor walks over a JSON text. It fails at the first thing that it does not know, which need not
// be wrong: encoding/json has the last word.
type cursor struct {
	rest   []byte
	failed bool
	known  map[string]string

	outcome bool     // only what became of the sample
	wanted  []string // metrics; empty: all
}

func (c *cursor) wants(metric string) bool {
	return len(c.wanted) == 0 || slices.Contains(c.wanted, metric)
}

func (c *cursor) space() {
	for len(c.rest) > 0 && (c.rest[0] == ' ' || c.rest[0] == '\n' || c.rest[0] == '\t' || c.rest[0] == '\r') {
		c.rest = c.rest[1:]
	}
}

// may takes a literal if it comes next.
func (c *cursor) may(literal string) bool {
	c.space()
	if c.failed || len(c.rest) < len(literal) || string(c.rest[:len(literal)]) != literal {
		return false
	}
	c.rest = c.rest[len(literal):]
	return true
}

func (c *cursor) must(literal string) {
	if !c.may(literal) {
		c.failed = true
	}
}

// bytes takes a string without escapes.
func (c *cursor) bytes() []byte {
	c.must(`"`)
	if c.failed {
		return nil
	}
	ascii := true
	for i, b := range c.rest {
		switch {
		case b == '"':
			text := c.rest[:i]
			c.rest = c.rest[i+1:]
			c.failed = !ascii && !utf8.Valid(text)
			return text
		case b == '\\' || b < ' ':
			c.failed = true
			return nil
		case b >= utf8.RuneSelf:
			ascii = false
		}
	}
	c.failed = true
	return nil
}

// text takes a string that may well come again.
func (c *cursor) text() string {
	b := c.bytes()
	if s, ok := c.known[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(c.known) < mostKnown && len(s) < 256 {
		c.known[s] = s
	}
	return s
}

// number takes a number and tells whether it is a whole one. Its text is held against JSON's
// grammar, for strconv takes more.
func (c *cursor) number() (text []byte, whole bool) {
	c.space()
	b, i := c.rest, 0
	digits := func() bool {
		from := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	zero := i < len(b) && b[i] == '0'
	from := i
	ok := digits() && !(zero && i > from+1)
	whole = true
	if ok && i < len(b) && b[i] == '.' {
		i++
		whole, ok = false, digits()
	}
	if ok && i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		whole, ok = false, digits()
	}
	if !ok {
		c.failed = true
		return nil, false
	}
	c.rest = b[i:]
	return b[:i], whole
}

func (c *cursor) float() float64 {
	text, _ := c.number()
	v, err := strconv.ParseFloat(string(text), 64)
	c.failed = c.failed || err != nil
	return v
}

func (c *cursor) integer() int {
	text, whole := c.number()
	v, err := strconv.Atoi(string(text))
	c.failed = c.failed || !whole || err != nil
	return v
}

// object calls each with every key; each takes the value.
func (c *cursor) object(each func(key string)) {
	c.must("{")
	if c.may("}") {
		return
	}
	for !c.failed {
		key := c.text()
		c.must(":")
		if c.failed {
			return
		}
		each(key)
		if !c.may(",") {
			c.must("}")
			return
		}
	}
}

func (c *cursor) array(each func()) {
	c.must("[")
	if c.may("]") {
		return
	}
	for !c.failed {
		each()
		if !c.may(",") {
			c.must("]")
			return
		}
	}
}

// sampleKeys are the keys of a sample in the order in which MarshalJSON writes them.
var sampleKeys = []string{"run", "cell", "block", "attempt", "status", "failure", "server", "client", "metrics", "extra", "validity", "times", "simulated"}

// notOutcome are those of which ParseOutcome reads nothing.
var notOutcome = []string{"server", "client", "extra"}

// pass passes over a value by its brackets and quotes.
func (c *cursor) pass() {
	c.space()
	depth := 0
	for i := 0; i < len(c.rest); i++ {
		switch c.rest[i] {
		case '"':
			for i++; i < len(c.rest) && c.rest[i] != '"'; i++ {
				if c.rest[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 { // it belongs to what is around the value
				c.rest, c.failed = c.rest[i:], c.failed || i == 0
				return
			}
			if c.rest[i] != ',' {
				depth--
			}
		}
	}
	c.failed = true
}

// sample takes a whole sample. A failure with its tail is rare, and left to encoding/json.
func (c *cursor) sample(s *Sample) {
	ahead := sampleKeys
	c.object(func(key string) {
		at := slices.Index(ahead, key)
		if at < 0 {
			c.failed = true
			return
		}
		ahead = ahead[at+1:]
		if c.outcome && slices.Contains(notOutcome, key) {
			c.pass()
			return
		}
		if c.may("null") {
			switch key {
			case "run", "cell", "block", "attempt", "failure", "server", "client", "metrics", "extra", "validity", "times":
			default:
				c.failed = true
			}
			return
		}
		switch key {
		case "run":
			s.Run = c.text()
		case "cell":
			s.Cell = c.text()
		case "status":
			s.Status = c.text()
		case "block":
			s.Block = c.integer()
		case "attempt":
			s.Attempt = c.integer()
		case "server":
			s.Server = c.side()
		case "client":
			s.Client = c.side()
		case "metrics":
			s.Metrics = make(metric.Values, min(48, cmp.Or(len(c.wanted), 48)))
			c.object(func(name string) {
				switch {
				case c.may("null"):
				case c.wants(name):
					s.Metrics[name] = c.float()
				default:
					c.number()
				}
			})
		case "extra":
			s.Extra = map[string]any{}
			c.object(func(name string) { s.Extra[name] = c.scalar() })
		case "validity":
			s.Validity = c.validity()
		case "times":
			s.Times = make(map[string]PhaseTime, 4)
			c.object(func(phase string) { s.Times[phase] = c.time() })
		case "simulated":
			s.Simulated = c.truth()
		default:
			c.failed = true
		}
	})
}

func (c *cursor) side() *Side {
	s := &Side{}
	c.object(func(key string) {
		if c.may("null") {
			return
		}
		switch key {
		case "name":
			s.Name = c.text()
		case "id":
			s.ID = c.text()
		case "axes":
			s.Axes = matrix.Axes{}
			c.object(func(name string) { s.Axes = append(s.Axes, matrix.Axis{Name: name, Value: c.text()}) })
		case "argv":
			s.Argv = make([]string, 0, 32)
			c.array(func() { s.Argv = append(s.Argv, c.text()) })
		case "env":
			s.Env = map[string]string{}
			c.object(func(name string) { s.Env[name] = c.text() })
		default:
			c.failed = true
		}
	})
	return s
}

func (c *cursor) validity() *Validity {
	v := &Validity{}
	c.object(func(key string) {
		switch key {
		case "ok":
			v.OK = c.truth()
		case "reasons":
			v.Reasons = []Reason{}
			c.array(func() { v.Reasons = append(v.Reasons, c.reason()) })
		default:
			c.failed = true
		}
	})
	return v
}

func (c *cursor) reason() (r Reason) {
	c.object(func(key string) {
		switch key {
		case "reason":
			r.Reason = c.text()
		case "severity":
			r.Severity = c.text()
		case "detail":
			r.Detail = c.text()
		default:
			c.failed = true
		}
	})
	return r
}

func (c *cursor) time() (t PhaseTime) {
	c.object(func(key string) {
		switch key {
		case "start":
			c.failed = c.failed || t.Start.UnmarshalText(c.bytes()) != nil
		case "since":
			t.Since = c.float()
		default:
			c.failed = true
		}
	})
	return t
}

// scalar takes a value of Extra; one with members is left to encoding/json.
func (c *cursor) scalar() any {
	c.space()
	switch {
	case len(c.rest) == 0:
		c.failed = true
		return nil
	case c.rest[0] == '"':
		return c.text()
	case c.may("null"):
		return nil
	case c.rest[0] == 't' || c.rest[0] == 'f':
		return c.truth()
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

func (c *cursor) truth() bool {
	if c.may("true") {
		return true
	}
	c.must("false")
	return false
}
