package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// made is a part of a page: what it shows, and what stands there now.
var made = regexp.MustCompile(`(?ms)^<!-- made: ([^>]*?) -->\n(.*?)^<!-- /made -->$`)

// parts make the text between two marks, from the words behind the part's name.
var parts = map[string]func(args []string) (string, error){
	"keys":      sweepKeys,
	"functions": functions,
	"profile":   profileKeys,
	"profiles":  shippedProfiles,
	"event":     eventFields,
	"metrics":   metrics,
	"latencies": latencies,
	"seldom":    seldom,
	"columns":   columns,
	"exits":     exitCodes,
	"commands":  commands,
	"pasted":    pastedFlags,
}

// fill gives a page with all its parts made anew.
func fill(page string) (string, error) {
	var failed error
	out := made.ReplaceAllStringFunc(page, func(part string) string {
		words := strings.Fields(made.FindStringSubmatch(part)[1])
		maker := parts[words[0]]
		if maker == nil {
			failed = errors.Join(failed, fmt.Errorf("there is no part %q", words[0]))
			return part
		}
		text, err := maker(words[1:])
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", strings.Join(words, " "), err))
			return part
		}
		return "<!-- made: " + strings.Join(words, " ") + " -->\n" + text + "<!-- /made -->"
	})
	return out, failed
}

// table draws rows under a head.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("|")
		for _, cell := range cells {
			if text := strings.Join(strings.Fields(cell), " "); text != "" {
				b.WriteString(" " + strings.ReplaceAll(text, "|", "\\|"))
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
	line(head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// code puts a text between backticks; an empty one stays empty.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
