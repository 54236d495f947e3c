package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateDocs = flag.Bool("update", false, "write into the documents what their commands print now")

// followed are the documents that a reader follows step by step.
func followed(t *testing.T) []string {
	t.Helper()
	howTos, err := filepath.Glob("../../docs/how-to/*.md")
	if err != nil || len(howTos) == 0 {
		t.Fatalf("%d how-tos, err %v", len(howTos), err)
	}
	return append([]string{"../../docs/tutorial.md", "../../docs/reference/exit-codes.md"}, howTos...)
}

// notFollowed is how many blocks of commands stand in the documents that no test runs, by what
// they would need. A new one is counted here on purpose.
var notFollowed = map[string]int{"the tests have it already": 1, "takes a night": 1, "GPU": 4, "NPU": 1, "ssh": 7, "systemd": 1}

// TestDocsNameWhatIsNotRun wants each block with commands to be one that is followed, or to say
// why not, and no command of ours in a block of another kind.
func TestDocsNameWhatIsNotRun(t *testing.T) {
	got, followedCommands := map[string]int{}, 0
	for _, file := range followed(t) {
		for _, b := range docBlocks(t, file) {
			if b.language != "console" {
				for i, line := range b.lines {
					if strings.HasPrefix(strings.TrimPrefix(line, "$ "), "servematrix ") {
						t.Errorf("%s:%d: a command outside of a console block, which no test runs", file, b.line+i)
					}
				}
				continue
			}
			if len(b.commands()) == 0 {
				t.Errorf("%s:%d: a console block without a command", file, b.line)
			}
			if b.notRun != "" {
				got[b.notRun]++
			} else {
				followedCommands += len(b.commands())
			}
		}
	}
	if diff := cmp.Diff(notFollowed, got); diff != "" {
		t.Errorf("blocks that no test runs (-expected +found):\n%s", diff)
	}
	if followedCommands < 50 {
		t.Errorf("%d commands are followed", followedCommands)
	}
}

// TestDocsCanBeFollowed types each command of the tutorial and of the how-tos, and wants
// what they show. Numbers may differ.
func TestDocsCanBeFollowed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the sweeps of the documents")
	}
	for _, file := range followed(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			if !*updateDocs { // what is shown is measured with nothing beside it
				t.Parallel()
			}
			shell := newDocShell(t)
			blocks := docBlocks(t, file)
			for i := range blocks {
				b := &blocks[i]
				switch {
				case b.file != "":
					save(t, filepath.Join(shell.dir, b.file), b.lines)
				case b.language == "console" && b.notRun == "":
					follow(t, shell, file, b)
				}
			}
			if *updateDocs {
				rewrite(t, file, blocks, shell.runs)
			}
			if chinese := strings.TrimSuffix(file, ".md") + ".zh-CN.md"; *updateDocs && exists(chinese) {
				same := docBlocks(t, chinese)
				for i := range same {
					same[i].lines = blocks[i].lines
				}
				rewrite(t, chinese, same, shell.runs)
			}
		})
	}
}

func save(t *testing.T, file string, lines []string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func follow(t *testing.T, shell *docShell, file string, b *docBlock) {
	t.Helper()
	var now []string
	from := 0
	for _, c := range b.commands() {
		if _, err := exec.LookPath("python3"); err != nil && strings.Contains(c.text, "python3") {
			t.Skip("python3 is not here")
		}
		lines, code := shell.run(c.text)
		at := b.line + c.at - 1
		if code != 0 {
			t.Fatalf("%s:%d: exit code %d of %s\n%s", file, at, code, c.text, strings.Join(lines, "\n"))
		}
		now = append(now, b.lines[from:c.at]...)
		from = c.at + len(c.output)
		if slices.Contains(c.output, "…") { // shown in part
			if missing := missingLine(c.output, lines); missing != "" && !b.varies {
				t.Errorf("%s:%d: %s does not print %q, but\n%s", file, at, c.text, missing, strings.Join(lines, "\n"))
			}
			now = append(now, c.output...)
			continue
		}
		now = append(now, lines...)
		if diff := cmp.Diff(exitCodes(c.output), exitCodes(lines)); diff != "" && !strings.Contains(c.text, "compare") && !*updateDocs {
			t.Errorf("%s:%d: %s (-shown +ended with):\n%s", file, at, c.text, diff)
		}
		if diff := cmp.Diff(maskAll(c.output), maskAll(lines)); diff != "" && !b.varies && !*updateDocs {
			t.Errorf("%s:%d: %s prints something else (-shown +printed; -update writes it there):\n%s", file, at, c.text, diff)
		}
	}
	b.lines = now
}

// exitCodes are the lines that a document holds also of what varies; a verdict alone may.
func exitCodes(lines []string) (codes []string) {
	for _, l := range lines {
		if strings.HasPrefix(l, "exit code") {
			codes = append(codes, l)
		}
	}
	return codes
}

// missingLine gives the first shown line that was not printed behind the one before it.
func missingLine(shown, printed []string) string {
	printed = maskAll(printed)
	for _, line := range shown {
		if line == "…" {
			continue
		}
		at := slices.Index(printed, mask(line))
		if at < 0 {
			return line
		}
		printed = printed[at+1:]
	}
	return ""
}

var (
	identity = regexp.MustCompile(`-[0-9a-f]{12}\b`)
	number   = regexp.MustCompile(`[0-9][0-9.,:]*(?:µs|ms|s\b|m[0-9]+s)?`)
	spaces   = regexp.MustCompile(` {2,}|-{2,}|─+|\t`)
)

// mask takes from a line what differs from run to run. What an exit code is does not.
func mask(line string) string {
	if strings.HasPrefix(line, "exit code") {
		return line
	}
	line = runName.ReplaceAllString(line, "RUN")
	line = identity.ReplaceAllString(line, "-ID")
	return spaces.ReplaceAllString(number.ReplaceAllString(line, "#"), " ")
}

func maskAll(lines []string) []string {
	masked := []string{}
	for _, l := range lines {
		masked = append(masked, mask(l))
	}
	return masked
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func rewrite(t *testing.T, file string, blocks []docBlock, runs map[string]string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	for _, b := range slices.Backward(blocks) {
		end := b.line - 1
		for lines[end] != "```" {
			end++
		}
		lines = slices.Replace(lines, b.line-1, end, b.lines...)
	}
	text := strings.Join(lines, "\n")
	for shown, real := range runs {
		text = strings.ReplaceAll(text, shown, real)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
