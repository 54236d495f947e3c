package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestReadOnlyBuild builds the program as systems other than Linux get it, and
// lets it read here what the whole one has run.
func TestReadOnlyBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program")
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-buildvcs=false", "-tags=servematrix_readonly", "-o", filepath.Join(dir, "reader"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	runScripts(t, scripts(t, "testdata/readonly"))
}
