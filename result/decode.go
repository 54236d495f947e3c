package result

import (
	"cmp"
	"maps"
	"slices"

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

func (c *cursor) wants(metric string) bool {
	return len(c.wanted) == 0 || slices.Contains(c.wanted, metric)
}

// sampleKeys are the keys of a sample in the order in which MarshalJSON writes them.
var sampleKeys = []string{"run", "cell", "block", "attempt", "status", "failure", "server", "client", "metrics", "extra", "validity", "times", "simulated"}

// notOutcome are those of which ParseOutcome reads nothing.
var notOutcome = []string{"server", "client", "extra"}

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
