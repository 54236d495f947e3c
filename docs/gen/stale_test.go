package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/journal"
	"servematrix/matrix"
)

// TestPagesAreNotStale makes every part of the reference anew and wants it to be what stands there.
func TestPagesAreNotStale(t *testing.T) {
	used := map[string]bool{}
	for name, page := range pages(t) {
		filled, err := fill(page)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(page, filled); diff != "" {
			t.Errorf("%s is stale; go run ./docs/gen writes it anew (-page +code):\n%s", name, diff)
		}
		for _, part := range made.FindAllStringSubmatch(page, -1) {
			used[strings.Fields(part[1])[0]] = true
		}
		if len(made.FindAllString(page, -1)) != strings.Count(page, "\n<!-- made: ") {
			t.Errorf("%s: a part has no end", name)
		}
		if first, _, _ := strings.Cut(page, "\n"); strings.Contains(page, "<!-- made: ") && !strings.Contains(first, "go run ./docs/gen") {
			t.Errorf("%s does not say in its first line what writes it", name)
		}
	}
	for name := range parts {
		if !used[name] {
			t.Errorf("no page has the part %q", name)
		}
	}
}

// TestReferenceIsComplete wants every key of a sweep and every type of events on its page.
func TestReferenceIsComplete(t *testing.T) {
	all := pages(t)
	places := mappings(matrix.SweepKeys(), "")
	if len(places) < 10 {
		t.Errorf("only the keys below %v", places)
	}
	for _, place := range places {
		if !strings.Contains(all["sweep-keys.md"], "<!-- made: keys "+place+" -->") {
			t.Errorf("sweep-keys.md has no table of the keys below %s", place)
		}
	}
	s, err := readSchema("event")
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range s.AllOf {
		typ, _ := of.If.Properties.Get("type")
		if !regexp.MustCompile("(?m)^### `" + regexp.QuoteMeta(typ.Const.(string)) + "`$").MatchString(all["events.md"]) {
			t.Errorf("events.md says nothing of %s", typ.Const)
		}
	}
	if len(s.AllOf) < 10 || !strings.Contains(all["events.md"], "### `"+string(journal.SampleEnded)+"`") {
		t.Errorf("only %d types of events", len(s.AllOf))
	}
}

// mappings are the places of a sweep that have keys of their own; what server and client have in
// common, and what all hooks have, stands once.
func mappings(keys []matrix.Key, at string) (places []string) {
	for _, k := range keys {
		if k.Keys == nil {
			continue
		}
		place := at + k.Name
		below := mappings(k.Keys, place+".")
		switch {
		case place == "server":
			places = append(places, "both", "server-only")
		case place == "client":
			places = append(places, "client-only")
		case strings.HasPrefix(place, "hooks.") && place != "hooks.before_run":
		default:
			places = append(places, place)
		}
		for _, b := range below {
			if !slices.Contains([]string{"client.patch", "client.require"}, b) {
				places = append(places, b)
			}
		}
	}
	return places
}

func pages(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../reference/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
	}
	return texts
}

func TestFillSaysWhatIsWrong(t *testing.T) {
	for _, part := range []string{"nothing", "keys server.nothing", "event never.happened", "profile nobody"} {
		if _, err := fill("<!-- made: " + part + " -->\n<!-- /made -->\n"); err == nil {
			t.Errorf("%q was made", part)
		}
	}
	old := "a\n<!-- made: columns -->\nold\n<!-- /made -->\nb\n"
	filled, err := fill(old)
	if err != nil || strings.Contains(filled, "old") || !strings.HasPrefix(filled, "a\n") || !strings.HasSuffix(filled, "\nb\n") {
		t.Errorf("%q, %v", filled, err)
	}
}
