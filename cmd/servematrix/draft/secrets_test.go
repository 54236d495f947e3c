package draft

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSecretsAreNamedAndNotWritten(t *testing.T) {
	commands, _, err := Commands(`export HF_TOKEN=hf_aaaaaaaaaaaaaaaaaaaaaaaa
vllm serve m --api-key abcde12345
OPENAI_API_KEY=abcde12345 HF_TOKEN=$HF_TOKEN vllm bench serve --api-key=EMPTY --header 'Authorization=Bearer other67890' http://me:pass12345@host
docker run -e HF_TOKEN=hf_bbbbbbbbbbbbbbbbbbbbbbbb --env=A=1 vllm/vllm-openai --tokenizer t --hf_token "$ASKED" --api-key --x`)
	if err != nil {
		t.Fatal(err)
	}
	secrets := &Secrets{}
	var notes []string
	for i := range commands {
		commands[i].Uncontain()
		secrets.TakeOut(&commands[i])
		notes = append(notes, commands[i].Notes...)
	}
	want := []string{
		"HF_TOKEN=${{ env.HF_TOKEN }} vllm|serve|m|--api-key|${{ env.API_KEY }}",
		"HF_TOKEN=${{ env.HF_TOKEN }} OPENAI_API_KEY=${{ env.API_KEY }} vllm|bench|serve|--api-key=EMPTY|--header|Authorization=Bearer ${{ env.SECRET }}|http://me:${{ env.SECRET_2 }}@host",
		"HF_TOKEN=${{ env.HF_TOKEN_2 }} A=1 vllm|serve|--tokenizer|t|--hf_token|${{ vars.ASKED }}|--api-key|--x",
	}
	if diff := cmp.Diff(want, argvs(commands)); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	for _, name := range []string{"HF_TOKEN", "API_KEY", "SECRET", "SECRET_2", "HF_TOKEN_2"} {
		if n := strings.Count(strings.Join(notes, "\n"), "the value of "+name+" is a secret"); n != 1 {
			t.Errorf("%s is noted %d times:\n%s", name, n, strings.Join(notes, "\n"))
		}
	}
	if got := secrets.Hidden("> log-abcde12345"); got != "> log-<redacted>" {
		t.Error(got)
	}
}
