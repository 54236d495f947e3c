package telemetry

import (
	"bytes"
	"encoding/json"
	"os"
)

// Read gives the readings of a file, in the order of its lines. Lines that are torn, or of a
// newer version in another form, are passed over.
func Read(path string) ([]Reading, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(text), nil
}

// Parse reads the lines of a file, or of its end.
func Parse(text []byte) (all []Reading) {
	for line := range bytes.Lines(text) {
		var r Reading
		if json.Unmarshal(line, &r) == nil {
			all = append(all, r)
		}
	}
	return all
}
