package main

import (
	"fmt"
	"strings"
)

// eventFields draws the data of a type of events; without a type, what every event has.
func eventFields(args []string) (string, error) {
	s, err := readSchema("event")
	if err != nil {
		return "", err
	}
	k := &keyed{root: s, known: elsewhere}
	at := s
	if len(args) > 0 {
		at = nil
		for _, of := range s.AllOf {
			if typ, _ := of.If.Properties.Get("type"); typ != nil && typ.Const == args[0] {
				at, _ = of.Then.Properties.Get("data")
			}
		}
		if at == nil {
			return "", fmt.Errorf("there is no such type of events")
		}
	}
	k.object(at, "")
	if k.bare != nil {
		return "", fmt.Errorf("nothing says what these are: %s", strings.Join(k.bare, " "))
	}
	return table([]string{"field", "value", "is"}, k.rows), nil
}

// elsewhere names the objects that stand in many events, by where they are explained.
func elsewhere(ref string, _ []string) string {
	switch strings.TrimPrefix(ref, "#/$defs/") {
	case "result.Failure":
		return "[failure](results.md#failures)"
	case "journal.Running":
		return "[process](#launchrunning)"
	}
	return ""
}
