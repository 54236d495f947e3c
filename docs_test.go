package servematrix_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"servematrix/engine"
	"servematrix/matrix"
)

var fencedYAML = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// TestExamplesInDocs holds every YAML example against the loader: a whole sweep
// must be valid, a part must be YAML, and a profile must load.
func TestExamplesInDocs(t *testing.T) {
	for _, file := range []string{"README.md", "docs/reference/sweep-keys.md", "docs/reference/profiles.md", "docs/reference/expressions.md"} {
		text := readDoc(t, file)
		blocks := fencedYAML.FindAllStringSubmatchIndex(text, -1)
		if len(blocks) == 0 {
			t.Errorf("%s has no YAML example", file)
		}
		for _, b := range blocks {
			example := text[b[2]:b[3]]
			line := 1 + strings.Count(text[:b[2]], "\n")
			t.Run(fmt.Sprintf("%s:%d", file, line), func(t *testing.T) {
				if strings.HasPrefix(example, "# part") {
					checkPart(t, example)
				} else {
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

func readDoc(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
