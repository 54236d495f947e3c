package journal

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// parser reads the lines of a journal. A journal of a night has a million of
// them, so a line as Writer writes it is taken apart without encoding/json; any
// other line that is an event is read too, only slower.
type parser struct {
	launch, cell string // those of the line before: neighbours have them in common
	second       instant
}

func (p *parser) event(line []byte) (Event, error) {
	if e, ok := p.ours(line); ok {
		return e, nil
	}
	var e Event
	err := json.Unmarshal(line, &e)
	return e, err
}

// ours reads a line with the keys in the order of Event's fields and no escapes in them.
func (p *parser) ours(line []byte) (e Event, ok bool) {
	c := cursor{rest: line, ok: bytes.IndexByte(line, 0) < 0} // zeroes are what a file system leaves of a lost page
	c.must(`{"seq":`)
	e.Seq = int64(c.integer())
	c.must(`,"time":"`)
	e.Time = c.time(&p.second)
	c.must(`,"mono":`)
	e.Mono = c.float()
	c.must(`,"session":`)
	e.Session = c.integer()
	c.must(`,"type":"`)
	e.Type = typeOf(c.text())
	if c.may(`,"launch":"`) {
		e.Launch = c.again(&p.launch)
	}
	if c.may(`,"cell":"`) {
		e.Cell = c.again(&p.cell)
	}
	if c.may(`,"block":`) {
		e.Block = c.integer()
	}
	if c.may(`,"attempt":`) {
		e.Attempt = c.integer()
	}
	if c.may(`,"data":`) {
		e.Data = c.object()
	}
	c.must("}")
	return e, c.ok && len(c.rest) == 0
}

// instant is a whole second as the journal writes it, and its time.
type instant struct {
	text string
	time time.Time
}

// time takes a time. Its second is mostly that of the line before, so that only the fraction is to be read.
func (c *cursor) time(second *instant) (t time.Time) {
	text := c.text()
	n := len(second.text)
	if n > 0 && len(text) > n+2 && string(text[:n]) == second.text && text[n] == '.' && text[len(text)-1] == 'Z' {
		fraction := text[n+1 : len(text)-1]
		nanoseconds, digits := 0, 0
		for _, b := range fraction {
			if b < '0' || b > '9' {
				break
			}
			nanoseconds, digits = nanoseconds*10+int(b-'0'), digits+1
		}
		if digits == len(fraction) && digits <= 9 {
			for ; digits < 9; digits++ {
				nanoseconds *= 10
			}
			return second.time.Add(time.Duration(nanoseconds))
		}
	}
	c.ok = c.ok && t.UnmarshalText(text) == nil
	if whole, _, found := bytes.Cut(text, []byte{'.'}); c.ok && found && t.Location() == time.UTC {
		*second = instant{text: string(whole), time: t.Truncate(time.Second)}
	}
	return t
}

// again takes a text that is often the same as last time.
func (c *cursor) again(last *string) string {
	n := len(*last)
	if n > 0 && len(c.rest) > n && string(c.rest[:n]) == *last && c.rest[n] == '"' {
		c.rest = c.rest[n+1:]
	} else {
		*last = string(c.text())
	}
	return *last
}

// Known tells whether this version knows a type of events.
func Known(t Type) bool {
	for _, known := range knownTypes[len(t)] {
		if known == t {
			return true
		}
	}
	return false
}

// knownTypes are the types of events by their length, so that a line need not have a string of its own for it.
var knownTypes = func() map[int][]Type {
	known := map[int][]Type{}
	for _, t := range []Type{RunStarted, RunResumed, CellSkipped, LaunchStarted, LaunchRunning, LaunchHolds, LaunchReady, LaunchConfigured, LaunchFailed, CacheFlushed, SampleStarted,
		ClientStarted, ClientExited, SampleEnded, LaunchStopping, LaunchEnded, BlockEnded, HookEnded, Warning, RunInterrupted, RunEnded} {
		known[len(t)] = append(known[len(t)], t)
	}
	return known
}()

