package device

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// smi is an nvidia-smi that prints these files for the newer and the older name of the mask.
func smi(t *testing.T, newer, older string) Throttler {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\ncase \"$1\" in\n"
	for field, text := range map[string]string{"event": newer, "throttle": older} {
		file := filepath.Join(dir, field)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		script += fmt.Sprintf("*clocks_%s_reasons*) cat %q; ! grep -q 'not a valid' %q ;;\n", field, file, file)
	}
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(script+"esac\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tool := range Find([]string{"PATH=" + dir + ":" + os.Getenv("PATH")}) {
		if tool.Name() == "nvidia-smi" {
			return tool.(Throttler)
		}
	}
	t.Fatal("no tool was found")
	return nil
}

func TestThrottled(t *testing.T) {
	mask, refused := recorded(t, "nvidia-reasons.txt"), recorded(t, "nvidia-reasons-old.txt")
	want := map[int][]string{2: {"hw_slowdown", "hw_thermal_slowdown"}} // 0 is at its power limit, as it may be
	for name, tool := range map[string]Throttler{"newer": smi(t, mask, refused), "older": smi(t, refused, mask)} {
		for range 2 { // the second time it knows the name
			got, err := tool.Throttled(t.Context())
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: %v\n%s", name, err, diff)
			}
		}
	}
	if _, err := smi(t, refused, refused).Throttled(t.Context()); !errors.Is(err, ErrNone) {
		t.Errorf("one that knows no name: %v", err)
	}
}
