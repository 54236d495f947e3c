package journal

import "servematrix/jsonwalk"

// The data of the events that every sample has, as Decode reads it where Writer wrote it. Whatever
// else there is, and what is rarely there, encoding/json reads.

// Walk implements jsonwalk.Walker.
func (l *Launch) Walk(c *jsonwalk.Cursor) {
	c.Object(func(key []byte) { l.Take(c, key) })
}

// Take takes the value of a key, for who wants but a part.
func (l *Launch) Take(c *jsonwalk.Cursor, key []byte) {
	switch string(key) {
	case "server":
		l.Server = c.Text()
	case "name":
		l.Name = c.Text()
	case "number":
		l.Number = c.Int()
	case "argv":
		l.Argv = c.Texts()
	case "env":
		l.Env = c.TextMap()
	case "unset":
		l.Unset = c.Texts()
	case "dir":
		l.Dir = c.Text()
	case "port":
		l.Port = c.Int()
	case "url":
		l.URL = c.Text()
	case "logs":
		l.Logs = c.Texts()
	case "devices":
		l.Devices = c.Text()
	case "late_port":
		l.LatePort = c.Int()
	case "simulated":
		l.Simulated = c.Bool()
	default:
		c.Fail()
	}
}

// Walk implements jsonwalk.Walker.
func (r *Running) Walk(c *jsonwalk.Cursor) {
	c.Object(func(key []byte) {
		switch string(key) {
		case "pid":
			r.PID = c.Int()
		case "sid":
			r.SID = c.Int()
		case "start":
			r.Start = c.Uint()
		case "boot":
			r.Boot = c.Text()
		default:
			c.Fail()
		}
	})
}

// Walk implements jsonwalk.Walker.
func (r *Ready) Walk(c *jsonwalk.Cursor) {
	c.Object(func(key []byte) {
		switch string(key) {
		case "line":
			r.Line = c.Text()
		case "file":
			r.File = c.Text()
		case "line_no":
			r.LineNo = c.Int()
		case "by":
			r.By = c.Texts()
		case "seconds":
			r.Seconds = c.Float()
		default:
			c.Fail()
		}
	})
}

// Walk implements jsonwalk.Walker.
func (s *Sample) Walk(c *jsonwalk.Cursor) {
	c.Object(func(key []byte) { s.Take(c, key) })
}

// Take takes the value of a key, for who wants but a part.
func (s *Sample) Take(c *jsonwalk.Cursor, key []byte) {
	switch string(key) {
	case "folder":
		s.Folder = c.Text()
	case "client":
		s.Client = c.Text()
	case "name":
		s.Name = c.Text()
	case "warmup":
		s.Warmup = c.Bool()
	case "argv":
		s.Argv = c.Texts()
	case "env":
		s.Env = c.TextMap()
	default:
		c.Fail()
	}
}

// Walk implements jsonwalk.Walker.
func (e *Exited) Walk(c *jsonwalk.Cursor) {
	c.Object(func(key []byte) {
		switch string(key) {
		case "code":
			e.Code = c.Int()
		case "signal":
			e.Signal = c.Text()
		case "why":
			e.Why = c.Text()
		case "seconds":
			e.Seconds = c.Float()
		default:
			c.Fail()
		}
	})
}

// Walk implements jsonwalk.Walker.
func (e *Ended) Walk(c *jsonwalk.Cursor) {
	c.Object(func(key []byte) {
		switch string(key) {
		case "status":
			e.Status = c.Text()
		case "reasons":
			e.Reasons = c.Texts()
		case "sha256":
			e.SHA256 = string(c.Bytes())
		case "final":
			e.Final = c.Bool()
		default:
			c.Fail()
		}
	})
}

// Walk implements jsonwalk.Walker.
func (s *Stopping) Walk(c *jsonwalk.Cursor) {
	c.Object(func(key []byte) {
		if string(key) == "why" {
			s.Why = c.Text()
		} else {
			c.Fail()
		}
	})
}

// Walk implements jsonwalk.Walker.
func (g *Gone) Walk(c *jsonwalk.Cursor) {
	c.Object(func(key []byte) { g.Take(c, key) })
}

// Take takes the value of a key, for who wants but a part.
func (g *Gone) Take(c *jsonwalk.Cursor, key []byte) {
	switch string(key) {
	case "code":
		g.Code = c.Int()
	case "signal":
		g.Signal = c.Text()
	case "orderly":
		g.Orderly = c.Bool()
	case "killed":
		g.Killed = c.Bool()
	case "steps":
		g.Steps = append(g.Steps, c.Raw()...)
	case "survivors":
		g.Survivors = c.Int()
	case "port_free":
		g.PortFree = c.Bool()
	case "seconds":
		g.Seconds = c.Float()
	case "gate_seconds":
		g.Gate = c.Float()
	case "note":
		g.Note = c.Text()
	default:
		c.Fail()
	}
}
