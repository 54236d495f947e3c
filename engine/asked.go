package engine

import (
	"strconv"
	"strings"
)

// Asked gives the flags of a command: by name, less the hyphens before it and with underscores
// within, the words that follow up to the next flag. Of one that is given twice the last counts.
func (p *ServerProfile) Asked(argv []string) map[string][]string {
	asked := map[string][]string{}
	name := ""
	for _, word := range arguments(argv, p.Match) {
		if !isFlag(word) {
			if name != "" {
				asked[name] = append(asked[name], word)
			}
			continue
		}
		flag, value, joined := strings.Cut(word, "=")
		name = strings.ReplaceAll(strings.TrimLeft(flag, "-"), "-", "_")
		asked[name] = nil
		if joined {
			asked[name] = []string{value}
			name = ""
		}
	}
	return asked
}

// isFlag tells a flag from a value; a negative number is one of these.
func isFlag(word string) bool {
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	_, err := strconv.ParseFloat(word, 64)
	return err != nil
}
