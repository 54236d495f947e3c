package engine

import (
	"fmt"
	"strings"
)

// Exit is an end of a server that is in order: "code 0", "signal 15 after
// TERM". SGLang, for one, ends by killing itself when it is told to stop.
type Exit struct {
	Code, Signal int    // Signal > 0: ended by that signal
	After        string // only after we sent this signal, such as "TERM"; empty: always
}

// UnmarshalText reads "code N" or "signal N", each with an optional "after SIGNAL".
func (e *Exit) UnmarshalText(b []byte) error {
	words := strings.Fields(string(b))
	if len(words) == 4 && words[2] == "after" {
		e.After = words[3]
		words = words[:2]
	}
	if len(words) == 2 {
		var n int
		if _, err := fmt.Sscanf(words[1], "%d", &n); err == nil && n >= 0 && fmt.Sprint(n) == words[1] {
			switch words[0] {
			case "code":
				e.Code = n
				return nil
			case "signal":
				e.Signal = n
				return nil
			}
		}
	}
	return fmt.Errorf("%q: want \"code N\" or \"signal N\", with or without \"after TERM\"", b)
}

// String writes the exit as UnmarshalText reads it.
func (e Exit) String() string {
	s := fmt.Sprintf("code %d", e.Code)
	if e.Signal > 0 {
		s = fmt.Sprintf("signal %d", e.Signal)
	}
	if e.After != "" {
		s += " after " + e.After
	}
	return s
}

// NormalExit tells whether the end of a server's main process is in order:
// code is its exit code, signal the signal that ended it (0: none), and sent
// the last signal that we had sent to it ("TERM"; empty: none).
func (p *ServerProfile) NormalExit(code, signal int, sent string) bool {
	sent = strings.TrimPrefix(sent, "SIG")
	for _, e := range p.Exits {
		same := e.Signal == signal && (signal > 0 || e.Code == code)
		if same && (e.After == "" || e.After == sent) {
			return true
		}
	}
	return false
}
