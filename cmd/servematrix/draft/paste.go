package draft

import (
	"regexp"
	"strings"
)

var (
	prompt   = regexp.MustCompile(`(?m)^[ \t]*(?:\([^()\n]+\)[ \t]*)?(?:\[[^\[\]\n]*\]|[\w.-]+@[^\s$#]+(?:[ \t]+[^\s$#]+)?)?[ \t]*\$[ \t]+`)
	root     = regexp.MustCompile(`(?m)^[ \t]*(?:\([^()\n]+\)[ \t]*)?(?:\[[^\[\]\n]*\]|[\w.-]+@[^\s$#]+)?[ \t]*#[ \t]+`)
	goesOn   = regexp.MustCompile(`\\[ \t]+(?:\r?\n|$)`)
	ps2      = regexp.MustCompile(`(\\\n)[ \t]*>[ \t]+`)
	lineEnds = strings.NewReplacer("\r\n", "\n", "\u00a0", " ")
)

// Pasted reads commands that somebody copied from a terminal or a page: prompts are taken
// off, and a backslash with blanks behind it still means that the line goes on.
func Pasted(text string) (commands []Command, notes []string, err error) {
	text = goesOn.ReplaceAllString(lineEnds.Replace(text), "\\\n")
	text = ps2.ReplaceAllString(prompt.ReplaceAllString(text, ""), "$1")
	commands, notes, err = Commands(text)
	if err == nil && len(commands) > 0 {
		return commands, notes, nil
	}
	if bare := root.ReplaceAllString(text, ""); bare != text { // "# " is root's prompt where all else is a comment
		return Commands(bare)
	}
	return commands, notes, err
}
