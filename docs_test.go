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
	for _, file := range []string{"README.md", "docs/reference/sweep-keys.md", "docs/reference/profiles.md"} {
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

// sweepKeys are the keys that the loader knows, by where they stand.
var sweepKeys = map[string]string{
	"top":         "version name vars server client pair run compare validity secrets profiles hooks report",
	"both scopes": "axes zip derive exclude add patch require command shell args env unset dir files profile timeout",
	"server":      "port ready stop failure flush isolation",
	"client":      "silence warmup bench",
	"rules":       "match when set why assert",
	"ready":       "log http tcp timeout silence",
	"stop":        "signal grace",
	"failure":     "class log fatal",
	"flush":       "method path expect",
	"run":         "blocks order retries on_failure on_start_failure on_foreign_process cooldown max_cells log_limit",
	"compare":     "primary min_effect",
	"hooks":       "before_run before_launch after_cell after_run on_failure command timeout on_error",
	"report":      "lang",
	"names":       "vars.x env.NAME late.port late.dir late.devices late.seed server.url server.port",
	"hook's env": "SERVEMATRIX_MOMENT SERVEMATRIX_FOLDER SERVEMATRIX_LAUNCH SERVEMATRIX_CELL SERVEMATRIX_BLOCK SERVEMATRIX_ATTEMPT " +
		"SERVEMATRIX_STATUS SERVEMATRIX_FAILURE SERVEMATRIX_EXIT_CODE SERVEMATRIX_SUMMARY",
	"args, values": "repeat id",
}

// TestSweepKeysAreDocumented asks for each key between backticks, alone or
// among others.
func TestSweepKeysAreDocumented(t *testing.T) {
	prose := fencedYAML.ReplaceAllString(readDoc(t, "docs/reference/sweep-keys.md")+readDoc(t, "docs/reference/expressions.md"), "")
	var code bytes.Buffer
	for _, span := range regexp.MustCompile("`[^`\n]+`").FindAllString(prose, -1) {
		code.WriteString(span + "\n")
	}
	for place, keys := range sweepKeys {
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