func typeOf(text []byte) Type {
	for _, t := range knownTypes[len(text)] {
		if string(t) == string(text) {
			return t
		}
	}
	return Type(text)
}

// cursor walks over a line; ok falls with the first thing that is not as expected.
type cursor struct {
	rest []byte
	ok   bool
}

func (c *cursor) may(literal string) bool {
	if !c.ok || len(c.rest) < len(literal) || string(c.rest[:len(literal)]) != literal {
		return false
	}
	c.rest = c.rest[len(literal):]
	return true
}

func (c *cursor) must(literal string) { c.ok = c.may(literal) }

// text takes the rest of a JSON string that needs no decoding, and its quote.
func (c *cursor) text() []byte {
	if !c.ok {
		return nil
	}
	for i, b := range c.rest {
		if b == '"' {
			text := c.rest[:i]
			c.rest = c.rest[i+1:]
			return text
		}
		if b == '\\' || b < ' ' || b > '~' {
			break
		}
	}
	c.ok = false
	return nil
}

// number takes the characters of a number.
func (c *cursor) number() []byte {
	for n, b := range c.rest {
		if (b < '0' || b > '9') && b != '-' && b != '.' && b != 'e' && b != 'E' && b != '+' {
			number := c.rest[:n]
			c.rest = c.rest[n:]
			return number
		}
	}
	c.ok = false
	return nil
}

func (c *cursor) integer() int {
	if !c.ok {
		return 0
	}
	n, err := strconv.Atoi(string(c.number()))
	c.ok = err == nil
	return n
}

func (c *cursor) float() float64 {
	if !c.ok {
		return 0
	}
	v, err := strconv.ParseFloat(string(c.number()), 64)
	c.ok = err == nil
	return v
}

// object takes one JSON object by its brackets and quotes. What stands between
// them is looked at by who decodes it.
func (c *cursor) object() []byte {
	if !c.ok || len(c.rest) == 0 || c.rest[0] != '{' {
		c.ok = false
		return nil
	}
	if n := len(c.rest) - 1; bracesEnd(c.rest[:n]) {
		object := c.rest[:n:n] // the rest of the line, as ever
		c.rest = c.rest[n:]
		return object
	}
	depth := 0
	for i := 0; i < len(c.rest); i++ {
		switch c.rest[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				object := c.rest[: i+1 : i+1]
				c.rest = c.rest[i+1:]
				return object
			}
		case '"':
			n := stringEnd(c.rest[i+1:])
			if n < 0 {
				c.ok = false
				return nil
			}
			i += n + 1
		}
	}
	c.ok = false
	return nil
}

// bracesEnd tells whether the braces in text are closed with its last byte and not before. It does not
// look for strings, which takes four times as long: one that holds a brace without its
// counterpart makes the answer no.
func bracesEnd(text []byte) bool {
	for depth := 0; ; {
		n := bytes.IndexByte(text, '}')
		if n < 0 {
			return false
		}
		depth += bytes.Count(text[:n], []byte{'{'}) - 1
		text = text[n+1:]
		if depth <= 0 {
			return depth == 0 && len(text) == 0
		}
	}
}

// stringEnd finds the quote that ends a JSON string, -1 where there is none.
func stringEnd(text []byte) int {
	for from := 0; ; {
		n := bytes.IndexByte(text[from:], '"')
		if n < 0 {
			return -1
		}
		at := from + n
		escapes := 0
		for escapes < at && text[at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
		from = at + 1
	}
}

// Lead gives the values of the first keys of an event's data where these are
// strings and stand there as Writer wrote them, and the text behind them. False: decode the data.
func Lead(e Event, keys ...string) (values []string, rest []byte, ok bool) {
	c := cursor{rest: e.Data, ok: true}
	c.must("{")
	for i, key := range keys {
		if i > 0 {
			c.must(",")
		}
		c.must(`"`)
		c.must(key)
		c.must(`":"`)
		values = append(values, string(c.text()))
	}
	return values, c.rest, c.ok
}
