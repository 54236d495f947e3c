package draft

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"servematrix/command"
	"servematrix/engine"
	"servematrix/matrix"
)

// Whatever the commands are, the plan of the drafted sweep has exactly these.
func TestDraftedSweepPlansTheCommands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"1", "0.90", "-1", "a b", "it's", `"q"`, `\`, "$HOME", "~/x", "*.json", "a=b", "#x", "é", "${{ late.port }}x", "{}", "[1, 2]", "null", "on", "'", "`x`", "", "a: b", "-", "!x", "%y", "@z", "&", "|", ">", "\ttab", "line\nbreak"})
		flag := rapid.SampledFrom([]string{"--tp", "--tp=2", "--backend", "--on", "-x", "--model-path", "--seed", "--on-off"})
		pasted := rapid.Custom(func(t *rapid.T) Command {
			c := Command{Argv: []string{rapid.SampledFrom([]string{"srv", "python3", "/opt/x y/srv"}).Draw(t, "program")}}
			for _, w := range rapid.SliceOfN(word, 0, 2).Draw(t, "words") {
				if !command.IsFlag(w) {
					c.Argv = append(c.Argv, text(w))
				}
			}
			for range rapid.IntRange(0, 4).Draw(t, "flags") {
				c.Argv = append(c.Argv, flag.Draw(t, "flag"))
				for _, w := range rapid.SliceOfN(word, 0, 2).Draw(t, "values") {
					c.Argv = append(c.Argv, text(w))
				}
			}
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"A", "B", "PATH_X"}), 0, 2, rapid.ID[string]).Draw(t, "env") {
				c.Env = append(c.Env, Assign{name, text(word.Draw(t, "value"))})
			}
			return c
		})
		commands := rapid.SliceOfN(pasted, 1, 4).Draw(t, "commands")
		worth := []engine.Worth{{Flag: "--backend", Why: "it: is # what", Values: []string{"a", "b: c"}}, {Flag: "--tp|--tp-size", Values: []string{"2", "4"}}, {Flag: "--on"}, {Flag: "-n", Values: []string{"1"}}}
		clients := []Command{{Argv: []string{"cli"}}}
		sweep := Sweep(Input{Name: "p", Path: "p.yaml", Servers: commands, Clients: clients, ServerWorth: worth})
		plan, problems := matrix.Parse("p.yaml", sweep, matrix.Options{Getenv: func(string) (string, bool) { return "", false }})
		if problems.HasErrors() {
			t.Fatalf("the sweep has problems: %v\n%s", problems, sweep)
		}
		want := map[string]bool{}
		for _, c := range unique(commands) {
			env := map[string]string{}
			for _, a := range c.Env {
				env[a.Name] = a.Value
			}
			want[line(env, sorted(c.Argv))] = true
		}
		got := map[string]bool{}
		for _, s := range plan.Servers {
			got[line(s.Env, sorted(s.Argv))] = true
		}
		if !maps.Equal(want, got) {
			t.Fatalf("want %q\ngot  %q\n%s", slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), sweep)
		}
	})
}

// sorted forgets the order of flags, each kept with its values: it means nothing.
func sorted(argv []string) []string {
	var out []string
	for _, p := range parts(Command{Argv: argv}) {
		out = append(out, p.String())
	}
	slices.Sort(out)
	return out
}

func line(env map[string]string, words []string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&b, "%s=%q ", name, env[name])
	}
	fmt.Fprintf(&b, "%q", words)
	return b.String()
}

func FuzzCommands(f *testing.F) {
	for _, s := range []string{"X=1 srv --a $B &", "for x in {1..3}; do srv $x; done", "f() { srv \"$@\"; }; f 1 2", "declare -A m=([a]=b); srv ${m[a]}", "srv {1..99999999}{1..9}; for x in {1..99999999}; do srv; done", "srv <(x) >(y); z=<(x); case <(x) in <(y)) ;; esac; [[ a == <(x) ]]", "srv <<E\nx\nE", "for ((i=0;;i++)); do for ((;;)); do [; [ a; done; done", "if [[ $x -gt 1 || a == b* ]]; then continue; fi; ((x++)) && exit", "a=(1 2); srv ${#a[@]} ${a[-1]}", `env "" vllm serve m`, `E=; nohup env A=1 "$E" srv; exec -a x srv; sudo docker run -e A=1 "" srv`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		for _, read := range []func(string) ([]Command, []string, error){Commands, Pasted} {
			commands, _, err := read(script)
			if err == nil && len(commands) > most {
				t.Errorf("%d commands", len(commands))
			}
			secrets := &Secrets{}
			for _, c := range commands {
				c.Uncontain()
				secrets.TakeOut(&c)
			}
		}
	})
}

// Defaults in defaults are looked at once each: twice at every depth would never end.
func TestCommandsOfDefaultsInDefaults(t *testing.T) {
	commands, _, err := Commands("srv " + strings.Repeat("${a:-", 60) + "x" + strings.Repeat("}", 60))
	if err != nil || len(commands) != 1 || commands[0].Argv[1] != "x" {
		t.Error(commands, err)
	}
}

// A script that is short to write and long to follow is left, and that is said.
func TestCommandsEnd(t *testing.T) {
	for _, script := range []string{
		"x=a; for i in {1..60}; do x=$x$x; done",
		"a=(x); for i in {1..60}; do a+=(\"${a[@]}\"); done",
		"x=" + strings.Repeat("a", 3000) + "; srv ${x//a/$x}",
		"srv {1..999}{1..999}; srv {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}; srv {1..99999999}",
		"for i in {1..9999}; do for j in {1..9999}; do x=1; done; done",
		"for i in {1..2000}; do srv $i; done",
	} {
		commands, notes, err := Commands(script)
		bytes := 0
		for _, c := range commands {
			bytes += len(strings.Join(c.Argv, " "))
		}
		if err != nil || len(notes) == 0 || bytes > 2*widest {
			t.Errorf("%.60s: %d bytes of commands, notes %q, %v", script, bytes, notes, err)
		}
	}
}
