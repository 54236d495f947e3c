package result

import (
	"fmt"
	"strconv"

	"servematrix/metric"
)

// MarshalJSON writes the sample as one object with stable bytes: the same sample always gives
// the same ones. Numbers that are not finite become null.
func (s Sample) MarshalJSON() ([]byte, error) { return s.AppendJSON(make([]byte, 0, 4<<10)) }

// AppendJSON appends what MarshalJSON gives. A run and an import have samples by the ten thousands,
// and encoding/json would go over each value of one several times.
func (s *Sample) AppendJSON(out []byte) ([]byte, error) {
	e := encoder{out: out}
	e.sample(s)
	if e.err != nil {
		return nil, fmt.Errorf("sample of cell %q: %w", s.Cell, e.err)
	}
	return e.out, nil
}

// MarshalJSON writes the side with null for what is unknown.
func (s Side) MarshalJSON() ([]byte, error) {
	e := encoder{out: make([]byte, 0, 1<<10)}
	e.side(&s)
	return e.out, e.err
}

func (e *encoder) sample(s *Sample) {
	e.raw(`{"run":`)
	e.known(s.Run)
	e.raw(`,"cell":`)
	e.known(s.Cell)
	e.raw(`,"block":`)
	e.count(s.Block)
	e.raw(`,"attempt":`)
	e.count(s.Attempt)
	e.raw(`,"status":`)
	e.text(s.Status)
	e.raw(`,"failure":`)
	if s.Failure == nil { // as most have none
		e.raw("null")
	} else {
		e.any(s.Failure)
	}
	e.raw(`,"server":`)
	e.side(s.Server)
	e.raw(`,"client":`)
	e.side(s.Client)
	e.raw(`,"metrics":`)
	e.metrics(s.Metrics)
	e.raw(`,"extra":`)
	mapOf(e, s.Extra, e.value)
	e.raw(`,"validity":`)
	e.validity(s.Validity)
	e.raw(`,"times":`)
	e.times(s.Times)
	if s.Source != nil {
		e.raw(`,"source":{"file":`)
		e.text(s.Source.File)
		if s.Source.Line != 0 {
			e.raw(`,"line":`)
			e.out = strconv.AppendInt(e.out, int64(s.Source.Line), 10)
		}
		e.raw("}")
	}
	if s.Simulated {
		e.raw(`,"simulated":true`)
	}
	e.raw("}")
}

func (e *encoder) side(s *Side) {
	if s == nil {
		e.raw("null")
		return
	}
	e.raw(`{"name":`)
	e.known(s.Name)
	e.raw(`,"id":`)
	e.known(s.ID)
	e.raw(`,"axes":`)
	if s.Axes == nil {
		e.raw("null")
	} else {
		e.any(s.Axes)
	}
	e.raw(`,"argv":`)
	e.texts(s.Argv)
	e.raw(`,"env":`)
	mapOf(e, s.Env, e.text)
	if len(s.Replaced) > 0 {
		e.raw(`,"replaced":`)
		e.texts(s.Replaced)
	}
	if len(s.LeftOut) > 0 {
		e.raw(`,"left_out":`)
		e.texts(s.LeftOut)
	}
	if len(s.Config) > 0 {
		e.raw(`,"config":`)
		e.value(s.Config)
	}
	e.raw("}")
}

func (e *encoder) metrics(v *metric.Values) {
	if v == nil {
		e.raw("null")
		return
	}
	e.take(v.AppendJSON(e.out))
}

func (e *encoder) validity(v *Validity) {
	if v == nil {
		e.raw("null")
		return
	}
	e.raw(`{"ok":`)
	e.out = strconv.AppendBool(e.out, v.OK)
	e.raw(`,"reasons":`)
	e.list(len(v.Reasons), func(i int) {
		r := &v.Reasons[i]
		e.raw(`{"reason":`)
		e.text(r.Reason)
		e.raw(`,"severity":`)
		e.text(r.Severity)
		e.raw(`,"detail":`)
		e.text(r.Detail)
		e.raw("}")
	})
	e.raw("}")
}

func (e *encoder) times(times map[string]PhaseTime) {
	mapOf(e, times, func(t PhaseTime) {
		e.raw(`{"start":"`)
		e.take(t.Start.AppendText(e.out))
		e.raw(`","since":`)
		e.out = metric.AppendNumber(e.out, t.Since)
		e.raw("}")
	})
}
