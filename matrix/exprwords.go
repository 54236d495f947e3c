package matrix

import (
	"fmt"
	"regexp"
)

// Where a value has the wrong type, expr says what Go says of it.
var (
	goConversion = regexp.MustCompile(`^interface conversion: interface \{\} is (\S+), not (\S+)$`)
	goKey        = regexp.MustCompile(`^reflect\.Value\.MapIndex: value of type (\S+) is not assignable to type (\S+)$`)
)

// inWords says a message of expr without the words of Go's types.
func inWords(message string) string {
	if m := goConversion.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("%s is wanted here, this is %s", typeInWords(m[2]), typeInWords(m[1]))
	}
	if m := goKey.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("each key of the mapping is %s, this is %s", typeInWords(m[2]), typeInWords(m[1]))
	}
	return message
}

// typeInWords is a type that a value of a sweep can have.
func typeInWords(name string) string {
	switch name {
	case "string", "[]uint8":
		return "a text"
	case "int", "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "nil":
		return "nothing"
	case "[]interface":
		return "a list"
	case "map[string]interface":
		return "a mapping"
	}
	return name
}
