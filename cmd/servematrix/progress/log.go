package progress

import (
	"encoding/json"
	"strings"
	"time"
)

// Write shows a line of the program's own log, so that it does not stand across the block.
func (v *View) Write(line []byte) (int, error) {
	var said struct{ Message, Error string }
	text := strings.TrimSuffix(string(line), "\n")
	if json.Unmarshal(line, &said) == nil && said.Message != "" {
		if text = said.Message; said.Error != "" {
			text += ": " + said.Error
		}
		text = v.entry(time.Now(), "warn", Clean(text))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.scroll(text)
	return len(line), nil
}
