// Package schema holds the JSON Schemas of everything that servematrix writes for scripts (draft
// 2020-12): files of a run folder and outputs of commands; and of what people write for it (draft-07,
// which editors read): sweeps and profiles.
//
// The files are made from the types and the keys of the code, by tests of the packages that own these;
// schema/schematest does it, and holds real outputs against them. The command tree prints them.
package schema

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed *.json
var files embed.FS

// Names gives the names of all schemas, sorted.
func Names() []string {
	paths, err := fs.Glob(files, "*.json")
	if err != nil {
		panic(err) // the pattern is ours
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = strings.TrimSuffix(path.Base(p), ".json")
	}
	return names
}

// Read gives a schema by its name, such as "plan".
func Read(name string) ([]byte, error) {
	text, err := files.ReadFile(name + ".json")
	if err != nil {
		return nil, fmt.Errorf("there is no schema %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return text, nil
}
