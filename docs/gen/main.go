// Command gen writes the parts of docs/reference that the code knows: keys, columns, events, exit
// codes, commands. A page marks such a part, <!-- made: NAME --> to <!-- /made -->; all else in it is
// by hand. Its test says when a page is stale; people run it from the root of the checkout:
//
//	go run ./docs/gen
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := write("docs/reference"); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// write fills every page of a folder anew.
func write(folder string) error {
	pages, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil || len(pages) == 0 {
		return fmt.Errorf("%d pages in %s, %w", len(pages), folder, err)
	}
	for _, page := range pages {
		old, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		filled, err := fill(string(old))
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		if filled == string(old) {
			continue
		}
		if err := os.WriteFile(page, []byte(filled), 0o644); err != nil {
			return err
		}
		fmt.Println("written:", page)
	}
	return nil
}
