package effective

import "strings"

// Sets tells whether a flag of the server's command, such as "--max-model-len" or "-tp", sets the
// argument or key: by the profile's names, by an abbreviation that fits one argument alone, with
// "no-" before it, or because both have one name but for hyphens, capitals and a unit at the end
// (decode_base_s is what --decode-base sets).
func (c *Config) Sets(flag, argument string) bool {
	flag = strings.ReplaceAll(strings.TrimLeft(flag, "-"), "-", "_")
	if arg, _, ok := c.argument(flag); ok && arg == argument {
		return true
	}
	if named, ok := c.Names[flag]; ok && named == argument {
		return true
	}
	return plainName(strings.TrimPrefix(flag, "no_")) == plainName(argument) || plainName(flag) == plainName(argument)
}

// units end the names of keys whose flag goes without, or the other way round.
var units = []string{"_s", "_ms", "_us", "_seconds", "_bytes", "_mb", "_gb"}

func plainName(s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, "-", "_"))
	for _, unit := range units {
		if rest, ok := strings.CutSuffix(s, unit); ok {
			return rest
		}
	}
	return s
}
