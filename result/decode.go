package result

import (
	"slices"

	"servematrix/jsonwalk"
	"servematrix/matrix"
	"servematrix/metric"
)

// ParseSample reads a sample as UnmarshalJSON does. A run has tens of thousands of them, so one as
// MarshalJSON writes it is taken apart without encoding/json; any other is read too, only slower.
func ParseSample(data []byte) (*Sample, error) { return decode(data, sampleWalk{}) }

// ParseOutcome reads of a sample what became of it: all but Server, Client and Extra. Where metrics are named, it reads of these alone, and no Times.
// What it passes over is not looked at, so the caller should know by the file's digest that it is a sample.
func ParseOutcome(data []byte, wanted ...string) (*Sample, error) {
	w := sampleWalk{passed: notOutcome, wanted: wanted}
	if len(wanted) > 0 {
		w.passed = notWanted
	}
	return decode(data, w)
}

// sampleWalk says what is wanted of a sample, and takes it in.
type sampleWalk struct {
	*jsonwalk.Cursor
	sample *Sample
	passed []string // keys that nobody wants
	wanted []string // metrics; empty: all
}

func decode(data []byte, w sampleWalk) (*Sample, error) {
	w.sample = &Sample{}
	if jsonwalk.Read(data, &w) {
		return w.sample, nil
	}
	s, err := parseSample(data)
	if err == nil && len(w.passed) > 0 {
		s.Server, s.Client, s.Extra = nil, nil, nil
		if len(w.wanted) > 0 {
			s.Times = nil
		}
		for _, name := range s.Metrics.Names() {
			if !w.wants(name) {
				s.Metrics.Delete(name)
			}
		}
	}
	return s, err
}

func (w *sampleWalk) wants(metric string) bool {
	return len(w.wanted) == 0 || slices.Contains(w.wanted, metric)
}

// sampleKeys are the keys of a sample in the order in which MarshalJSON writes them.
var sampleKeys = []string{"run", "cell", "block", "attempt", "status", "failure", "server", "client", "metrics", "extra", "validity", "times", "source", "simulated"}

// notOutcome are those of which ParseOutcome reads nothing, notWanted those of which it reads nothing where metrics are named.
var (
	notOutcome = []string{"server", "client", "extra"}
	notWanted  = append(notOutcome, "times")
)

// Walk takes a whole sample. A failure with its tail is rare, and left to encoding/json.
func (w *sampleWalk) Walk(c *jsonwalk.Cursor) {
	w.Cursor = c
	s, ahead := w.sample, sampleKeys
	w.Object(func(name []byte) {
		at := slices.IndexFunc(ahead, func(key string) bool { return key == string(name) })
		if at < 0 {
			w.Fail()
			return
		}
		key := ahead[at]
		ahead = ahead[at+1:]
		if slices.Contains(w.passed, key) {
			w.Pass()
			return
		}
		if w.Null() {
			if key == "status" || key == "source" || key == "simulated" {
				w.Fail()
			}
			return
		}
		switch key {
		case "run":
			s.Run = w.Text()
		case "cell":
			s.Cell = w.Text()
		case "status":
			s.Status = w.Text()
		case "block":
			s.Block = w.Int()
		case "attempt":
			s.Attempt = w.Int()
		case "server":
			s.Server = w.side()
		case "client":
			s.Client = w.side()
		case "metrics":
			s.Metrics = w.metrics()
		case "extra":
			s.Extra = map[string]any{}
			w.Object(func(name []byte) { s.Extra[w.Known(name)] = w.Scalar() })
		case "validity":
			s.Validity = w.validity()
		case "times":
			s.Times = make(map[string]PhaseTime, 4)
			w.Object(func(phase []byte) { s.Times[w.Known(phase)] = w.time() })
		case "source":
			s.Source = w.source()
		case "simulated":
			s.Simulated = w.Bool()
		default:
			w.Fail()
		}
	})
}

func (w *sampleWalk) metrics() *metric.Values {
	values := &metric.Values{}
	w.Object(func(key []byte) {
		if w.Null() {
			return
		}
		name, ok := metric.Named(key)
		if !ok {
			name = w.Known(key)
		}
		if w.wants(name) {
			values.Set(name, w.Float())
		} else {
			w.Pass()
		}
	})
	return values
}

func (w *sampleWalk) side() *Side {
	s := &Side{}
	w.Object(func(key []byte) {
		if w.Null() {
			return
		}
		switch string(key) {
		case "name":
			s.Name = w.Text()
		case "id":
			s.ID = w.Text()
		case "axes":
			s.Axes = matrix.Axes{}
			w.Object(func(name []byte) { s.Axes = append(s.Axes, matrix.Axis{Name: w.Known(name), Value: w.Text()}) })
		case "argv":
			s.Argv = w.Texts()
		case "env":
			s.Env = w.TextMap()
		case "replaced":
			s.Replaced = w.Texts()
		case "left_out":
			s.LeftOut = w.Texts()
		default:
			w.Fail()
		}
	})
	return s
}

func (w *sampleWalk) source() *Source {
	s := &Source{}
	w.Object(func(key []byte) {
		switch string(key) {
		case "file":
			s.File = w.Text()
		case "line":
			s.Line = w.Int()
		default:
			w.Fail()
		}
	})
	return s
}

func (w *sampleWalk) validity() *Validity {
	v := &Validity{}
	w.Object(func(key []byte) {
		switch string(key) {
		case "ok":
			v.OK = w.Bool()
		case "reasons":
			v.Reasons = []Reason{}
			w.Array(func() { v.Reasons = append(v.Reasons, w.reason()) })
		default:
			w.Fail()
		}
	})
	return v
}

func (w *sampleWalk) reason() (r Reason) {
	w.Object(func(key []byte) {
		switch string(key) {
		case "reason":
			r.Reason = w.Text()
		case "severity":
			r.Severity = w.Text()
		case "detail":
			r.Detail = w.Text()
		default:
			w.Fail()
		}
	})
	return r
}

func (w *sampleWalk) time() (t PhaseTime) {
	w.Object(func(key []byte) {
		switch string(key) {
		case "start":
			if t.Start.UnmarshalText(w.Bytes()) != nil {
				w.Fail()
			}
		case "since":
			t.Since = w.Float()
		default:
			w.Fail()
		}
	})
	return t
}
