package oneline

import (
	"regexp"
	"strings"
)

// sequence matches terminal control sequences: CSI (colours, cursor), OSC (titles, links) and the
// two-byte escapes. ECMA-48, sections 5.4 and 5.6.
var sequence = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// Bare is text without the sequences by which it would have a terminal do something. What else is in
// it stays; an escape that begins no sequence does too.
func Bare(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 {
		return s
	}
	return sequence.ReplaceAllString(s, "")
}
