package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// docBlock is a fenced block of a document. Two comments that no reader sees can stand
// in the line before it:
//
//	<!-- not run: REASON -->  its commands need what a test has not
//	<!-- file: NAME -->       the reader saves it under this name
type docBlock struct {
	language     string
	varies       bool // its output depends on more than the commands: only exit codes are held
	notRun, file string
	line         int // of its first line in the document
	lines        []string
}

// docCommand is a command behind "$ " with the output that the document shows.
type docCommand struct {
	text   string
	at     int // lines of the block up to here belong to the command
	output []string
}

var (
	fenceOpen   = regexp.MustCompile("^```(\\S*) ?(.*)$")
	notRunMark  = regexp.MustCompile(`^<!-- not run: (.+) -->$`)
	savedAsMark = regexp.MustCompile(`^<!-- file: (\S+) -->$`)
)

func docBlocks(t *testing.T, file string) []docBlock {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []docBlock
	before := ""
	lines := strings.Split(string(data), "\n")
	for i := 0; i < len(lines); i++ {
		open := fenceOpen.FindStringSubmatch(lines[i])
		if open == nil {
			before = lines[i]
			continue
		}
		b := docBlock{language: open[1], varies: open[2] == "varies", line: i + 2}
		if m := notRunMark.FindStringSubmatch(before); m != nil {
			b.notRun = m[1]
		}
		if m := savedAsMark.FindStringSubmatch(before); m != nil {
			b.file = m[1]
		}
		for i++; i < len(lines) && lines[i] != "```"; i++ {
			b.lines = append(b.lines, lines[i])
		}
		if i == len(lines) {
			t.Fatalf("%s:%d: the block has no end", file, b.line)
		}
		before = ""
		blocks = append(blocks, b)
	}
	return blocks
}

// commands splits a console block; a line that ends with a backslash goes on in the next.
func (b docBlock) commands() []docCommand {
	var all []docCommand
	for i := 0; i < len(b.lines); i++ {
		text, ok := strings.CutPrefix(b.lines[i], "$ ")
		if !ok {
			if n := len(all); n > 0 {
				all[n-1].output = append(all[n-1].output, b.lines[i])
			}
			continue
		}
		for strings.HasSuffix(text, `\`) && i+1 < len(b.lines) {
			i++
			text += "\n" + b.lines[i]
		}
		all = append(all, docCommand{text: text, at: i + 1})
	}
	return all
}
