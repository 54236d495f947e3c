package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const oldPlan, newPlan = "old plan", "new plan"

// replaced makes a run folder in which a new plan is laid ready beside the old one.
func replaced(t *testing.T) Folder {
	t.Helper()
	f := Folder(t.TempDir())
	for name, data := range map[string]string{PlanFile: oldPlan, SweepFile: "old sweep", HostFile: "host"} {
		if err := os.WriteFile(f.Path(name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Stage(map[string][]byte{PlanFile: []byte(newPlan), SweepFile: []byte("new sweep"), "profile1.yaml": []byte("new profile")}, 3); err != nil {
		t.Fatal(err)
	}
	return f
}

func contents(t *testing.T, f Folder) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(f.Path("*"))
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m[filepath.Base(path)] = string(data)
	}
	return m
}

// Wherever a crash comes while a plan is replaced, the plan afterwards is the one
// that the journal names, with the sweep that belongs to it.
func TestReplacedPlanIsWholeAfterACrash(t *testing.T) {
	names := []string{SweepFile, "profile1.yaml", PlanFile} // in the order in which they take their places
	for committed, digest := range map[bool]string{false: Digest([]byte(oldPlan)), true: Digest([]byte(newPlan))} {
		for moved := range len(names) + 1 {
			if !committed && moved > 0 {
				continue // nothing is moved before the journal names the new plan
			}
			f := replaced(t)
			for _, name := range names[:moved] {
				if err := os.Rename(f.Path(name+staged), f.Path(name)); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Settle(digest); err != nil {
				t.Fatalf("committed %v, %d moved: %v", committed, moved, err)
			}
			got := contents(t, f)
			which := map[bool]string{false: "old", true: "new"}[committed]
			if got[PlanFile] != which+" plan" || got[SweepFile] != which+" sweep" || got["host.json"] != "host" {
				t.Errorf("committed %v, %d moved: %v", committed, moved, got)
			}
			if got["plan.3.json"] != oldPlan || got["sweep.3.yaml"] != "old sweep" {
				t.Errorf("committed %v, %d moved: the former ones are not kept: %v", committed, moved, got)
			}
			if _, is := got["profile1.yaml"]; is != committed {
				t.Errorf("committed %v, %d moved: %v", committed, moved, got)
			}
			for name := range got {
				if strings.HasSuffix(name, staged) {
					t.Errorf("committed %v, %d moved: %s is left", committed, moved, name)
				}
			}
		}
	}
}

func TestSecondTryOfAReplacementKeepsTheFirstVersion(t *testing.T) {
	f := replaced(t) // crashed before the journal named it
	if err := f.Stage(map[string][]byte{PlanFile: []byte("third plan")}, 3); err != nil {
		t.Fatal(err)
	}
	if err := f.Adopt(); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, f); got[PlanFile] != "third plan" || got["plan.3.json"] != oldPlan || got[SweepFile] != "old sweep" {
		t.Errorf("%v", got)
	}
}

func TestForeignPlanIsAnError(t *testing.T) {
	f := replaced(t)
	if err := f.Settle(Digest([]byte("a plan that nobody has"))); !errors.Is(err, ErrOtherPlan) {
		t.Errorf("err %v", err)
	}
	if err := f.Settle(""); err != nil {
		t.Errorf("a journal that names no plan: %v", err)
	}
}
