package report

import (
	"encoding/json"
	"fmt"

	"servematrix/journal"
	"servematrix/jsonwalk"
)

// launched is launch.started, clientStart sample.started; their commands are left as they stand in
// the event until somebody wants to see one.
type (
	launched struct {
		journal.Launch
		Argv  json.RawMessage `json:"argv"`
		Env   json.RawMessage `json:"env"`
		Unset json.RawMessage `json:"unset"`
	}
	clientStart struct {
		journal.Sample
		Argv json.RawMessage `json:"argv"`
		Env  json.RawMessage `json:"env"`
	}
)

// Walk implements jsonwalk.Walker.
func (l *launched) Walk(c *jsonwalk.Cursor) {
	c.Object(func(key []byte) {
		switch string(key) {
		case "argv":
			l.Argv = c.Raw()
		case "env":
			l.Env = c.Raw()
		case "unset":
			l.Unset = c.Raw()
		default:
			l.Take(c, key)
		}
	})
}

// Walk implements jsonwalk.Walker.
func (s *clientStart) Walk(c *jsonwalk.Cursor) {
	c.Object(func(key []byte) {
		switch string(key) {
		case "argv":
			s.Argv = c.Raw()
		case "env":
			s.Env = c.Raw()
		default:
			s.Take(c, key)
		}
	})
}

// commandLines writes the commands of events. A run starts the same ones in each block, so those
// that came are kept.
type commandLines struct {
	known map[string]string // by the text of the event
	text  []byte            // of the last one
}

// mostLines bounds how many are kept: clients mostly are told a folder of their own.
const mostLines = 1 << 12

func (c *commandLines) of(unset, env, argv json.RawMessage) (string, error) {
	c.text = append(append(append(append(append(c.text[:0], unset...), '\n'), env...), '\n'), argv...)
	if line, ok := c.known[string(c.text)]; ok {
		return line, nil
	}
	var command struct {
		unset, argv []string
		env         map[string]string
	}
	for _, part := range []struct {
		text json.RawMessage
		to   any
	}{{unset, &command.unset}, {env, &command.env}, {argv, &command.argv}} {
		if part.text == nil {
			continue
		}
		if err := json.Unmarshal(part.text, part.to); err != nil {
			return "", fmt.Errorf("%w: a command: %w", errUnfit, err)
		}
	}
	line := commandLine(command.unset, command.env, command.argv)
	if c.known == nil {
		c.known = map[string]string{}
	}
	if len(c.known) < mostLines {
		c.known[string(c.text)] = line
	}
	return line, nil
}
