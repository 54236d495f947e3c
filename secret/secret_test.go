package secret

import (
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
		// As they stand in the logs, results and commands of engines and clients.
		`non-default args: {'api_key': ['tok-one', 'tok-two'], 'port': 1}`:                                  `non-default args: {'api_key': ['<redacted>'], 'port': 1}`,
		`{"server_info": {"api_key": ["a-b"], "hf_token": "x", "eos_token": "</s>", "stream_interval": 1}}`: `{"server_info": {"api_key": ["<redacted>"], "hf_token": "<redacted>", "eos_token": "</s>", "stream_interval": 1}}`,
		`{\"api_key\": \"abc\", \"n\": 1}`:                                                                  `{\"api_key\": \"<redacted>\", \"n\": 1}`,
		`api_key=None, admin_api_key=null, key='x'`:                                                         `api_key=None, admin_api_key=null, key='x'`,
		"GET /v1?api_key=abc&model=m":                                                                       "GET /v1?api_key=<redacted>&model=m",
		"HF_TOKEN=abc DB_PASSWORD='d e' run":                                                                "HF_TOKEN=<redacted> DB_PASSWORD='<redacted>' run",
		"run --api-key abc --tokenizer t":                                                                   "run --api-key <redacted> --tokenizer t",
		"run --admin-api-key=abc --token abc":                                                               "run --admin-api-key=<redacted> --token <redacted>",
		`['--api-key', 'abc', '--port', '1']`:                                                               `['--api-key', '<redacted>', '--port', '1']`,
		"run --password $PW --api-key ${{ env.K }}":                                                         "run --password $PW --api-key ${{ env.K }}",
		"error: argument --api-key: expected one":                                                           "error: argument --api-key: expected one",
		"x-api-key: abc":                    "x-api-key: <redacted>",
		`{'X-Api-Key': 'abc'}`:              `{'X-Api-Key': '<redacted>'}`,
		`(b'authorization', b'Bearer abc')`: `(b'authorization', b'Bearer <redacted>')`,
		"Authorization: Basic dTpw":         "Authorization: Basic <redacted>",
		"http://me:pw@host:1/p?x=a@b":       "http://me:<redacted>@host:1/p?x=a@b",
		"http://host:8000/v1":               "http://host:8000/v1",
		"OPENAI sk-proj-abcdefghijklmnopqrst1 task-abcdefghijklmnopqrstuvwxyz": "OPENAI <redacted> task-abcdefghijklmnopqrstuvwxyz",
		`{"token": "Hello", "logprob": -1, "pad_token": "<pad>"}`:              `{"token": "Hello", "logprob": -1, "pad_token": "<pad>"}`,
		"client_secret: 'abc', secret=\"d\"":                                   "client_secret: '<redacted>', secret=\"<redacted>\"",
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
