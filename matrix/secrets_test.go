package matrix

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const secretSweep = `version: 1
secrets: [MY_*]
vars: {key: sk-from-vars, token: "${{ env.HF_TOKEN }}"}
server:
  axes: {n: [1, 2]}
  env: {HF_TOKEN: "${{ vars.token }}", OPENAI_API_KEY: sk-literal, WANDB_API_KEY: dummy, MY_PASS: "${{ env.MODEL }}x"}
  command: DB_PASSWORD=pw-literal run ${{ n }} --api-key sk-one --admin-api-key=sk-two --api-key EMPTY --token ${{ vars.token }} --hf-token=${{ vars.key }}
client:
  shell: |
    AUTH_TOKEN=tok-three bench --api-key 'sk-four' --admin-api-key="sk-five" --token ${{ vars.key }} --password $PW
    X_API_KEY=${{ vars.token }} exec bench --api-key EMPTY
hooks:
  before_run: {command: [notify, --token, tok-hook, --api-key, "${{ env.HF_TOKEN }}"]}
`

// TestSecrets: what is a secret is nowhere in a plan, and can be put in again.
func TestSecrets(t *testing.T) {
	p, problems := plan(t, secretSweep)
	var b bytes.Buffer
	if err := p.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"hf_abc", "sk-", "pw-literal", "tok-", "mx"} {
		if strings.Contains(b.String(), s) {
			t.Errorf("the plan holds %q:\n%s", s, b.String())
		}
	}
	s := p.Servers[0]
	want := map[string]string{"HF_TOKEN": "${{ env.HF_TOKEN }}", "OPENAI_API_KEY": "${{ secret.OPENAI_API_KEY }}", "WANDB_API_KEY": "dummy",
		"MY_PASS": "${{ secret.MY_PASS }}", "DB_PASSWORD": "${{ secret.DB_PASSWORD }}"}
	if d := cmp.Diff(want, s.Env); d != "" {
		t.Error(d)
	}
	fill := func(template string) string {
		out, err := Fill(template, func(name string) (string, bool) {
			if v, ok := strings.CutPrefix(name, "secret."); ok {
				got, ok := p.Literals[v]
				return got, ok
			}
			return "hf_abc", name == "env.HF_TOKEN"
		})
		if err != nil {
			t.Error(err)
		}
		return out
	}
	var argv []string
	for _, w := range s.Argv {
		argv = append(argv, fill(w))
	}
	if d := cmp.Diff(strings.Fields("run 1 --api-key sk-one --admin-api-key=sk-two --api-key EMPTY --token hf_abc --hf-token=sk-from-vars"), argv); d != "" {
		t.Error(d)
	}
	script := strings.TrimSpace(fill(p.Clients[0].Argv[2]))
	if d := cmp.Diff("AUTH_TOKEN=tok-three bench --api-key sk-four --admin-api-key=sk-five --token sk-from-vars --password $PW\nX_API_KEY=hf_abc exec bench --api-key EMPTY", script); d != "" {
		t.Error(d)
	}
	if got := strings.Join(p.Hooks["before_run"].Argv, " "); fill(got) != "notify --token tok-hook --api-key hf_abc" {
		t.Error(got)
	}
	if !p.NeedsLiterals() {
		t.Error("NeedsLiterals is false")
	}
	for _, w := range problems {
		if w.Rule != "secret-literal" || w.Severity != Warning || !strings.Contains(w.Suggestion, "${{ env.") {
			t.Errorf("unexpected %v", w)
		}
	}
	if len(problems) == 0 {
		t.Error("no warning")
	}
}

// TestSecretInExpression: a secret of the environment must not leak through a
// computed text, and its being unset is an error.
func TestSecretInExpression(t *testing.T) {
	for command, rule := range map[string]string{
		`"${{ env.HF_TOKEN + 'x' }}"`:     "late-value",
		`"${{ len(env.HF_TOKEN) }}"`:      "late-value",
		`"${{ env.OPENAI_API_KEY }}"`:     "unset-env",
		`"${{ len(vars.t) }}"`:            "late-value",
		`"x ${{ upper(l) }}"`:             "late-value",
		`"${{ env.HF_TOKEN == 'hf_a' }}"`: "late-value",
	} {
		p, problems := Parse("s.yaml", []byte("version: 1\nvars: {t: \"${{ env.HF_TOKEN }}\"}\nserver:\n  axes: {l: [\"a${{ late.port }}\"]}\n  command: [run, "+command+"]\nclient: {command: run}\n"), testOptions)
		if p != nil || len(problems) != 1 || problems[0].Rule != rule {
			t.Errorf("%s: %v", command, problems)
		}
	}
	p, _ := plan(t, "version: 1\nserver: {command: \"run --x=a${{ env.HF_TOKEN }}b\"}\nclient: {command: run}\n")
	if got := p.Servers[0].Argv[1]; got != "--x=a${{ env.HF_TOKEN }}b" {
		t.Error(got)
	}
	if p.NeedsLiterals() {
		t.Error("a variable of the environment is no literal")
	}
}

