package secret

import (
	"path"
	"regexp"
	"strings"
)

// secretName matches the names of variables that hold credentials by custom:
// HF_TOKEN, OPENAI_API_KEY, AWS_SECRET_ACCESS_KEY, DB_PASSWORD …
// A plural (MAX_TOKENS, STOP_TOKENS) is a count in this field, never a credential.
var secretName = regexp.MustCompile(`(?i)(^|_)(token|api_?key|access_?key|secret_?key|private_?key|key|secret|passw(or)?d|credentials?)$|(^|_)(api_?key|secret)(_|$)`)

// harmless are names that the pattern would catch although what they hold is public.
var harmless = map[string]bool{"eos_token": true, "bos_token": true, "pad_token": true, "unk_token": true, "stop_token": true, "sort_key": true, "routing_key": true}

// secretFlags are command-line flags of engines and clients whose value is a credential.
var secretFlags = map[string]bool{
	"--api-key": true, "--admin-api-key": true, "--hf-token": true, "--token": true,
	"--openai-api-key": true, "--auth-token": true, "--password": true, "--ssl-keyfile-password": true,
}

// IsSecretName tells whether a variable of this name holds a secret. extra are
// further names, or shell patterns such as MY_*, that the user lists.
func IsSecretName(name string, extra []string) bool {
	for _, pattern := range extra {
		if ok, err := path.Match(pattern, name); err == nil && ok {
			return true
		}
	}
	return secretName.MatchString(name) && !harmless[strings.ToLower(name)]
}

// IsSecretFlag tells whether the value of this command-line flag ("--api-key",
// or the whole word "--api-key=…") is a secret.
func IsSecretFlag(word string) bool {
	flag, _, _ := strings.Cut(word, "=")
	return secretFlags[strings.ReplaceAll(strings.ToLower(flag), "_", "-")]
}
