package matrix

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes, written as text such as "2GiB" in JSON.
type Size int64

// sizeUnits are the units of a size, largest first.
var sizeUnits = []struct {
	name  string
	bytes Size
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// String writes the size with the largest unit that divides it; 0 has none.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if s != 0 && s%u.bytes == 0 {
			return strconv.FormatInt(int64(s/u.bytes), 10) + u.name
		}
	}
	return "0"
}

// MarshalText writes the size as String does.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what a sweep can say.
func (s *Size) UnmarshalText(b []byte) error {
	n, wrong, _ := parseSize(string(b))
	if wrong != "" {
		return fmt.Errorf("%q: it %s", b, wrong)
	}
	*s = n
	return nil
}

// parseSize reads a whole number or a fraction with a unit, and 0; else it says what is wrong and what to write.
func parseSize(text string) (n Size, wrong, suggestion string) {
	if text == "0" {
		return 0, "", ""
	}
	for _, u := range sizeUnits {
		number, has := strings.CutSuffix(text, u.name)
		if !has {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		bytes := math.Round(x * float64(u.bytes))
		switch {
		case err != nil:
			return 0, fmt.Sprintf("must be a size, not %q", text), "write such as 512MiB or 2GiB"
		case !(bytes >= 0 && bytes < math.MaxInt64):
			return 0, fmt.Sprintf("cannot be %s", text), ""
		}
		return Size(bytes), "", ""
	}
	if isNumber(text) && !strings.HasPrefix(text, "-") {
		return 0, fmt.Sprintf("needs a unit: %s of what?", text), "write " + text + "MiB or " + text + "GiB"
	}
	return 0, fmt.Sprintf("must be a size, not %q", text), "write such as 512MiB or 2GiB"
}

// sizeSetter reads a size that is 0 or at least so large.
func sizeSetter(least Size, put func(d draft, n Size)) setter {
	return func(d draft, v *value) (string, string) {
		s, wrong := plainText(v)
		if wrong != "" {
			return wrong, ""
		}
		n, wrong, suggestion := parseSize(s)
		if wrong != "" {
			return wrong, suggestion
		}
		if n > 0 && n < least {
			return fmt.Sprintf("must be 0 (none) or at least %s, not %s", least, s), ""
		}
		put(d, n)
		return "", ""
	}
}
