package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValue(t *testing.T) {
	a := Args(strings.Fields("serve m --num_prompts 5 --ignore-eos --ratio=1.0 --empty= -c -1 --t -0.5 --rate inf --min -inf --tp 2 --tp=8 --output kind=csv,path=a --output kind=json,path=b,x=1 --bs 1 2 4 --last -- --tp 9"))
	for flag, want := range map[string]string{
		"--num-prompts": "5", "--ignore-eos": "", "--ratio": "1.0", "--empty": "", "-c": "-1", "--t": "-0.5", "--rate": "inf", "--min": "-inf",
		"--tp": "8", "--tensor-parallel-size|--tp": "8", "--output kind=json,path": "b", "--output kind=csv,path": "a", "--bs": "1", "--last": "",
	} {
		if got, ok := a.Value(flag); got != want || !ok {
			t.Errorf("%s: %q %v, want %q", flag, got, ok, want)
		}
	}
	for _, flag := range []string{"--num", "", "serve", "--output kind=xml,path"} {
		if a.Has(flag) {
			t.Errorf("found %q, which is not there", flag)
		}
	}
	if !a.Several("--bs") || a.Several("--num-prompts") || a.Several("--tp") || a.Several("--last") {
		t.Error("only --bs has several values")
	}
	a.Set("--tp", "4")
	a.Set("--output kind=json,path", "/c")
	a.Set("--num-prompts", "3")
	a.Set("--last", "1")
	if got := strings.Join(a, " "); !strings.Contains(got, "--num_prompts 3") || !strings.Contains(got, "--tp 2 --tp=4") || !strings.Contains(got, "kind=json,path=/c,x=1") || !strings.HasSuffix(got, "--last -- --tp 9") {
		t.Errorf("after setting: %s", got)
	}
}

func TestWithout(t *testing.T) {
	a := Args(strings.Fields("run --out a --n 1 --out=b --on --output kind=csv,path=a --output kind=json,path=b -c -1 -- --out c"))
	for flag, want := range map[string]string{
		"--out":                   "run --n 1 --on --output kind=csv,path=a --output kind=json,path=b -c -1 -- --out c",
		"--on":                    "run --out a --n 1 --out=b --output kind=csv,path=a --output kind=json,path=b -c -1 -- --out c",
		"--output kind=json,path": "run --out a --n 1 --out=b --on --output kind=csv,path=a -c -1 -- --out c",
		"-c|--conc":               "run --out a --n 1 --out=b --on --output kind=csv,path=a --output kind=json,path=b -- --out c",
	} {
		before := strings.Join(a, " ")
		if got := strings.Join(a.Without(flag), " "); got != want {
			t.Errorf("without %s: %s, want %s", flag, got, want)
		}
		if strings.Join(a, " ") != before {
			t.Errorf("without %s changed the arguments", flag)
		}
	}
}

func TestFlags(t *testing.T) {
	flags, words := Args{"serve", "m", "--tp=8", "loose", "--bs", "1", "2", "--eos", "-c", "-1", "--stop", "- x", "--", "--tp", "9"}.Flags()
	want := []Flag{{"--tp", []string{"8"}}, {"--bs", []string{"1", "2"}}, {"--eos", nil}, {"-c", []string{"-1"}}, {"--stop", []string{"- x"}}}
	if diff := cmp.Diff(want, flags); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"serve", "m", "loose", "--tp", "9"}, words); diff != "" {
		t.Error(diff)
	}
}

func TestIsFlag(t *testing.T) {
	for word, want := range map[string]bool{
		"--tp": true, "-m": true, "--a=b c": true, "-tp": true,
		"-": false, "--": false, "-1": false, "-0.5": false, "-.5": false, "-1,2": false, "-inf": false, "- x": false, "-a b": false, "x": false, "": false,
	} {
		if IsFlag(word) != want {
			t.Errorf("%q is a flag: %v", word, !want)
		}
	}
}
