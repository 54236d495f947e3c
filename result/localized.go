package result

import (
	"regexp"
	"strconv"
	"strings"
)

// How a number is written, as far as it shows by itself. Clients write 1234.56; what a
// spreadsheet, a wrapper or a locale made of it may be 1,234.56 or 1.234,56 or 1 234,56.
type style int

const (
	notNumber    style = iota
	asClients          // 1234, 1234.56
	commaGroups        // 1,234.56: the comma separates thousands, the point fractions
	commaDecimal       // 1.234,56 or 31,98: the other way round
	otherGroups        // 1 234 or 1'234: thousands are separated by what is neither
	oneComma           // 1,234: could be either
	onePoint           // 1.234: as clients write, unless the block's others have decimal commas
)

var (
	groupSigns    = `['’\x{00a0}\x{2009}\x{202f} ]`
	plainForm     = regexp.MustCompile(`^[+-]?\d+(\.\d+)?$`)
	onePointForm  = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}\.\d{3}$`)
	oneCommaForm  = regexp.MustCompile(`^[+-]?[1-9]\d{0,2},\d{3}$`)
	commaGrouped  = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$`)
	pointGrouped  = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$`)
	commaFraction = regexp.MustCompile(`^[+-]?\d+,\d+$`)
	otherGrouped  = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(?:` + groupSigns + `\d{3})+([.,]\d+)?$`)
)

// written tells how a number is written.
func written(s string) style {
	switch {
	case onePointForm.MatchString(s):
		return onePoint
	case plainForm.MatchString(s):
		return asClients
	case oneCommaForm.MatchString(s):
		return oneComma
	case commaGrouped.MatchString(s):
		return commaGroups
	case pointGrouped.MatchString(s), commaFraction.MatchString(s):
		return commaDecimal
	case otherGrouped.MatchString(s):
		return otherGroups
	}
	return notNumber
}

// localized tells whether a number waits for what the rest of its block shows.
func (s style) localized() bool { return s >= commaGroups }

// signs are what the numbers of one block show: is the point the decimal sign, or the comma?
type signs struct{ point, comma bool }

func (s signs) with(text string, st style) signs {
	switch {
	case st == commaGroups, st == asClients && strings.Contains(text, "."):
		s.point = true
	case st == commaDecimal:
		s.comma = true
	}
	return s
}

// read reads a number in the light of the others; ok is false where it stays unclear.
func (s signs) read(text string) (f float64, places int, ok bool) {
	st := written(text)
	switch {
	case st == oneComma && s.point == s.comma, st == onePoint && s.comma && s.point:
		return 0, 0, false
	case st == oneComma && s.comma, st == commaDecimal, st == onePoint && s.comma:
		text = strings.Replace(strings.ReplaceAll(text, ".", ""), ",", ".", 1)
	case st == oneComma, st == commaGroups:
		text = strings.ReplaceAll(text, ",", "")
	case st == otherGroups:
		text = regexp.MustCompile(groupSigns).ReplaceAllString(strings.Replace(text, ",", ".", 1), "")
	}
	if f, err := strconv.ParseFloat(text, 64); err != nil || !finite(f) {
		return 0, 0, false
	}
	return parseNumber(text)
}
