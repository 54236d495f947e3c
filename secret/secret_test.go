package secret

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIsSecretName(t *testing.T) {
	for name, want := range map[string]bool{
		"HF_TOKEN": true, "OPENAI_API_KEY": true, "AWS_SECRET_ACCESS_KEY": true, "DB_PASSWORD": true, "api_key": true, "APIKEY": true,
		"MAX_TOKENS": false, "TOKENIZERS_PARALLELISM": false, "EOS_TOKEN": false, "KEYBOARD": false, "VLLM_CPU_KVCACHE_SPACE": false, "PATH": false,
	} {
		if got := IsSecretName(name, nil); got != want {
			t.Errorf("IsSecretName(%q) = %v, want %v", name, got, want)
		}
	}
	if !IsSecretName("MY_THING", []string{"MY_*"}) {
		t.Error("a listed pattern must count")
	}
}

func TestIsSecretFlag(t *testing.T) {
	for word, want := range map[string]bool{"--api-key": true, "--api-key=x": true, "--api_key": true, "--max-tokens": false, "--tokenizer": false} {
		if got := IsSecretFlag(word); got != want {
			t.Errorf("IsSecretFlag(%q) = %v, want %v", word, got, want)
		}
	}
}

func TestRedactText(t *testing.T) {
	var r Redactor
	r.AddEnviron([]string{"MY_TOKEN=s3cr3t-value", "HOME=/home/me", "X_KEY=no"}, nil)
	for in, want := range map[string]string{
		"a s3cr3t-value b":                          "a <redacted> b",
		"ServerArgs(api_key='abc', port=1)":         "ServerArgs(api_key='<redacted>', port=1)",
		`{"admin_api_key": "abc", "api_key": null}`: `{"admin_api_key": "<redacted>", "api_key": null}`,
		"Authorization: Bearer abc.def":             "Authorization: Bearer <redacted>",
		"token hf_abcdefghijklmnopqrstuvwx":         "token <redacted>",
		"no secrets here, no":                       "no secrets here, no",
	} {
		if got := r.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
	got := r.Strings([]string{"serve", "--api-key", "abc", "--port", "1"})
	if strings.Join(got, " ") != "serve --api-key <redacted> --port 1" {
		t.Errorf("Strings = %q", got)
	}
}

func TestRedactFileAcrossWindows(t *testing.T) {
	var r Redactor
	r.Add("s3cr3t-value")
	for name, filler := range map[string]string{"words": "lorem ", "lines": "lorem ipsum\n"} {
		path := filepath.Join(t.TempDir(), name)
		// The secret stands astride the end of the first window.
		pad := strings.Repeat(filler, (window-5)/len(filler))
		pad += strings.Repeat("x", window-5-len(pad)-1) + " "
		text := pad + "s3cr3t-value" + strings.Repeat(filler, 2*window/len(filler)) + "s3cr3t-value\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		changed, err := r.File(path)
		if err != nil || !changed {
			t.Fatalf("%s: changed %v, err %v", name, changed, err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.ReplaceAll(text, "s3cr3t-value", Mask); string(got) != want {
			t.Errorf("%s: %d bytes, want %d; secret left: %v", name, len(got), len(want), strings.Contains(string(got), "s3cr3t"))
		}
		if changed, err := r.File(path); changed || err != nil {
			t.Errorf("%s: second pass changed %v, err %v", name, changed, err)
		}
	}
}
