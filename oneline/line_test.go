package oneline

import "testing"

func TestOf(t *testing.T) {
	for in, want := range map[string]string{
		"plain 组合 é":             "plain 组合 é",
		"a\nb\r\tc":              `a\nb\r    c`,
		"\x1b[31mred\x1b[0m":     "red",
		"\x1b[2Jcleared\x07":     `\x1b[2Jcleared\x07`,
		"\x9b1A":                 `\x9b1A`,
		"bad \xff utf-8":         `bad \xff utf-8`,
		"user\u202etxt.exe":      `user\u202etxt.exe`,
		"👩\u200d💻":               "👩\u200d💻",
		"line\u2028sep\u0085":    `line\u2028sep\x85`,
		"\x1b]0;title\x07 after": `\x1b]0;title\x07 after`,
	} {
		if got := Of(in); got != want {
			t.Errorf("Of(%q) = %q, want %q", in, got, want)
		}
	}
}
