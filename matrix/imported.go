package matrix

import (
	"crypto/sha256"
	"encoding/hex"
)

// Imported marks a plan that was not expanded from a sweep but found in results that were measured
// elsewhere: its variants are what those results tell of theirs, and nothing of it can be run.
type Imported struct {
	Files []string `json:"files"` // as they were given to import
}

// Nameless is what a variant of an imported plan is called of which nothing tells the name.
const Nameless = "unknown"

// ImportedID is the id of a variant of an imported plan: a slug of its name and 12 hex digits of
// the SHA-256 over all that tells it from others. Unlike the id that the results may have it by, it
// is safe as a part of a path.
func ImportedID(name, identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return slug(name, maxSlug) + "-" + hex.EncodeToString(sum[:6])
}
