package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/secret"
)

func TestSplitCommand(t *testing.T) {
	for line, want := range map[string]struct {
		argv []string
		env  map[string]string
	}{
		`A=1 B="x y" python3 -m m --json '{"a": 1}'`:  {[]string{"python3", "-m", "m", "--json", `{"a": 1}`}, map[string]string{"A": "1", "B": "x y"}},
		`serve $HOME/x --n ${N} *.txt`:                {[]string{"serve", "$HOME/x", "--n", "$N", "*.txt"}, map[string]string{}},
		`a | b`:                                       {[]string{"bash", "-c", "a | b"}, nil},
		`echo $(date)`:                                {[]string{"bash", "-c", "echo $(date)"}, nil},
		`source env.sh && exec serve`:                 {[]string{"bash", "-c", "source env.sh && exec serve"}, nil},
		`unclosed 'quote`:                             {[]string{"bash", "-c", "unclosed 'quote"}, nil},
		`HF_TOKEN=hf_x serve --api-key sk-1 --port 1`: {[]string{"serve", "--api-key", secret.Mask, "--port", "1"}, map[string]string{"HF_TOKEN": secret.Mask}},
		`env -u HTTP_PROXY -u X A=1 HF_TOKEN=hf_x serve B=2 -u 3`: {[]string{"serve", "B=2", "-u", "3"}, map[string]string{"A": "1", "HF_TOKEN": secret.Mask}},
		`env -i serve`: {[]string{"env", "-i", "serve"}, map[string]string{}},
		`env`:          {[]string{"env"}, map[string]string{}},
		`$(x)`:         {[]string{"bash", "-c", "$(x)"}, nil},
		``:             {nil, nil},
	} {
		argv, env := splitCommand(line)
		if diff := cmp.Diff(want.argv, argv); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
		if diff := cmp.Diff(want.env, env); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

func TestPromptsAsked(t *testing.T) {
	for line, want := range map[string]int{
		"bench --num-prompts 4": 4, "bench --num-prompts=5": 5, "bench --num-prompt 6": 6, "bench --num_prompts 7": 7,
		"bench --num-prompts 1 --num-prompts 8": 8, "bench": 0, "bench --num-prompts": 0, "bench --num-prompts x": 0, "bench --num-prompts-per 3": 0,
	} {
		if got := promptsAsked(strings.Fields(line)); got != want {
			t.Errorf("%s: %d", line, got)
		}
	}
}
