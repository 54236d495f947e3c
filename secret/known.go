package secret

import (
	"regexp"
	"strings"
)

// hints are what a secret that nobody told us of shows itself by, the name beside
// it or its own form: SGLang's ServerArgs(api_key='…') and server_info JSON, vLLM's
// {'api_key': ['…']}, HTTP headers, flags, tokens of Hugging Face and OpenAI, the
// passwords of URLs. Text without any, which is most text, is not looked at closer.
var hints = []struct {
	text string
	find func(b []byte, at int) (span, bool)
}{
	{"_key", named}, {"-key", named}, {"-Key", named}, {"_KEY", named}, {"-KEY", named},
	{"_token", named}, {"-token", named}, {"--token", named}, {"_TOKEN", named},
	{"assw", named}, {"ASSW", named}, {"ecret", named}, {"ECRET", named},
	{"uthorization", formed(regexp.MustCompile(`^uthorization\\?["']?\s*[=:,]\s*\\?b?["']?(?i:bearer|basic|token)\s+([^\s"'\\$<][^\s"'\\]*)`), false)},
	{"earer ", formed(regexp.MustCompile(`^earer ([A-Za-z0-9._~+/=-]{16,})`), false)},
	{"hf_", formed(regexp.MustCompile(`^(hf_[A-Za-z0-9]{20,})`), true)},
	{"sk-", formed(regexp.MustCompile(`^(sk-[A-Za-z0-9_-]{20,})`), true)},
	{"://", formed(regexp.MustCompile(`^://[^/\s:@"'\\]*:([^@/\s"'\\$<][^@/\s"'\\]*)@`), false)},
}

// Shown gives the parts of a text, each as begin and end, that show themselves as
// secrets although nobody said so.
func Shown(text string) (parts [][2]int) {
	for _, s := range new(Redactor).spans([]byte(text)) {
		parts = append(parts, [2]int{s.from, s.to})
	}
	return parts
}

// formLength bounds what a form is looked for in.
const formLength = 4 << 10

// formed finds a secret by its own form. word: no letter stands before it.
func formed(re *regexp.Regexp, word bool) func(b []byte, at int) (span, bool) {
	return func(b []byte, at int) (span, bool) {
		if word && at > 0 && nameByte(b[at-1]) {
			return span{}, false
		}
		m := re.FindSubmatchIndex(b[at:min(len(b), at+formLength)])
		if m == nil {
			return span{}, false
		}
		return span{at + m[2], at + m[3]}, true
	}
}

func nameByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// nameLength bounds a name.
const nameLength = 100

// named finds the value of a name that stands around at: name='…', "name": "…",
// "name": ["…"], name=…, Name: …, --name …, '--name', '…'.
func named(b []byte, at int) (span, bool) {
	from, to := at, at
	for from > 0 && at-from < nameLength && nameByte(b[from-1]) {
		from--
	}
	for to < len(b) && to-at < nameLength && nameByte(b[to]) {
		to++
	}
	name := string(b[from:to])
	flag := strings.HasPrefix(name, "--")
	if !tellsSecret(strings.TrimLeft(name, "-"), flag) {
		return span{}, false
	}
	form := keyed
	switch {
	case flag:
		form = flagged
	case strings.Contains(name, "-"):
		form = header
	}
	m := form.FindSubmatchIndex(b[to:min(len(b), to+formLength)])
	if m == nil {
		return span{}, false
	}
	for group := 2; group < len(m); group += 2 { // the first alternative that matched
		if m[group] < 0 {
			continue
		}
		x := span{to + m[group], to + m[group+1]}
		value := string(b[x.from:x.to])
		return x, (group > 2 || !notSaid[value]) && !(flag && strings.HasPrefix(value, "--"))
	}
	return span{}, false
}

// What follows a name: a quoted value or a list of them (all to the last quote),
// or a bare one directly behind "="; after a header's name and a flag any word.
var (
	keyed = regexp.MustCompile(`^(?:=([^\s"'\\\[\](){}<>,;&$]+)` +
		`|\\?["']?\s*[=:,]\s*\\?b?"([^"\\\n]+)` + `|\\?["']?\s*[=:,]\s*\\?b?'([^'\\\n]+)` +
		`|\\?["']?\s*[=:]\s*\[\s*\\?"([^"\\\n\]]+(?:"\s*,\s*"[^"\\\n\]]+)*)` + `|\\?["']?\s*[=:]\s*\[\s*\\?'([^'\\\n\]]+(?:'\s*,\s*'[^'\\\n\]]+)*))`)
	header  = regexp.MustCompile(`^\\?["']?\s*[=:,]\s*\\?b?["']?([^\s"'\\<>$,;]+)`)
	flagged = regexp.MustCompile(`^(?:=|[ \t]+|\\?["'],\s*\\?b?["'])\\?["']?([^\s"'\\<>$,]+)`)
)

// notSaid are bare words that stand for no value.
var notSaid = map[string]bool{"None": true, "null": true, "True": true, "False": true, "true": true, "false": true, "undefined": true}

// tellsSecret is a stricter IsSecretName, for any text: "key" alone or
// "eos_token" stand in much of it.
func tellsSecret(name string, flag bool) bool {
	n := strings.ReplaceAll(strings.ToLower(name), "-", "_")
	if flag && secretFlags["--"+strings.ReplaceAll(n, "_", "-")] {
		return true
	}
	for _, end := range []string{"api_key", "access_key", "secret_key", "private_key", "password", "passwd", "client_secret",
		"hf_token", "auth_token", "access_token", "refresh_token", "bearer_token", "api_token", "hub_token"} {
		if strings.HasSuffix(n, end) {
			return true
		}
	}
	return n == "secret"
}
