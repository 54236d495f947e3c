package pyliteral_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/pyliteral"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]any{
		"inf": "inf", "-inf": "-inf", "nan": "nan", "None": nil, " True ": true, "False": false,
		"1.0": 1.0, "1e-05": 1e-05, "-3": int64(-3), "+3": int64(3), "-0.5": -0.5, "(7)": int64(7),
		"123456789012345678901234567890": "123456789012345678901234567890",
		`'it"s'`:                         `it"s`, `"it's"`: "it's", `'x\'y\n'`: "x'y\n",
		"['CPU', 'GPU']": []any{"CPU", "GPU"}, "(1, 2.5)": []any{int64(1), 2.5}, "[]": []any{}, "(1,)": []any{int64(1)},
		"{'image': 255, (256, 1): 0.5}": map[string]any{"image": int64(255), "[256 1]": 0.5},
	} {
		got, ok := pyliteral.Parse(text)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%s: %v\n%s", text, ok, diff)
		}
	}
	for _, text := range []string{"", "1e999", "<f at 0x7f>", "open('/etc/passwd')", "1+1", "[1, f()]", "torch.bfloat16", "auto", "not True", "'cut", "1 2"} {
		if got, ok := pyliteral.Parse(text); ok {
			t.Errorf("%s: %v", text, got)
		}
	}
}
