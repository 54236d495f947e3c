package result

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"
)

// Passed is a file that import came by in a folder and took nothing from.
type Passed struct {
	Path string
	// Why says what it is where that is worth a word: a packed file has to be unpacked first. ""
	// is a file in which no result was found.
	Why string
}

// packings are the ways to pack a result that import does not read, told by their first bytes.
var packings = []struct{ magic, name, how string }{
	{"\x1f\x8b", "gzip", "gunzip it first"},
	{"\x28\xb5\x2f\xfd", "zstd", "unpack it with zstd -d first"},
	{"\xfd7zXZ\x00", "xz", "unpack it with xz -d first"},
	{"BZh", "bzip2", "bunzip2 it first"},
	{"PK\x03\x04", "zip", "unzip it first"},
}

// packed says of a packed file what it is and what to do; "" for any other.
func packed(head []byte) string {
	for _, p := range packings {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			return "is " + p.name + ": " + p.how
		}
	}
	return ""
}

// passOver names the files of a folder that nothing was taken from. What a client printed on
// stderr, its command and its exit code complete a result and are none, and the records of
// vllm bench sweep are read elsewhere.
func passOver(folder string, entries []fs.DirEntry, taken map[string]bool, passed func(Passed)) {
	for _, entry := range entries {
		name, path := entry.Name(), filepath.Join(folder, entry.Name())
		_, role := roleOf(name)
		switch {
		case !entry.Type().IsRegular(), strings.HasPrefix(name, "."), taken[path]:
		case role == "errors", role == "command", role == "exit":
		case name == "summary.csv", strings.HasPrefix(name, "SERVE-") && strings.HasSuffix(name, "-failure.json"):
		default:
			passed(Passed{Path: path, Why: packed(headOf(path))})
		}
	}
}

// mark notes the files of a bundle.
func (b *bundle) mark(taken map[string]bool) {
	for _, path := range []string{b.text, b.result} {
		if path != "" {
			taken[path] = true
		}
	}
}
