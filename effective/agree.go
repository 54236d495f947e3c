package effective

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"servematrix/secret"
)

// dtypes are names for one type of numbers.
var dtypes = map[string]string{"half": "float16", "fp16": "float16", "bf16": "bfloat16", "float": "float32", "fp32": "float32"}

// agrees tells whether an argument is what a flag's words ask for. What cannot be told counts as
// agreement: JSON and name=value, which the engine makes objects of, and what is left to the
// engine ("auto").
// turned is for a flag that says no.
func agrees(words []string, is any, turned bool) bool {
	if b, ok := is.(bool); ok {
		want := true
		if len(words) > 0 && (strings.EqualFold(words[0], "false") || words[0] == "0") {
			want = false
		}
		return b == (want != turned)
	}
	if len(words) == 0 || turned {
		return true
	}
	switch is := is.(type) {
	case map[string]any:
		return true
	case []any:
		return listAgrees(words, is)
	}
	asked, text := words[0], written(is)
	if asked == "auto" || asked == secret.Mask || strings.ContainsAny(asked, "{[=") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "<") {
		return true
	}
	return textAgrees(asked, text)
}

func listAgrees(words []string, is []any) bool {
	if len(words) == 1 {
		words = strings.Split(words[0], ",")
	}
	if len(words) != len(is) {
		return len(words) == 0 || strings.ContainsAny(words[0], "{[=") // such as name=path
	}
	for i, v := range is {
		switch v.(type) {
		case map[string]any, []any:
			continue
		}
		if !textAgrees(words[i], written(v)) && !strings.ContainsAny(words[i], "{[=") {
			return false
		}
	}
	return true
}

// textAgrees compares as texts, numbers, sizes (32k) and types of numbers, and an enumeration's
// member (LoadFormat.DUMMY) with its name.
func textAgrees(asked, is string) bool {
	if asked == is || strings.TrimRight(asked, "/") == strings.TrimRight(is, "/") && asked != "/" {
		return true
	}
	x, err1 := strconv.ParseFloat(asked, 64)
	y, err2 := strconv.ParseFloat(is, 64)
	if err2 == nil && (err1 == nil && x == y || slices.Contains(sizes(asked), y)) {
		return true
	}
	asked = strings.ToLower(asked)
	is = strings.ToLower(is)
	if i := strings.LastIndexByte(is, '.'); i >= 0 && isName(is) {
		is = is[i+1:]
	}
	if t, ok := dtypes[asked]; ok {
		asked = t
	}
	if t, ok := dtypes[is]; ok {
		is = t
	}
	return asked == is
}

var size = regexp.MustCompile(`^(\d+(?:\.\d+)?)([kKmMgG])$`)

// sizes gives the numbers that 32k can mean: engines count in thousands or in 1024.
func sizes(s string) []float64 {
	m := size.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return nil
	}
	power := float64(strings.Index("kmg", strings.ToLower(m[2])) + 1)
	return []float64{n * math.Pow(1000, power), n * math.Pow(1024, power)}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
