package servematrix_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"servematrix/engine"
	"servematrix/matrix"
	"servematrix/reference"
)

var fencedYAML = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// TestExamplesInDocs holds every YAML example against the loader: a whole sweep
// must be valid, a part must be YAML, and a profile must load.
func TestExamplesInDocs(t *testing.T) {
	for _, file := range documents(t) {
		text := readDoc(t, file)
		for _, b := range fencedYAML.FindAllStringSubmatchIndex(text, -1) {
			example := text[b[2]:b[3]]
			line := 1 + strings.Count(text[:b[2]], "\n")
			t.Run(fmt.Sprintf("%s:%d", file, line), func(t *testing.T) {
				switch {
				case strings.HasPrefix(example, "# part"):
					checkPart(t, example)
				case strings.Contains(example, "\nreference:"):
					checkReference(t, example)
				default:
					checkSweep(t, example)
				}
			})
		}
	}
}

func checkSweep(t *testing.T, text string) {
	t.Helper()
	plan, problems := matrix.Parse("sweep.yaml", []byte(text), matrix.Options{
		Getenv: func(string) (string, bool) { return "value", true },
		Digest: func(string) (string, error) { return strings.Repeat("0", 64), nil },
	})
	if len(problems) > 0 { // a document shows nothing that is warned about either
		t.Fatal(problems)
	}
	catalog, err := engine.Load()
	if err != nil {
		t.Fatal(err)
	}
	if problems := catalog.Complete(plan); len(problems) > 0 {
		t.Fatal(problems)
	}
}

func checkReference(t *testing.T, text string) {
	t.Helper()
	if _, err := reference.Parse("reference.yaml", []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func checkPart(t *testing.T, text string) {
	t.Helper()
	isProfile := false
	for dec := yaml.NewDecoder(strings.NewReader(text)); ; {
		var doc map[string]any
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		_, named := doc["server"].(string)
		isProfile = isProfile || named
		checkJobs(t, doc["jobs"])
	}
	if !isProfile {
		return
	}
	file := filepath.Join(t.TempDir(), "profile.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Load(file); err != nil {
		t.Fatal(err)
	}
}

// jobKeys are what GitHub knows of a job in a workflow.
var jobKeys = strings.Fields("name permissions needs if runs-on snapshot environment concurrency outputs env defaults steps timeout-minutes strategy continue-on-error container services uses with secrets")

// checkJobs wants that the jobs of a workflow have no other keys: GitHub refuses the whole file.
func checkJobs(t *testing.T, jobs any) {
	t.Helper()
	all, _ := jobs.(map[string]any)
	for name, job := range all {
		keys, _ := job.(map[string]any)
		for key := range keys {
			if !slices.Contains(jobKeys, key) {
				t.Errorf("job %s: GitHub knows no key %s", name, key)
			}
		}
	}
}

// sweepNames are what sweeps use beside their keys, whose tables are made from the loader's.
var sweepNames = map[string]string{
	"rules": "match when set why assert",
	"names": "vars.x env.NAME late.port late.dir late.devices late.seed server.url server.port",
	"hook's env": "SERVEMATRIX_MOMENT SERVEMATRIX_FOLDER SERVEMATRIX_LAUNCH SERVEMATRIX_CELL SERVEMATRIX_BLOCK SERVEMATRIX_ATTEMPT " +
		"SERVEMATRIX_STATUS SERVEMATRIX_FAILURE SERVEMATRIX_EXIT_CODE SERVEMATRIX_SUMMARY",
	"args, values": "repeat id",
}

// TestSweepNamesAreDocumented asks for each name between backticks, alone or
// among others.
func TestSweepNamesAreDocumented(t *testing.T) {
	prose := fencedYAML.ReplaceAllString(readDoc(t, "docs/reference/sweep-keys.md")+readDoc(t, "docs/reference/expressions.md"), "")
	var code bytes.Buffer
	for _, span := range regexp.MustCompile("`[^`\n]+`").FindAllString(prose, -1) {
		code.WriteString(span + "\n")
	}
	for place, keys := range sweepNames {
		for _, key := range strings.Fields(keys) {
			if !regexp.MustCompile(`(^|[^\w])` + regexp.QuoteMeta(key) + `($|[^\w])`).Match(code.Bytes()) {
				t.Errorf("docs/reference/sweep-keys.md does not explain %s (%s)", key, place)
			}
		}
	}
}

// TestReadmesAreAlike wants that both languages have the same parts and the same commands.
func TestReadmesAreAlike(t *testing.T) {
	for english, chinese := range map[string]string{"README.md": "README.zh-CN.md", "docs/tutorial.md": "docs/tutorial.zh-CN.md"} {
		if diff := cmp.Diff(skeleton(readDoc(t, english)), skeleton(readDoc(t, chinese))); diff != "" {
			t.Errorf("%s and %s differ (-english +chinese):\n%s", english, chinese, diff)
		}
	}
}

var level = regexp.MustCompile(`^#+ `)

// skeleton is what a translation leaves as it is: the levels of headings, blocks and
// indented commands.
func skeleton(text string) (lines []string) {
	inBlock := false
	for _, line := range strings.Split(text, "\n") {
		switch {
		case inBlock, strings.HasPrefix(line, "```"), strings.HasPrefix(line, "    "), strings.HasPrefix(line, "<!--"):
			lines = append(lines, line)
			inBlock = strings.HasPrefix(line, "```") != inBlock
		case level.MatchString(line):
			lines = append(lines, level.FindString(line))
		}
	}
	return lines
}

func readDoc(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
