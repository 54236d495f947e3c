package matrix

import (
	"encoding/json"
	"testing"
)

// FuzzCommand puts any text in the place of a command, a script and an expression.
// What comes out as a plan must be fillable and free of marks.
func FuzzCommand(f *testing.F) {
	for _, seed := range []string{
		"run --a ${{ n }} 'b c' \"d ${{ late.port }}\"", "A=1 B=${{ n }} run", "exec x && y | z > f &", "f() { a; }; cat <<E\n${{ n }}\nE\n",
		"$(a) `b` ${c} $((1+2)) {a,b} * ? [x] ~ \\ \\\n", "${{ n", "$${{ n }} ${{ '}}' }}", "${{ n + 1 }}${{ list }}", "--api-key sk-1 TOKEN=x --password=\"${{ n }}\"",
		"${{ filter(list, # > n) }}", "${{ let x = n; x }}", "${{ server?.n ?? 1 }}", "\ue000" + "0\ue000 ${{ n }}", "exec run \"$(echo ${{ n }} '${{ list }}')\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Skip()
		}
		for _, key := range []string{"command", "shell"} {
			src := []byte("version: 1\nserver:\n  axes: {n: [1, 2.50, x y], list: [[1, \"a b\"]]}\n  " + key + ": " + string(quoted) + "\nclient: {command: run}\n")
			p, problems := Parse("s.yaml", src, testOptions)
			if (p == nil) != problems.HasErrors() {
				t.Errorf("plan %v, problems %v", p, problems)
			}
			if p == nil {
				continue
			}
			for _, s := range p.Servers {
				for _, w := range s.Argv {
					if _, err := Fill(w, func(string) (string, bool) { return "v", true }); err != nil {
						t.Errorf("%q: %v", w, err)
					}
				}
				if len(s.Argv) == 0 || s.ID == "" || s.Shell != (key == "shell") {
					t.Errorf("%+v", s)
				}
			}
		}
	})
}
