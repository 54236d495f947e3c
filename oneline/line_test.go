package oneline

import "testing"

func TestBare(t *testing.T) {
	for in, want := range map[string]string{
		"plain 组合":                               "plain 组合",
		"\x1b[1;31mred\x1b[0m \x1b[2Ka\x1b[?25h": "red a",
		"\x1b]0;title\x07after\x1b]8;;u\x1b\\x":  "afterx",
		"\x1b]never ended":                       "",
		"\x1bMup \x1b":                           "up \x1b",
		"a\tb\r":                                 "a\tb\r",
	} {
		if got := Bare(in); got != want {
			t.Errorf("Bare(%q) = %q, want %q", in, got, want)
		}
	}
}

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
