package servematrix_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// order is the table of packages in docs/architecture.md: a package imports
// only those that stand below it.
var order = []string{
	"perf", "docs", "release", "cmd", "live", "report", "page", "chart", "schema", "orchestrator", "journal", "reference", "compare", "stats", "telemetry", "device", "result", "effective", "engine",
	"readiness", "process", "matrix", "bench", "sim", "metric", "command", "secret", "logfile", "pyliteral", "jsonwalk", "oneline", "spelling",
}

func TestImportsPointDown(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		from, ok := place(p.ImportPath)
		if !ok {
			if p.ImportPath != "servematrix" {
				t.Errorf("%s stands in no row of the table", p.ImportPath)
			}
			continue
		}
		for _, imported := range p.Imports {
			to, ok := place(imported)
			if !ok {
				continue
			}
			checked++
			if to < from {
				t.Errorf("%s imports %s, which stands above it", p.ImportPath, imported)
			}
		}
	}
	if checked == 0 {
		t.Error("no import was checked")
	}
}

// place gives the row of an import path's top folder.
func place(path string) (int, bool) {
	rest, ok := strings.CutPrefix(path, "servematrix/")
	if !ok {
		return 0, false
	}
	top, _, _ := strings.Cut(rest, "/")
	i := slices.Index(order, top)
	return i, i >= 0
}