// TestSecretsDoNotMakeVariants: two rows that differ in a secret only are the same cell.
func TestSecretsDoNotMakeVariants(t *testing.T) {
	p, problems := Parse("s.yaml", []byte("version: 1\nserver:\n  axes: {k: [sk-1, sk-2]}\n  command: run --api-key ${{ k }}\nclient: {command: run}\n"), testOptions)
	if p != nil || !strings.Contains(problems.Error(), "same command twice") {
		t.Error(problems)
	}
}

// TestSecretElsewhere: a secret literal that also stands where nothing says so is hidden there too.
func TestSecretElsewhere(t *testing.T) {
	p, _ := plan(t, `version: 1
server: {command: run --api-key sk-literal}
client:
  command: bench --header "X=sk-literal"
  env: {EXTRA: a-sk-literal-b}
`)
	if got := p.Clients[0].Argv[2]; got != "X=${{ secret.API_KEY }}" {
		t.Errorf("argv %q", got)
	}
	if got := p.Clients[0].Env["EXTRA"]; got != "a-${{ secret.API_KEY }}-b" {
		t.Errorf("env %q", got)
	}
}

// TestSecretFromAnyVariable: a secret variable that gets its value from one whose name says nothing is no literal.
func TestSecretFromAnyVariable(t *testing.T) {
	p, problems := plan(t, `version: 1
server: {command: run, env: {MY_API_KEY: "${{ env.MODEL }}"}}
client: {command: bench}
`)
	if got := p.Servers[0].Env["MY_API_KEY"]; got != "${{ env.MODEL }}" || len(p.Literals) != 0 {
		t.Errorf("%q, literals %v, problems %v", got, p.Literals, problems)
	}
	if d := cmp.Diff([]string{"MODEL"}, p.SecretVariables()); d != "" {
		t.Error(d)
	}
}

// TestSecretThatShowsItself: a secret in a header, a URL or a script has no name beside it that is a flag's or a variable's.
func TestSecretThatShowsItself(t *testing.T) {
	p, problems := plan(t, `version: 1
server:
  command: [run, --header, "Authorization: Bearer lit-one", --url, "http://me:lit-two@host/", --harmless, "Authorization: Bearer EMPTY"]
  env: {HTTPS_PROXY: "http://me:lit-three@proxy/${{ env.MODEL }}"}
client:
  shell: "curl -H 'X-Api-Key: lit-four' ${{ server.url }} -H \"Authorization: Bearer $TOKEN\""
`)
	var b bytes.Buffer
	if err := p.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "lit-") || !strings.Contains(b.String(), "Bearer EMPTY") || !strings.Contains(b.String(), "Bearer $TOKEN") {
		t.Errorf("the plan: %s", b.String())
	}
	fill := func(template string) string {
		out, err := Fill(template, func(name string) (string, bool) {
			value, ok := p.Literals[strings.TrimPrefix(name, "secret.")]
			return value, ok || name == "server.url"
		})
		if err != nil {
			t.Error(err)
		}
		return out
	}
	got := []string{fill(p.Servers[0].Argv[2]), fill(p.Servers[0].Argv[4]), fill(p.Servers[0].Env["HTTPS_PROXY"]), fill(p.Clients[0].Argv[2])}
	want := []string{"Authorization: Bearer lit-one", "http://me:lit-two@host/", "http://me:lit-three@proxy/m", `curl -H 'X-Api-Key: lit-four'  -H "Authorization: Bearer $TOKEN"`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if text := problems.Error(); strings.Contains(text, "lit-") || len(problems) != 4 {
		t.Errorf("%d problems: %s", len(problems), text)
	}
}
